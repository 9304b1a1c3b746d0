// Decides how fresh a table may be called. Pure: times come in, words go out.
//
// A heartbeat that is heard proves little: it may have waited in a queue while the daemon, the
// gateway or this page stood still. So a proof begins with a question whose answer can only have
// been given after it was asked; each heartbeat but the first after it moves the proof on by one
// heartbeat, and never beyond when it was heard. Where heartbeats are lost, or the daemon's clock
// is slower, the proof falls behind, and it is asked anew.

/** Heartbeats without which a viewer is no longer live (section 7 of docs/PROTOCOL.md). */
export const MISSED = 3;
/** Phases in which there is no table, until something is published of it. */
export const NOWHERE = new Set(['absent', 'forbidden']);

/**
 * Up to when it is proven that the daemon has nothing else than what is shown. Times are {clock,
 * wall}.
 */
export class Proof {
  constructor(heartbeatMs = 1000) {
    this.heartbeatMs = heartbeatMs;
    this.at = null;
    this.hasSlept = false;
    this.isFirst = false;
  }

  /** Nothing is proven: there is another connection, or the page has slept. */
  forget(hasSlept = false) {
    this.at = null;
    this.hasSlept = hasSlept;
  }

  /** An answer came to what was asked at this time. */
  asked(time) {
    if (this.at !== null && time.clock <= this.at.clock) return;
    this.at = {...time};
    this.isFirst = true;
  }

  /** A heartbeat fits that was heard at this time. */
  heartbeat(now) {
    if (this.at === null || now.clock < this.at.clock) return;
    if (this.isFirst) {
      // It may have been sent before the question.
      this.isFirst = false;
      return;
    }
    const step = this.heartbeatMs;
    this.at = {clock: Math.min(now.clock, this.at.clock + step), wall: Math.min(now.wall, this.at.wall + step)};
  }

  /** How old the proof is in milliseconds; Infinity without one. A clock that stood still is not
   * believed: the other one counts. */
  age(now) {
    if (this.at === null) return Infinity;
    return Math.max(now.clock - this.at.clock, now.wall - this.at.wall, 0);
  }

  /** In how many milliseconds it is time to ask anew, unless heartbeats come: 0 where they were lost, or late. */
  dueIn(now) { return Math.max(0, 2.4 * this.heartbeatMs - this.age(now)); }
}

/**
 * How fresh a table is: `live`, `catchingUp`, `stale`, `disconnected`, `absent` or `forbidden`,
 * and why.
 *
 * `connected`: the socket is open. `phase`: what the follower does. `ageMs`: the age of its proof.
 * `waiting`: something that was published is not applied yet. `heardMs`: the age of what was heard last. `shows`: there is a table to show.
 * `hasSlept`: the page stood still since. `broken`: why the table is not the daemon's.
 */
export function freshness(given) {
  const {connected, phase, ageMs, heartbeatMs, waiting, heardMs, shows, broken, hasSlept} = given;
  if (!connected) return {state: 'disconnected', why: 'there is no connection'};
  if (phase === 'forbidden') return {state: phase, why: 'this device may not see that table'};
  if (broken) return {state: 'stale', why: broken};
  if (ageMs > MISSED * heartbeatMs) {
    // The daemon is heard, and this page is slower than what it says.
    const isKnown = Number.isFinite(ageMs) || !hasSlept;
    if (phase === 'following' && waiting && isKnown && heardMs <= MISSED * heartbeatMs) {
      return {state: 'catchingUp', why: 'changes that came are being applied'};
    }
    const silent = (shows || phase === 'absent') && (Number.isFinite(ageMs) || hasSlept);
    return silent ? {state: 'stale', why: 'nothing was heard of the table'} :
                    {state: 'catchingUp', why: 'the table is being asked for'};
  }
  if (phase === 'absent') return {state: 'absent', why: 'there is no such table'};
  if (phase === 'following' && !waiting) return {state: 'live', why: ''};
  return {state: 'catchingUp', why: 'changes are being fetched'};
}
