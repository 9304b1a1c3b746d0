/** Whether this device is still let in: a socket that is refused does not say why. */

const PAUSE = 5000;
/** So often a page that stays open asks: the answer renews its cookie, which else ends a year after the page was opened. */
const RENEWS = 86_400_000;

/** Whether this device has a cookie that the server takes; null: the server does not answer. */
export async function isPaired() {
  try {
    const answer = await fetch('/tables/-/snapshot', {method: 'HEAD'});
    return answer.status !== 401;
  } catch {
    return null;
  }
}

/**
 * While the gateway is not heard, asks from time to time whether it is for want of a cookie. A device may
 * also be revoked while its page has no network: then each new connection is refused.
 */
export function watchPairing(
  session, unpaired, {paired = isPaired, clock = () => performance.now(), every = setInterval} = {}) {
  let askedAt = -Infinity;
  every(() => {
    if (!session.closed) paired();
  }, RENEWS);
  const ask = async () => {
    if (session.connection === 'open' || session.closed || clock() - askedAt < PAUSE) return;
    askedAt = clock();
    if ((await paired()) !== false || session.connection === 'open' || session.closed) return;
    session.close();
    unpaired();
  };
  session.onChange(({kind}) => {
    if (kind === 'connection' && session.connection === 'waiting') ask();
  });
  setTimeout(ask, 2000);
}
