// Virtual time, and a daemon of one table in it: what the page is held against in the simulation.

import {Table} from '../../web/src/model/table.js';
import './replica.mjs';

export const HEARTBEAT = 1000;
const KIND = {
  id: 'row',
  digest: '561a9447a7952773',
  states: [{name: 'collapsed'}]
};
const KEPT_DIFFS = 40;

const settled = () => new Promise((resolve) => {
  setImmediate(resolve);
});

/** Virtual time: what is due is done in order, and promises are settled in between. */
export class Time {
  constructor() {
    this.now = 0;
    this.queue = [];
    this.order = 0;
  }

  at(ms, f, page) {
    const event = {when: this.now + Math.max(0, ms), order: this.order++, f, page, off: false};
    this.queue.push(event);
    return event;
  }

  next(end) {
    let best = null;
    for (const event of this.queue) {
      const when = Math.max(event.when, event.page?.frozenUntil ?? 0);
      if (event.off || when > end) continue;
      if (!best || when < best.when || (when === best.when && event.order < best.event.order)) {
        best = {when, event};
      }
    }
    return best;
  }

  async run(end) {
    for (let best = this.next(end); best; best = this.next(end)) {
      this.queue = this.queue.filter((one) => one !== best.event && !one.off);
      this.now = Math.max(this.now, best.when);
      if (!best.event.page?.gone) best.event.f();
      await settled();
    }
    this.now = end;
  }
}

/** One table; commands are carried out once for each client and number, as the protocol says. */
export class Daemon {
  constructor(world) {
    this.world = world;
    this.window = 4;
    this.clients = new Map();
    this.executed = new Map();
    this.epochs = 0;
    this.alive = false;
    this.frozenUntil = 0;
    this.diskFull = false;
    /** Until when a history and digest were the truth; Infinity while they are. */
    this.truth = new Map();
    this.problems = [];
    this.create();
  }

  create() {
    this.table = new Table('board');
    this.table.history = `h${this.world.time.now}-${this.epochs}`;
    this.table.kinds.set('row', KIND);
    this.table.settings = {digest: 'f33a72af52251878'};
    this.table.addSection('main', 'main');
    this.table.digest = this.table.computeDigest();
    this.diffs = [];
    this.truthBegins();
  }

  get key() { return `${this.table.history} ${this.table.digest}`; }

  get runs() { return this.alive && this.world.time.now >= this.frozenUntil; }

  truthEnds() {
    if (this.truthOf === undefined) return;
    this.truth.set(this.truthOf, this.world.time.now);
    this.truthOf = undefined;
  }

  truthBegins() {
    if (!this.alive) return;
    this.truthOf = this.key;
    this.truth.set(this.truthOf, Infinity);
  }

  start() {
    this.epochs += 1;
    this.table.epoch = `e${this.epochs}`;
    this.alive = true;
    this.frozenUntil = 0;
    this.beats = {};
    const beats = this.beats;
    const beat = () => {
      if (this.beats !== beats) return;
      if (this.runs) this.publish({heartbeat: this.head()});
      this.world.time.at(HEARTBEAT, beat);
    };
    this.world.time.at(HEARTBEAT * this.world.dice.next(), beat);
    this.truthBegins();
  }

  kill() {
    this.truthEnds();
    this.alive = false;
    this.beats = null;
  }

  freeze(ms) {
    this.truthEnds();
    this.frozenUntil = Math.max(this.frozenUntil, this.world.time.now + ms);
    this.world.time.at(ms, () => {
      if (this.runs) this.truthBegins();
    });
  }

  hello() {
    return {
      opened: 7,
      epoch: this.table.epoch,
      heartbeatMs: HEARTBEAT,
      limits: {repliesPerSession: this.window, requestBytes: 1 << 20}
    };
  }

  head() { return {revision: this.table.revision, digest: this.table.digest, oldest: 0}; }

  publish(body) {
    const {history, epoch} = this.table;
    this.world.gateway.published(JSON.stringify({table: 'board', history, epoch, ...body}));
  }

  /** Drops the table and makes it anew: another history. */
  remake() {
    this.truthEnds();
    this.publish({dropped: {}});
    this.create();
    this.table.epoch = `e${this.epochs}`;
    this.publish({welcome: this.head()});
  }

  asked(text) {
    const request = JSON.parse(text);
    const {client, number} = request;
    const {history, epoch, revision} = this.table;
    const reply = {client, number, table: 'board', history, epoch, revision};
    if (request.command) return this.command(request, text, reply);
    return {...reply, ...this.read(request)};
  }

  read(request) {
    const {table} = this;
    if (request.snapshot) {
      const slices = table.sections.map(({id, title, rows}) => ({section: id, title, rows}));
      return {
        ok: true,
        snapshot: {id: 's', chunk: 0, chunks: 1, ...this.head(), kinds: [KIND], settings: table.settings, slices}
      };
    }
    if (request.replay) {
      const {history, since} = request.replay;
      const from = this.diffs.findIndex((diff) => diff.base === since);
      if (history !== table.history) return {ok: false, error: {code: 'otherHistory', message: ''}};
      if (from < 0) return {ok: false, error: {code: 'compacted', message: ''}};
      return {ok: true, replay: {head: table.revision, publication: {diffs: this.diffs.slice(from, from + 5)}}};
    }
    if (request.offer) {
      const {history, revision, digest} = request.offer;
      let relation = 'diverged';
      if (history === table.history) {
        if (revision === table.revision) relation = digest === table.digest ? 'same' : 'diverged';
        else if (revision < table.revision) relation = 'extend';
        else relation = 'rolledBack';
      }
      return {ok: true, standing: {relation, head: table.revision}};
    }
    return {ok: true};
  }

  command(request, text, reply) {
    const {client, number} = request;
    if (!this.clients.has(client)) this.clients.set(client, {answers: new Map(), gone: 0});
    const {answers, gone} = this.clients.get(client);
    const known = answers.get(number);
    if (this.diskFull) return {...reply, ok: false, error: {code: 'diskFull', message: 'full'}};
    if (known && known.text === text) return known.reply;
    if (known) {
      this.problems.push(`number ${number} of ${client} came with other bytes`);
      return {...reply, ok: false, error: {code: 'numberReused', message: ''}};
    }
    if (number <= gone) return {...reply, ok: false, error: {code: 'unknown', message: 'forgotten'}};
    const answer = {...reply, ...this.carryOut(request)};
    answers.set(number, {text, reply: answer});
    if (answers.size > this.window) {
      const first = Math.min(...answers.keys());
      answers.delete(first);
      this.clients.get(client).gone = Math.max(gone, first);
    }
    return answer;
  }

  carryOut({command, client, number}) {
    const {table} = this, rows = table.sections[0].rows;
    let op = null, tag = null;
    if (command.add) {
      tag = command.add.title;
      const row = {id: command.add.id, kind: 'row', title: tag, createdMs: 1};
      if (!table.row(row.id)) op = {insert: {row, section: 'main'}};
    } else if (command.remove && table.row(command.remove.rows[0])) {
      op = {remove: {row: command.remove.rows[0]}};
    } else if (command.move && table.row(command.move.rows[0])) {
      op = {move: {rows: command.move.rows, section: 'main'}};
    }
    if (!op) {
      if (tag) this.executed.set(tag, (this.executed.get(tag) ?? 0) + 1);
      return {ok: false, error: {code: tag ? 'exists' : 'noSuchRow', message: ''}};
    }
    if (tag) this.executed.set(tag, (this.executed.get(tag) ?? 0) + 1);
    this.truthEnds();
    const diff = {
      base: table.revision,
      cause: {client, number, timeMs: 5 + Math.floor(this.world.time.now)},
      ops: [op]
    };
    table.applyOps(diff);
    diff.digest = table.computeDigest();
    table.settle(diff, diff.digest);
    this.diffs = [...this.diffs.slice(-KEPT_DIFFS), diff];
    this.truthBegins();
    this.publish({diffs: [diff]});
    return {ok: true, revision: table.revision, rows: rows.length ? [] : undefined};
  }
}
