// A table as the screen has it: the replica, how fresh it is, commands, presence and drags.

import {Drag} from './drags.js';
import {Follower} from './follower.js';
import {codeOf} from './frames.js';
import {Attendance, Presence} from './presence.js';
import {Wrong} from '../model/hash.js';


/** Listeners of which none can harm another. */
export class Listeners {
  constructor() { this.all = new Set(); }

  add(f) {
    this.all.add(f);
    return () => this.all.delete(f);
  }

  tell(event) {
    for (const f of [...this.all]) {
      try {
        f(event);
      } catch (error) {
        // It is the listener's: it is said where developers look, and others hear the event.
        globalThis.reportError?.(error);
      }
    }
  }
}

export class Board {
  constructor(name, session) {
    this.name = name;
    this.session = session;
    this.drags = new Map();
    this.diffs = new Listeners();
    this.resets = new Listeners();
    this.ends = new Listeners();
    this.relation = '';
    /** The history of the table that was here last. */
    this.historyNow = undefined;
    this.follower = new Follower(name, session.io, (event) => this.told(event));
    this.known = new Presence({
      mine: (lease) => this.drags.has(lease),
      ended: (event) => this.leaseEnded(event),
      changed: () => session.tell({kind: 'presence', table: name}),
    });
    this.attendance = new Attendance({
      ask: (body) => session.askPassing('attend', body, name),
      revision: () => this.table?.revision,
      clock: session.io.clock,
    });
  }

  get table() { return this.follower.table; }

  get counts() { return this.follower.counts; }

  freshness() {
    const said = this.follower.freshness();
    if (!this.session.isTurnedAway) return said;
    return {...said, state: 'forbidden', why: 'the daemon does not let the gateway in'};
  }

  /** Hands on an event of the follower. */
  told(event) {
    const {session, name} = this;
    if (event.kind === 'diff') {
      this.diffs.tell([event.changed]);
      session.tell({kind: 'table', table: name});
    } else if (event.kind === 'reset') {
      this.endDrags(event.why);
      this.resets.tell({why: event.why});
      session.tell({kind: 'table', table: name});
    } else {
      if (event.kind === 'compared') this.relation = event.relation;
      session.tell({...event, kind: 'freshness', what: event.kind, table: name});
    }
  }

  /** Whose table has gone holds nothing any more: nobody tells of the end of its leases. */
  endDrags(why) {
    const history = this.table?.history;
    if (history === this.historyNow) return;
    this.historyNow = history;
    for (const drag of [...this.drags.values()])
      drag.hasEnded({reason: why, saying: {key: 'putDown.board'}, dropped: false});
  }

  // Presence.

  /** The viewers and drags, as far as they are certain. */
  get presence() {
    const {state} = this.freshness();
    if (state !== 'live' && state !== 'catchingUp') return {viewers: [], leases: []};
    return {viewers: this.known.viewers, leases: this.known.leases};
  }

  present(body) {
    try {
      this.known.heard(body);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      this.follower.counts.malformed += 1;
    }
  }

  leaseEnded(event) {
    this.drags.get(event.lease)?.hasEnded(event);
    this.ends.tell(event);
  }

  // Commands.

  /** A promise of the reply to a command, or to `more.batch`; it never rejects. */
  send(command, more = {}) {
    const {batch, ...rest} = more;
    const request = batch ? {batch: {commands: batch, ...rest}} : {command: {...command, ...rest}};
    const [verb] = Object.keys(batch ? batch[0] ?? {} : command);
    return this.session.submit(this.name, request, verb);
  }

  undo(body = {}) { return this.send({undo: body}); }

  redo(body = {}) { return this.send({redo: body}); }

  recall(rows) { return this.send({recall: {rows}}); }

  history(filters = {}) { return this.session.ask('history', filters, this.name); }

  who() { return this.session.ask('who', {}, this.name); }

  get pending() { return this.session.pendingOf(this.name); }

  get outcomes() { return this.session.outcomes.filter((one) => one.table === this.name); }

  dismiss(outcome) { this.session.dismiss(outcome); }

  // Drags.

  /** A promise of {ok: true, drag}, or of the refusal. */
  async lift(rows, ttl = 10) {
    const {session, name} = this;
    const ask = (step) => session.askPassing('drag', step, name);
    const reply = await ask({lift: {rows, ttl}});
    if (codeOf(reply) || typeof reply.lease?.lease !== 'string') {
      return codeOf(reply) ? reply : {ok: false, error: {code: 'malformed', message: 'No lease.'}};
    }
    const {timers, clock} = session.io;
    const drag = new Drag({...reply.lease, rows}, {
      ask,
      timers,
      clock,
      submit: (step) => session.submit(name, {drag: step}, 'drop'),
      over: (ended) => this.drags.delete(ended.lease),
    });
    this.drags.set(drag.lease, drag);
    return {ok: true, drag};
  }

  onDiffs(f) { return this.diffs.add(f); }
  onReset(f) { return this.resets.add(f); }
  onEnded(f) { return this.ends.add(f); }

  // The session's.

  tick() {
    this.follower.tick();
    this.attendance.tick();
    const {state} = this.freshness();
    if (state === 'stale') this.known.forget('the daemon is not heard');
    if (state === this.state) return;
    // Time has brought it about, and nothing that was heard: nobody else tells of it.
    this.state = state;
    this.session.tell({kind: 'freshness', table: this.name});
  }

  opened(heartbeatMs) {
    this.attendance.anew();
    this.follower.opened(heartbeatMs);
  }

  closedConnection() {
    this.follower.closedConnection();
    this.known.forget('the connection was lost');
  }

  /** Left as often as it was followed: then it is left for good. */
  close() { this.session.leaveBoard(this); }

  end() {
    for (const drag of this.drags.values()) drag.cancel();
    this.attendance.leave();
    this.follower.close();
  }
}
