// The daemon's time on this screen, whatever the screen's own clock says. Each heartbeat says when it was sent. It
// is heard later than that, so of some heartbeats in a row the one that was under way for the shortest time counts.

const KEPT = 16;
/** A clock that is no further off is right enough: it is nothing to tell people of. */
const RIGHT_MS = 30000;
/** Times that were shown before are wrong by so much that they are shown anew. */
const MOVED_MS = 2000;

export class DaemonTime {
  /** `clock` never goes back, and nobody sets it; `wall` is what the screen takes for the time. */
  constructor({clock, wall}) {
    Object.assign(this, {clock, wall});
    /** For the latest heartbeats: their time, less that of `clock` when they were heard. */
    this.heads = [];
    this.offset = null;
  }

  /** A heartbeat with this time was heard. Gives whether the time here is another now. */
  heard(timeMs) {
    if (!Number.isSafeInteger(timeMs) || timeMs <= 0) return false;
    const before = this.now(), wasAhead = this.ahead;
    this.heads.push(timeMs - this.clock());
    if (this.heads.length > KEPT) this.heads.shift();
    this.offset = Math.max(...this.heads);
    return Math.abs(this.now() - before) > MOVED_MS || (wasAhead === 0) !== (this.ahead === 0);
  }

  /** The page stood still, and `clock` perhaps with it: until the next heartbeat the wall clock tells for how long. */
  slept(passed) {
    this.heads = [];
    if (this.offset !== null) this.offset += passed.wall - passed.clock;
  }

  now() { return this.offset === null ? this.wall() : this.clock() + this.offset; }

  /** A single heartbeat does not tell when it was sent: the gateway tells again what it heard last. */
  get ahead() {
    if (this.heads.length < 2) return 0;
    const ahead = this.wall() - this.now();
    return Math.abs(ahead) > RIGHT_MS ? ahead : 0;
  }
}
