// Commands, each carried out once whatever is lost (docs/PROTOCOL.md, "Sending again"): they are
// numbered, their bytes are kept before they are sent, and sent again until they are answered.
//
// New commands go out under a client id that this page made for itself. What an earlier page left
// is sent under its own id and with its own bytes, and never continued: so two pages can not meet.

import {madeOnce} from '../model/read.js';
import {codeOf, numberOf, refusal, textOf} from './frames.js';

const PATIENCE = 1500, SLOWEST = 8000, DISK_FULL_PAUSE = 2000;
/** Another daemon of the service takes over: so long until the next try. */
const CHANGE_PAUSE = 400;
const OTHER_PAIRING = 'It was sent under another pairing of this device.';

/** A client id and its commands that are not answered, by their numbers. */
class Identity {
  constructor(client, opened, window) {
    this.client = client;
    this.opened = opened;
    this.window = window;
    this.last = 0;
    this.pending = new Map();
  }

  /** May this number be sent, so that no answer that is still awaited is forgotten for it? */
  maySend(number) {
    let first = number;
    for (const other of this.pending.keys()) first = Math.min(first, other);
    return number - first < this.window;
  }
}

export class Writer {
  /** `hello()`: a promise of the daemon's answer to `hello`. */
  constructor({storage, send, clock, wall, timers, random, newId, changed, outcome, hello, carriedOut = () => {}}) {
    Object.assign(this,
      {storage, sendBody: send, clock, wall, timers, random, newId, changed, outcome, askHello: hello, carriedOut});
    this.identity = null;
    /** Every client id that this page has had. */
    this.clients = new Set();
    this.older = new Map();
    this.prefix = '';
    this.hello = null;
    this.connected = false;
    this.oneByOne = false;
  }

  /** The gateway has introduced itself and the daemon: the window may be another now. */
  met(prefix, hello) {
    this.hello = hello ?? this.hello;
    if (!this.hello) return;
    const window = Math.max(1, numberOf(this.hello.limits?.repliesPerSession, 1));
    if (!this.identity || prefix !== this.prefix) {
      if (this.identity) this.forsake();
      this.begin(prefix, window);
    }
    this.identity.window = window;
  }

  /** This device was paired anew: nobody may ask for what went out under the old client ids. */
  forsake() {
    const left = [...this.all()];
    this.older.clear();
    this.identity.pending.clear();
    for (const one of left) this.lost(one, OTHER_PAIRING);
  }

  begin(prefix, window) {
    if (this.identity?.pending.size) this.older.set(this.identity.client, this.identity);
    this.prefix = prefix;
    const opened = numberOf(this.hello.opened, 0);
    this.identity = new Identity(`${prefix}${this.newId()}`, opened, window);
    this.clients.add(this.identity.client);
    this.storage.hold(this.identity.client).catch(() => {});
  }

  /** Takes over what earlier pages of this device left. */
  async recover() {
    const records = await this.storage.all().catch(() => []);
    const clients = new Map();
    for (const record of records) {
      if (record.client === this.identity?.client || this.older.has(record.client)) continue;
      madeOnce(clients, record.client, () => []).push(record);
    }
    for (const [client, left] of clients) await this.takeOver(client, left);
    this.sendDue();
    this.changed();
  }

  async takeOver(client, records) {
    if (!await this.storage.hold(client)) return;
    const window = Math.min(...records.map((record) => numberOf(record.window, 1)));
    const identity = new Identity(client, 0, window);
    for (const record of records.sort((a, b) => a.number - b.number)) {
      const one =
        {...record, identity, sent: 1, taken: true, stored: true, timer: null, pause: PATIENCE, resolve: () => {}};
      // Another page may have had its answer since this one looked.
      if (!await this.storage.has(record.key)) continue;
      if (client.startsWith(this.prefix)) identity.pending.set(record.number, one);
      else this.lost(one, OTHER_PAIRING);
    }
    if (identity.pending.size) this.older.set(client, identity);
  }

  /** All that is not answered. */
  * all() {
    for (const identity of this.older.values()) yield* identity.pending.values();
    if (this.identity) yield* this.identity.pending.values();
  }

  /** A promise of the reply; it never rejects. `request`: all but client, number and opened. */
  submit(table, request, about) {
    if (!this.connected || !this.identity) {
      return Promise.resolve(refusal('notConnected', 'There is no connection. Nothing was sent.'));
    }
    const most = numberOf(this.hello.limits?.requestBytes, 1 << 20);
    if (JSON.stringify(request).length * 3 + 400 > most
      && new TextEncoder().encode(JSON.stringify(request)).length + 400 > most) {
      return Promise.resolve(refusal('tooLarge', `The request has more than ${most} bytes.`));
    }
    return new Promise((resolve) => this.number({table, request, about, resolve, sinceMs: this.wall()}));
  }

  /** The command has a number of the present client, is kept, then sent. */
  number(given) {
    const identity = this.identity;
    identity.last += 1;
    const number = identity.last, client = identity.client;
    const text = JSON.stringify({client, number, opened: identity.opened, ...given.request});
    const one = {
      ...given,
      identity,
      client,
      number,
      text,
      key: `${client}/${number}`,
      sent: 0,
      taken: false,
      stored: false,
      state: 'sending',
      timer: null,
      pause: PATIENCE
    };
    identity.pending.set(number, one);
    this.changed();
    const {key, table, about, sinceMs} = one;
    this.storage.put({key, client, number, text, table, about, sinceMs, request: one.request, window: identity.window})
      .catch(() => {})
      .then(() => {
        one.stored = true;
        this.sendDue();
      });
  }

  /** Sends what may be sent and never was. */
  sendDue() {
    if (!this.connected) return;
    for (const one of this.all()) {
      if (this.oneByOne && one !== this.all().next().value) return;
      if (!one.stored || one.timer !== null) continue;
      if (!one.identity.maySend(one.number)) continue;
      // In order: a later command does not overtake one that is still being kept.
      if (!one.taken && [...one.identity.pending.values()].some((other) => other.number < one.number && !other.stored))
        continue;
      this.transmit(one);
    }
  }

  transmit(one) {
    one.timer = null;
    if (!this.connected || one.identity.pending.get(one.number) !== one) return;
    if (one.taken) this.transmitTaken(one);
    else this.put(one);
  }

  /** Another page may have had the answer meanwhile, and taken the command away. */
  transmitTaken(one) {
    one.timer = this.timers.set(() => this.transmit(one), SLOWEST);
    this.storage.has(one.key).catch(() => true).then((there) => {
      if (one.identity.pending.get(one.number) !== one || !this.connected) return;
      this.timers.clear(one.timer);
      if (there) this.put(one);
      else {
        this.remove(one);
        this.changed();
      }
    });
  }

  /** It is not sent again by itself. */
  hush(one) {
    this.timers.clear(one.timer);
    one.timer = null;
  }

  put(one) {
    one.sent += 1;
    one.waitsItsTurn = false;
    if (one.state !== 'diskFull' && one.state !== 'changing') one.state = 'sending';
    this.sendBody(one.text);
    const pause = one.pause * (0.75 + 0.5 * this.random());
    one.pause = Math.min(SLOWEST, one.pause * 2);
    one.timer = this.timers.set(() => this.transmit(one), pause);
  }

  opened() {
    this.connected = true;
    for (const one of this.all()) one.pause = PATIENCE;
    this.sendDue();
  }

  /** The daemon is there again: what is under way is sent now, not after its pause. */
  again() {
    if (!this.connected) return;
    for (const one of this.all()) {
      this.hush(one);
      one.pause = PATIENCE;
    }
    this.sendDue();
  }

  closed() {
    this.connected = false;
    for (const one of this.all()) {
      this.hush(one);
      one.state = 'waiting';
    }
    this.changed();
  }

  /** A reply; whether it is about one of these commands. */
  answered(reply) {
    const identity = reply.client === this.identity?.client ? this.identity : this.older.get(reply.client);
    const one = identity?.pending.get(reply.number);
    if (!one) return identity !== undefined;
    const code = codeOf(reply);
    const again = one.sent > 1 || one.taken;
    if (code === 'unknown' && !again) this.begunAnew(one);
    else if (code === 'unknown') this.lost(one, textOf(reply.error?.message));
    else if (code === 'diskFull' && again) this.later(one, 'diskFull', DISK_FULL_PAUSE);
    else if (code === 'notLeader') {
      // This copy changed nothing, and nobody remembers it.
      one.sent = Math.max(0, one.sent - 1);
      this.later(one, 'changing', CHANGE_PAUSE);
    } else this.end(one, reply);
    return true;
  }

  /** A refusal that does not say what it refuses. */
  nameless(reply) {
    const sent = [...this.all()].filter((one) => one.sent > 0 && !one.waitsItsTurn);
    if (sent.length === 1) {
      this.oneByOne = false;
      this.end(sent[0], reply);
    } else if (sent.length > 1) {
      this.oneByOne = true;
      for (const one of sent) {
        this.hush(one);
        one.waitsItsTurn = true;
      }
      // Later: until then others that went out with it may be refused, too.
      const [first] = sent;
      first.timer = this.timers.set(() => this.transmit(first), PATIENCE);
    }
  }

  /**
   * The same bytes again. It waited for room on the daemon's disk, and a copy may still come there;
   * or none of the daemons writes at present, or another one does, to which the gateway goes.
   */
  later(one, state, pause) {
    one.state = state;
    // It was answered: the next silence is the first.
    one.pause = PATIENCE;
    this.timers.clear(one.timer);
    one.timer = this.timers.set(() => this.transmit(one), pause * (0.75 + 0.5 * this.random()));
    this.changed();
  }

  /**
   * The daemon has forgotten this client, and the command was never sent before: it goes out under
   * another client id, which begins where the daemon is now.
   */
  async begunAnew(one) {
    const {identity} = one;
    this.hush(one);
    Object.assign(one, {sent: 0, stored: false}); // it waits
    if (identity === this.identity) {
      const {hello} = await this.askHello();
      if (!hello) {
        one.stored = true;
        return;
      }
      if (identity === this.identity) {
        this.hello = {...this.hello, opened: hello.opened};
        this.begin(this.prefix, identity.window);
      }
    }
    // Meanwhile the device may have been paired anew, and the command be given up.
    if (identity.pending.get(one.number) !== one) return;
    this.number({table: one.table, request: one.request, about: one.about, resolve: one.resolve, sinceMs: one.sinceMs});
    this.remove(one);
  }

  /** Nobody can tell whether it was carried out: people are told. */
  lost(one, message) {
    this.say(one, 'unknown', message);
    this.finish(one, refusal('unknown', message || 'The outcome is not known.'));
  }

  /** The page that sent it has gone: the present one says that it was refused. */
  end(one, reply) {
    const code = codeOf(reply);
    if (one.taken && code) this.say(one, code, textOf(reply.error?.message));
    else if (one.taken) this.carriedOut(one);
    this.finish(one, reply);
  }

  say(one, code, message) {
    const {table, request, about, sinceMs} = one;
    this.outcome({table, request, about, code, message, sinceMs});
  }

  finish(one, reply) {
    this.remove(one);
    one.resolve(reply);
    this.sendDue();
    this.changed();
  }

  remove(one) {
    one.identity.pending.delete(one.number);
    this.hush(one);
    this.storage.remove(one.key).catch(() => {});
    if (one.identity !== this.identity && one.identity.pending.size === 0) {
      this.older.delete(one.identity.client);
    }
  }
}
