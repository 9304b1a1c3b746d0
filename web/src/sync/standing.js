// How the table stands to the daemon's (`offer`): after a restart, and as a proof that it is fresh.
// The answer was given after the question, whatever waited in queues meanwhile.

import {codeOf, textOf} from './frames.js';
import {isTableName} from './news.js';

/** A snapshot is needed. */
const APART = new Set(['rolledBack', 'diverged', 'compacted']);

/** A promise of the daemon's reply to what a table is, and of how that stands to its own: the relation, or a refusal's code. */
async function compared(follower, {history, revision, digest}, timeoutMs) {
  const reply = await follower.io.ask('offer', {history, revision, digest}, follower.name, timeoutMs);
  return {reply, relation: reply.ok ? textOf(reply.standing?.relation) : codeOf(reply)};
}

/** Asks how this table stands to the daemon's: an answer was given after the question. */
export async function prove(follower) {
  if (follower.proving || !follower.table || follower.table.isSpoiled) return;
  follower.proving = true;
  const asked = follower.now(), epoch = follower.epoch, table = follower.table;
  const {reply, relation} = await compared(follower, table, 4000);
  follower.proving = false;
  if (follower.table !== table || follower.epoch !== epoch || follower.phase !== 'following') return;
  if (relation === 'noSuchTable') follower.gone();
  if (!reply.ok) return;
  if (reply.epoch !== epoch) {
    follower.restarted(textOf(reply.epoch));
  } else if (relation === 'same' || relation === 'extend') {
    follower.proof.asked(asked);
    if (relation === 'extend') follower.hold(follower.headNews(reply.standing.head));
  } else if (APART.has(relation)) {
    follower.tell({kind: 'compared', relation});
    follower.step('snapshot', relation);
  } else {
    follower.malformed('a standing that is none');
  }
  follower.tell({kind: 'freshness'});
  follower.work();
}

/** Asks whether there is still no such table: any question about it tells. */
export async function proveAbsence(follower) {
  if (follower.proving || !isTableName(follower.name)) return;
  follower.proving = true;
  const asked = follower.now();
  const reply = await follower.io.ask('kinds', {}, follower.name, 4000);
  follower.proving = false;
  if (follower.phase !== 'absent') return;
  if (reply.ok) follower.step('snapshot');
  else if (codeOf(reply) === 'noSuchTable') follower.proof.asked(asked);
  follower.tell({kind: 'freshness'});
  follower.work();
}

/** A restart: the relation says what to do. */
export async function offer(follower, job) {
  const asked = follower.now(), table = follower.table;
  if (table.isSpoiled) {
    follower.step('snapshot');
    return;
  }
  follower.counts.offers += 1;
  const {reply, relation} = await compared(follower, table, 8000);
  if (!follower.goesOn(job)) return;
  if (relation === 'noSuchTable') {
    follower.gone();
  } else if (!reply.ok) {
    await follower.pause(follower.setback());
  } else {
    if (reply.epoch !== follower.epoch) follower.held = [];
    follower.epoch = table.epoch = textOf(reply.epoch);
    follower.tell({kind: 'compared', relation});
    if (relation === 'same' || relation === 'extend') {
      follower.broken = '';
      follower.proof.asked(asked);
      if (relation === 'extend') follower.held.unshift(follower.headNews(reply.standing.head));
      follower.step('following');
    } else {
      follower.step('snapshot', relation);
    }
  }
}
