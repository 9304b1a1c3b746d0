// A world for the sync core without real time: a model daemon, a model gateway with faults, and
// pages that freeze, sleep and are loaded again. Everything is decided by a seed.

import {openSession} from '../../web/src/sync/session.js';
import {memoryStorage} from '../../web/src/sync/storage.js';
import {Dice} from './dice.mjs';
import {Daemon, HEARTBEAT, Time} from './model_daemon.mjs';

export {Time} from './model_daemon.mjs';

/** Between pages and the daemon: loses, doubles, delays, freezes. */
export class Gateway {
  constructor(world) {
    this.world = world;
    this.sockets = new Set();
    this.frozenUntil = 0;
    this.loss = 0;
    this.last = null;
    this.owners = new Map();
  }

  /** After a delay; later still while the gateway stands still. */
  after(ms, f, page) {
    const {time} = this.world;
    const wait = Math.max(ms, this.frozenUntil - time.now + ms);
    time.at(wait, f, page);
  }

  connect(page) {
    const {world} = this;
    const socket = {page, open: true, follows: false};
    socket.send = (frame) => this.after(world.dice.below(20), () => this.heard(socket, frame));
    socket.close = () => {
      this.sockets.delete(socket);
      socket.open = false;
    };
    this.sockets.add(socket);
    this.after(5, () => this.device(socket));
    return socket;
  }

  device(socket) {
    const {daemon} = this.world;
    this.give(socket,
      `device\n${
        JSON.stringify(
          {device: 'grill', prefix: 'web-1-', assets: 'a', hello: daemon.alive ? daemon.hello() : null})}`);
  }

  give(socket, frame) {
    // TCP keeps the order.
    socket.ready = Math.max(socket.ready ?? 0, this.world.time.now + this.world.dice.below(10));
    this.world.time.at(socket.ready - this.world.time.now, () => {
      if (socket.open) socket.onmessage?.({data: frame});
    }, socket.page);
  }

  heard(socket, frame) {
    const at = frame.indexOf('\n'), head = frame.slice(0, at), rest = frame.slice(at + 1);
    if (head === 'follow board') {
      socket.follows = true;
      if (this.last) this.give(socket, `pub j/board/\n${this.last}`);
    } else if (head === 'leave board') {
      socket.follows = false;
    } else if (head === 'ping') {
      this.give(socket, `pong\n${rest}`);
    } else if (head === 'request') {
      this.owners.set(JSON.parse(rest).client, socket);
      // Never two copies of what was sent once: no link does that to a request.
      if (!this.world.dice.chance(this.loss)) this.ask(rest);
    }
  }

  copies() {
    const {dice} = this.world;
    if (dice.chance(this.loss)) return 0;
    return dice.chance(this.loss) ? 2 : 1;
  }

  ask(text) {
    const {world} = this, {daemon, dice} = world;
    const arrive = () => {
      if (!daemon.alive) return;
      if (!daemon.runs) {
        world.time.at(daemon.frozenUntil - world.time.now, arrive);
        return;
      }
      const reply = daemon.asked(text);
      for (let n = this.copies(); n > 0; n--) {
        this.after(dice.below(this.loss ? 400 : 20), () => {
          const socket = this.owners.get(reply.client);
          if (socket?.open) this.give(socket, `reply\n${JSON.stringify(reply)}`);
        });
      }
    };
    world.time.at(dice.below(30), arrive);
  }

  published(text) {
    this.after(2, () => {
      this.last = text;
      for (const socket of this.sockets) {
        if (socket.follows && !this.world.dice.chance(this.loss)) {
          this.give(socket, `pub j/board/\n${text}`);
        }
      }
    });
  }

  restarted() {
    for (const socket of this.sockets) this.device(socket);
  }

  cut() {
    for (const socket of [...this.sockets]) {
      socket.open = false;
      this.sockets.delete(socket);
      this.world.time.at(this.world.dice.below(50), () => socket.onclose?.({}), socket.page);
    }
  }
}

/** A page: what it keeps outlives it. */
export class Page {
  constructor(world, records, number) {
    this.world = world;
    this.frozenUntil = 0;
    this.slept = 0;
    this.gone = false;
    const {time, dice, gateway} = world;
    const holds = world.holds;
    this.session = openSession({
      url: 'ws',
      socket: () => gateway.connect(this),
      fetch: null,
      name: 'ada',
      assets: 'a',
      storage: memoryStorage({records, holds, page: this}),
      now: () => time.now,
      clock: () => time.now - this.slept,
      random: () => dice.next(),
      turn: () => Promise.resolve(),
      timers: {
        set: (f, ms) => time.at(ms, f, this),
        clear: (event) => {
          if (event) event.off = true;
        }
      },
    });
    this.board = this.session.follow('board');
    this.made = 0;
    this.number = number;
  }

  freeze(ms, sleeps) {
    this.frozenUntil = this.world.time.now + ms;
    if (sleeps) this.slept += ms;
  }

  /** It is closed, or loaded anew: without a word. */
  die() {
    this.gone = true;
    for (const socket of this.world.gateway.sockets) {
      if (socket.page === this) socket.close();
    }
    for (const [name, page] of this.world.holds) {
      if (page === this) this.world.holds.delete(name);
    }
  }

  act() {
    const {dice, submitted} = this.world;
    const tag = `p${this.number}-${this.made++}`;
    const rows = this.board.table?.sections[0]?.rows ?? [];
    const row = rows.length ? dice.pick(rows).id : 'nobody';
    const what = dice.next();
    if (what < 0.6) {
      const one = {tag, reply: null, page: this};
      submitted.set(tag, one);
      this.board.send({add: {id: tag, title: tag}}).then((reply) => {
        one.reply = reply;
      });
    } else {
      this.board.send(what < 0.8 ? {move: {rows: [row], top: true}} : {remove: {rows: [row]}});
    }
  }
}

export class World {
  constructor(seed) {
    this.dice = new Dice(seed);
    this.time = new Time();
    this.holds = new Map();
    this.records = new Map();
    this.submitted = new Map();
    this.lies = [];
    this.outcomes = [];
    this.gateway = new Gateway(this);
    this.daemon = new Daemon(this);
    this.daemon.start();
    this.pages = [];
    this.pageCount = 0;
    this.live = 0;
    this.frames = 0;
  }

  open() {
    const page = new Page(this, this.records, this.pageCount++);
    page.session.onChange((event) => {
      if (event.kind === 'outcome') this.outcomes.push(event);
    });
    this.pages.push(page);
    return page;
  }

  /** What a page would draw now, held against the truth. */
  look() {
    for (const page of this.pages) {
      if (page.gone || this.time.now < page.frozenUntil) continue;
      const {table} = page.board;
      const {state} = page.board.freshness();
      this.frames += 1;
      if (state !== 'live') continue;
      this.live += 1;
      const until = this.daemon.truth.get(`${table.history} ${table.digest}`) ?? -1;
      const late = this.time.now - until;
      if (late > 3 * HEARTBEAT + 100) {
        const when = `at ${this.time.now} page ${page.number} says live`;
        this.lies.push(`${when}, ${late} ms after the truth ended`);
      }
    }
  }
}
