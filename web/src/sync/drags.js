// Drags: a lease that is taken with `lift` and ended exactly once, by a drop, a cancel or anything
// else (docs/PROTOCOL.md, "Drags").

import {codeOf, numberOf, refusal, textOf} from './frames.js';

/** Why a drag has ended, by an answer. */
const whyOf = (reply) => ({reason: textOf(reply?.error?.message), saying: reply?.error?.saying});

const HOVER_MS = 16;
/** Refusals of a drop that leave the lease as it is. */
const STAYS = new Set(['diskFull', 'numberReused']);

/** Rows that this session drags. */
export class Drag {
  /** `ask(step)` sends a passing step, `submit(step)` a drop. `over(drag)`: it has ended. */
  constructor(lease, {ask, submit, timers, clock, over}) {
    Object.assign(this, {ask, submit, timers, clock, over});
    this.lease = lease.lease;
    this.rows = lease.rows;
    this.ttlMs = Math.min(Math.max(numberOf(lease.ttl, 10), 1), 60) * 1000;
    this.state = 'active';
    this.place = null;
    this.sentPlace = null;
    this.hovering = null;
    this.saidAt = clock();
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.renewing = timers.set(() => this.renew(), this.ttlMs / 3);
  }

  get active() { return this.state === 'active'; }

  /** Where the drag is, for others to see: what was said last counts, once for each frame. */
  hover(place) {
    if (!this.active) return;
    this.place = place;
    this.hovering ??= this.timers.set(() => this.sendHover(), HOVER_MS);
  }

  sendHover() {
    this.hovering = null;
    if (!this.active || this.place === null) return;
    const said = JSON.stringify(this.place);
    if (said === this.sentPlace) return;
    this.sentPlace = said;
    this.saidAt = this.clock();
    this.ask({hover: {lease: this.lease, ...this.place}}).then((reply) => this.answered(reply));
  }

  renew() {
    if (this.state === 'ended') return;
    this.renewing = this.timers.set(() => this.renew(), this.ttlMs / 3);
    if (this.clock() - this.saidAt < this.ttlMs / 4 || this.state === 'cancelling') return;
    this.saidAt = this.clock();
    this.ask({renew: this.lease}).then((reply) => this.answered(reply));
  }

  /** An answer to a hover or a renew: the lease may have ended. */
  answered(reply) {
    const code = codeOf(reply);
    if (this.active && (code === 'noSuchLease' || code === 'notHeld')) {
      this.end({dropped: false, ...whyOf(reply)});
    }
  }

  /** Puts the rows there: one revision. A promise of the reply. */
  async drop(place) {
    if (!this.active) return refusal('noSuchLease', 'The drag has ended.');
    this.state = 'dropping';
    const reply = await this.submit({drop: {lease: this.lease, to: place}});
    if (this.state === 'ended') return reply;
    const code = codeOf(reply);
    if (STAYS.has(code) || code === 'notConnected') {
      // The rows are still lifted, but the person has let go.
      this.state = 'active';
      this.cancel(reply);
    } else {
      this.end({dropped: reply.ok === true, ...whyOf(reply), reply});
    }
    return reply;
  }

  /** Everything is as before. */
  cancel(reply = undefined) {
    if (!this.active) return;
    this.state = 'cancelling';
    this.ask({cancel: this.lease});
    this.end({dropped: false, ...whyOf(reply), reply});
  }

  /** The daemon says that it has ended. A drop under way has an answer of its own. */
  hasEnded({reason, saying, dropped}) {
    if (this.active) this.end({dropped, reason, saying});
  }

  end(how) {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.timers.clear(this.renewing);
    this.timers.clear(this.hovering);
    this.over(this);
    this.resolve(how);
  }
}
