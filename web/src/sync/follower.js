// Keeps a table what the daemon has (docs/PROTOCOL.md, "Joining", "Following" and "Restarts").
//
//     joining - first publication -> snapshot -> following - gap -> replay -> following
//                                       ^           | another epoch -> offer -'  |
//                                       '-- does not fit, too far behind, other -'
//
// Publications come in by `published`; one `work` at a time goes through what they ask for.

import {Wrong} from '../model/hash.js';
import {NOWHERE, Proof, freshness} from '../model/freshness.js';
import {codeOf} from './frames.js';
import {isTableName, publication} from './news.js';
import {Absent, Failed, Turns, takeSnapshot} from './snapshots.js';
import {offer, prove, proveAbsence} from './standing.js';

const MOST_HELD = 4096;
const LONG_GAP = 1000;
/** Milliseconds of work before others, as those who draw, have their turn. To draw takes longer than most diffs. */
const TURN_MS = 24;

export class Follower {
  /**
   * `io`: {clock, wall, timers, random, turn, fetchIt, ask, say}; `tell(event)` hears what
   * happens.
   */
  constructor(name, io, tell) {
    Object.assign(this, {name, io, tell});
    this.table = null;
    this.phase = 'joining';
    this.proof = new Proof();
    this.counts = {snapshots: 0, replays: 0, offers: 0, gaps: 0, wrong: 0, malformed: 0, diffs: 0};
    this.connected = this.closed = false;
    this.held = [];
    this.left = []; // histories that were dropped, or that others came after
    this.epoch = this.broken = '';
    this.setbacks = this.silences = 0;
    this.followedAt = this.heardAt = 0;
    this.working = this.proving = false;
    this.isAsked = this.mayGoOn = false;
    this.wakeUp = null;
  }

  now() { return {clock: this.io.clock(), wall: this.io.wall()}; }

  freshness() {
    const {state, why} = freshness({
      connected: this.connected,
      phase: this.phase,
      // A text that is no name of a table needs no proof.
      ageMs: isTableName(this.name) ? this.proof.age(this.now()) : 0,
      heartbeatMs: this.proof.heartbeatMs,
      broken: this.broken,
      waiting: this.held.length > 0 || this.table?.isSettled === false,
      heardMs: this.heardAt > 0 ? this.io.clock() - this.heardAt : Infinity,
      shows: this.table !== null,
      hasSlept: this.proof.hasSlept
    });
    if (state === 'live' || NOWHERE.has(state)) this.goodAt = this.io.clock();
    this.goodAt ??= this.io.clock();
    return {state, why, sinceMs: this.io.clock() - this.goodAt, behind: this.held.length};
  }

  // The connection.

  opened(heartbeatMs) {
    this.connected = true;
    this.proof.heartbeatMs = heartbeatMs;
    this.proof.forget();
    this.silences = 0;
    this.follow();
    if (this.phase !== 'snapshot') this.compare();
    this.work();
  }

  closedConnection() {
    this.connected = false;
    this.newJob();
    this.proof.forget();
    this.wake();
  }

  close() {
    this.closed = true;
    this.newJob();
    if (this.connected) this.leaveTopic();
    this.wake();
  }

  follow() {
    this.followedAt = this.io.clock();
    if (!isTableName(this.name)) this.phase = 'absent';
    else this.io.say(`follow ${this.name}`);
  }

  leaveTopic() {
    if (isTableName(this.name)) this.io.say(`leave ${this.name}`);
  }

  /** The page has slept, or was hidden: nothing is certain before it is proven anew. */
  slept() {
    this.proof.forget(true);
    this.tell({kind: 'freshness'});
    this.tick();
  }

  /** From time to time: subscribes anew where nothing comes, and asks for a proof. */
  tick() {
    if (!this.connected || this.closed) return;
    const now = this.io.clock(), beat = this.proof.heartbeatMs;
    const pause = Math.min(10, 3.2 * 2 ** this.silences) * beat;
    if (now - Math.max(this.heardAt, this.followedAt) > pause) {
      this.silences = Math.min(this.silences + 1, 9);
      // The gateway tells again what it heard last: that is no sign of life. Where there is no
      // table there are no heartbeats, and the proof is of questions alone.
      if (this.phase !== 'absent') this.proof.forget(true);
      this.leaveTopic();
      this.follow();
    }
    const isAbsenceOld = this.phase === 'absent' && this.proof.age(this.now()) > beat;
    if (isAbsenceOld || (this.phase === 'following' && this.proof.dueIn(this.now()) === 0)) this.prove();
    this.work();
  }

  /** In how many milliseconds there may be something to do for `tick`, if nothing is heard until then. */
  get restMs() { return this.phase === 'following' && !this.broken ? this.proof.dueIn(this.now()) : 0; }

  /** Asks for a proof that this is what the daemon has, or that it has no such table. */
  prove() {
    const ask = this.phase === 'absent' ? proveAbsence : prove;
    return ask(this).catch((error) => this.malformed(error.message));
  }

  // Publications.

  published(news) {
    try {
      publication(news);
    } catch (error) {
      this.malformed(error.message);
      return;
    }
    const history = news.history ?? '';
    if (news.table !== undefined && news.table !== this.name) return;
    this.heardAt = this.io.clock();
    this.silences = 0;
    // It was on its way. A heartbeat is of now: the table is there again.
    if (this.left.includes(history) && !news.heartbeat) return;
    if (news.epoch !== this.epoch) this.restarted(news.epoch);
    if (news.dropped || !history) {
      this.dropped(history);
      return;
    }
    for (const diff of news.diffs ?? []) this.hold({history, epoch: news.epoch, diff});
    const head = news.heartbeat ?? news.welcome;
    // It may wait for an answer: what it proves, it proves of when it was heard.
    if (head) this.hold({history, epoch: news.epoch, head, beat: news.heartbeat && this.now()});
    if (this.phase === 'joining' || NOWHERE.has(this.phase)) this.step('snapshot');
    this.work();
  }

  /** A message that is no publication counts as lost, and is reported. */
  malformed(why) {
    this.counts.malformed += 1;
    this.wrong(`a publication that is none: ${why}`);
    this.work();
  }

  /** The gateway has left publications out, since this page read too slowly. */
  someDropped() {
    this.counts.gaps += 1;
    this.prove();
  }

  hold(news) {
    this.held.push(news);
    if (this.held.length > MOST_HELD) this.held.shift();
  }

  dropped(history) {
    if (history) this.leave(history);
    if (!this.table || this.table.history === history || !history) this.gone();
    else this.step('snapshot');
    this.work();
  }

  leave(history) {
    this.left.push(history);
    if (this.left.length > 16) this.left.shift();
  }

  gone(phase = 'absent', why = 'there is no such table') {
    this.table = null;
    this.held = [];
    this.broken = '';
    this.step(phase);
    this.tell({kind: 'reset', why});
  }

  forbidden() {
    if (this.phase === 'forbidden') return;
    this.gone('forbidden', 'this device may not see that table');
  }

  /** Another epoch: the daemon was started anew. */
  restarted(epoch) {
    this.epoch = epoch;
    this.held = [];
    this.proof.forget();
    if (this.table && this.phase !== 'snapshot') this.compare();
    else if (this.phase === 'snapshot') this.step('snapshot');
  }

  compare() {
    if (this.table && this.phase !== 'absent') this.step('offer');
  }

  // Work, one thing at a time.

  step(phase, why) {
    this.phase = phase;
    this.newJob();
    if (why) this.broken = why;
    this.wake();
    this.tell({kind: 'freshness'});
  }

  /** The work at the phase before stops, also where it waits for a response. */
  newJob() {
    this.job?.abort();
    this.job = new AbortController();
  }

  wake() { this.wakeUp?.(); }

  /** A pause that ends early when something has changed. */
  pause(ms) {
    return new Promise((resolve) => {
      const timer = this.io.timers.set(() => this.wakeUp?.(), ms);
      this.wakeUp = () => {
        this.wakeUp = null;
        this.io.timers.clear(timer);
        resolve();
      };
    });
  }

  async work() {
    this.isAsked = true;
    if (this.working) return;
    this.working = true;
    const {clock, turn} = this.io;
    let until = clock() + TURN_MS;
    try {
      // A request for work while it goes on means that there is something new.
      while (this.connected && !this.closed && (this.isAsked || this.mayGoOn)) {
        this.isAsked = false;
        this.mayGoOn = await this.workOnce();
        if (this.held.length === 0 || clock() < until) continue;
        await turn();
        until = clock() + TURN_MS;
      }
    } catch (error) {
      this.wrong(`it could not be applied: ${error.message}`);
      this.io.timers.set(() => this.work(), 1000);
    } finally {
      this.working = false;
    }
  }

  /** Whether there may be more to do. */
  async workOnce() {
    if (!this.job) this.newJob();
    if (this.phase === 'snapshot') await this.snapshot(this.job);
    else if (this.phase === 'replay') await this.replay(this.job);
    else if (this.phase === 'offer') await offer(this, this.job);
    else if (this.phase === 'following' && this.held.length) await this.take(this.held.shift());
    else return false;
    return true;
  }

  goesOn(job) { return this.connected && !this.closed && this.job === job; }

  setback() {
    this.setbacks = Math.min(this.setbacks + 1, 8);
    return Math.min(5000, 20 * 2 ** this.setbacks) * (0.5 + 0.5 * this.io.random());
  }

  async snapshot(job) {
    if (this.broken || this.setbacks) await this.pause(this.setback());
    if (!this.goesOn(job)) return;
    this.counts.snapshots += 1;
    const {clock, turn, fetchIt, timers} = this.io;
    try {
      const table = await takeSnapshot(this.name, {
        clock,
        turn,
        timers,
        ask: this.io.ask,
        signal: job.signal,
        fetchIt: this.setbacks < 2 && fetchIt,
        goesOn: () => this.goesOn(job)
      });
      if (this.goesOn(job)) this.install(table);
    } catch (error) {
      if (!this.goesOn(job)) return;
      if (error instanceof Absent) this.gone();
      else if (error instanceof Wrong) this.wrong(error.message);
      else if (error instanceof Failed) await this.pause(this.setback());
      else throw error;
    }
  }

  install(table) {
    if (this.table && this.table.history !== table.history) this.leave(this.table.history);
    this.left = this.left.filter((history) => history !== table.history);
    if (this.epoch && table.epoch !== this.epoch) {
      // A snapshot of before the restart, or the first news of it: the offer tells.
      this.table = table;
      this.tell({kind: 'reset', why: 'a snapshot'});
      this.step('offer');
      return;
    }
    this.table = table;
    this.epoch = table.epoch;
    this.broken = '';
    this.step('following');
    this.tell({kind: 'reset', why: 'a snapshot'});
    this.prove();
  }

  headNews(revision) { return {history: this.table.history, epoch: this.epoch, head: {revision}}; }

  async replay(job) {
    const table = this.table;
    this.counts.replays += 1;
    const body = {history: table.history, since: table.revision};
    const reply = await this.io.ask('replay', body, this.name, 10000);
    if (!this.goesOn(job)) return;
    const code = codeOf(reply);
    if (code === 'noSuchTable') this.gone();
    else if (code === 'notConnected' || code === 'timeout') await this.pause(this.setback());
    else if (code || reply.epoch !== this.epoch) this.step(code ? 'snapshot' : 'offer');
    else this.replayed(reply.replay ?? {});
  }

  replayed(replay) {
    const {history, revision} = this.table, epoch = this.epoch;
    const diffs = replay.publication?.diffs;
    if (!Array.isArray(diffs) || !diffs.some((diff) => diff?.base === revision)) {
      this.setbacks += 1;
      this.step('snapshot');
      return;
    }
    const news = diffs.map((diff) => ({history, epoch, diff}));
    const head = Number.isSafeInteger(replay.head) ? [this.headNews(replay.head)] : [];
    this.held = [...news, ...this.held, ...head];
    this.step('following');
  }

  /** One diff or head, in the order in which they came. */
  async take(news) {
    const table = this.table;
    if (!table || news.epoch !== this.epoch) return;
    if (news.history !== table.history) {
      this.step('snapshot');
    } else if (news.head) {
      this.compareHead(news);
    } else if (news.diff.base > table.revision) {
      this.held.unshift(news);
      this.gap(news.diff.base);
    } else if (!(news.diff.base < table.revision)) {
      await this.apply(news.diff);
    }
  }

  /** A head proves a gap, and never closes one. */
  compareHead({head, beat}) {
    const table = this.table;
    const revision = head.revision ?? 0;
    if (revision > table.revision) {
      this.gap(revision);
    } else if (revision === table.revision) {
      if ((head.digest ?? table.digest) !== table.digest) {
        this.wrong('another digest in a heartbeat');
        return;
      }
      if (head.digest) this.setbacks = 0;
      if (beat) this.proof.heartbeat(beat);
      this.tell({kind: 'freshness'});
    }
  }

  async apply(diff) {
    const table = this.table, job = this.job;
    try {
      const {clock, turn} = this.io;
      const turns = new Turns({clock, turn});
      const changed = await turns.run(table.opSteps(diff));
      const digest = await turns.run(table.digestSteps());
      if (changed.rows.length > 500) await turn(); // for those who draw them
      table.settle(diff, digest);
      if (this.table !== table) return;
      this.setbacks = 0;
      this.counts.diffs += 1;
      this.tell({kind: 'diff', changed});
    } catch (error) {
      table.isSpoiled = true;
      if (!(error instanceof Wrong)) throw error;
      if (this.table === table && this.job === job) this.wrong(error.message);
      else this.broken = error.message;
    }
  }

  /** Diffs are missing, up to `head`. Where they are more than the rows, a snapshot is less. */
  gap(head) {
    this.counts.gaps += 1;
    const isLong = head - this.table.revision > Math.max(LONG_GAP, this.table.size);
    this.step(isLong ? 'snapshot' : 'replay');
  }

  /** Says so, counts it, and joins again: ever more slowly, and not all viewers in step. */
  wrong(why) {
    this.counts.wrong += 1;
    this.tell({kind: 'wrong', why});
    if (this.phase !== 'joining' && !NOWHERE.has(this.phase)) this.step('snapshot', why);
  }
}
