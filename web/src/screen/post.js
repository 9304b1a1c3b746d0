/** Asks the gateway something of its own: a promise of {ok, status, said: what the answer has as JSON; null: nothing}. */
export async function ask(path, body) {
  const sent = {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)};
  const answer = await fetch(path, body ? sent : {});
  return {ok: answer.ok, status: answer.status, said: await answer.json().catch(() => null)};
}
