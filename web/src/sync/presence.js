// Presence: viewers and drags (docs/PROTOCOL.md, "Presence"). It passes, and is shown only while it is
// certain.

import * as check from '../model/check.js';
import {textOf} from './frames.js';

const ATTEND_MS = 2000;
const MOST = 4096;

const {maybeText} = check;
const viewer = check.shape('a viewer', {client: maybeText, name: maybeText});
const lease = check.shape('a lease', {
  lease: check.text,
  holder: maybeText,
  rows: check.listOf(check.id),
  section: maybeText,
  before: maybeText,
  after: maybeText,
});

/** The known viewers and leases of a table. */
export class Presence {
  /** `mine(lease)`: it is this session's. `ended(event)`, `changed()`: what is to be told. */
  constructor({mine, ended, changed}) {
    Object.assign(this, {mine, ended, changed});
    this.epoch = '';
    this.viewers = [];
    this.leases = [];
  }

  /** A presence that was published. Throws `Wrong` where it is none. */
  heard(body) {
    check.object(body, 'a presence');
    const epoch = check.text(body.epoch, 'an epoch');
    if (epoch !== this.epoch) this.forget('the daemon was started anew');
    this.epoch = epoch;
    const before = JSON.stringify([this.viewers, this.leases]);
    if (body.viewers) {
      this.viewers = check.list(check.object(body.viewers, 'viewers').viewers, 'viewers').slice(0, MOST).map(viewer);
    }
    if (body.leases) {
      this.leases = check.list(check.object(body.leases, 'leases').leases, 'leases')
                      .slice(0, MOST)
                      .map((one) => ({...lease(one), mine: this.mine(one.lease)}));
    }
    for (const one of check.list(body.ended, 'ended')) {
      check.text(check.object(one, 'an end').lease, 'a lease');
      this.leases = this.leases.filter(({lease: id}) => id !== one.lease);
      const {lease: id, saying} = one;
      this.ended({lease: id, reason: textOf(one.reason), saying, dropped: one.dropped === true, mine: this.mine(id)});
    }
    // All of it comes with each heartbeat; mostly nothing has changed.
    if (JSON.stringify([this.viewers, this.leases]) !== before) this.changed();
  }

  /** Nothing of it is certain any more: all leases have ended. */
  forget(reason) {
    const gone = this.leases;
    this.leases = [];
    this.viewers = [];
    for (const {lease: id} of gone) {
      this.ended({lease: id, reason, saying: {key: 'putDown.connection'}, dropped: false, mine: this.mine(id)});
    }
    if (gone.length) this.changed();
  }
}

/** Says every two seconds that this viewer is there. */
export class Attendance {
  /** `ask(body)` sends an `attend`; `revision()` is the one that is shown, or undefined. */
  constructor({ask, revision, clock}) {
    Object.assign(this, {ask, revision, clock});
    this.last = -Infinity;
  }

  tick() {
    const revision = this.revision();
    if (revision === undefined || this.clock() - this.last < ATTEND_MS) return;
    this.last = this.clock();
    this.ask({revision});
  }

  /** At once, next time: there is another connection. */
  anew() { this.last = -Infinity; }

  leave() {
    const revision = this.revision();
    if (revision !== undefined) this.ask({revision, leaving: true});
  }
}
