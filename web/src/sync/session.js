// A session of the page with the gateway: one socket, the boards on it, commands and questions.

import {Board, Listeners} from './board.js';
import {numberOf, parseFrame, parseObject, refusal, textOf} from './frames.js';
import {Questions} from './questions.js';
import {DaemonTime} from './time.js';
import {browserStorage} from './storage.js';
import {Writer} from './writer.js';

const TICK_MS = 250, REST_MS = 900, PING_MS = 4000, SILENT_MS = 12000;
const FIRST_PAUSE = 250, LONGEST_PAUSE = 8000, SLEPT_MS = 2500;
/** Numbers of requests that pass, so that replies are told from those to commands. */
const PASSING = 2 ** 40;
/** Ends after which there is no use in trying again. */
const FINAL = new Set(['revoked', 'unpaired', 'notPaired']);

function randomId(random) {
  let id = '';
  while (id.length < 16) id += Math.floor(random() * 36 ** 6).toString(36).padStart(6, '0');
  return id.slice(0, 16);
}

/** A turn of the event loop, in which others have theirs. Without channels it takes some milliseconds more. */
export function browserTurn() {
  return new Promise((resolve) => {
    if (typeof MessageChannel !== 'function') {
      setTimeout(resolve);
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

const cryptoRandom = () => crypto.getRandomValues(new Uint32Array(1))[0] / 4294967296;

class Session {
  constructor(options) {
    const {url, socket, fetch: fetchIt, storage, now, clock, timers, random, turn, name, assets} = options;
    this.url = url;
    this.makeSocket = socket ?? ((where, protocol) => new WebSocket(where, protocol));
    this.name = name;
    this.assets = assets;
    this.device = null;
    this.connection = 'connecting';
    this.ended = null;
    this.newAssets = false;
    this.isDaemonUp = false;
    /** The daemon answers the gateway, and does not let it in. */
    this.isTurnedAway = false;
    this.outcomes = [];
    this.malformed = 0;
    this.boards = new Map();
    this.early = [];
    this.asking = [];
    this.listeners = new Listeners();
    this.socket = null;
    this.attempts = 0;
    this.io = {
      clock: clock ?? (() => performance.now()),
      wall: now ?? (() => Date.now()),
      timers: timers ?? {set: (f, ms) => setTimeout(f, ms), clear: (timer) => clearTimeout(timer)},
      random: random ?? cryptoRandom,
      turn: turn ?? browserTurn,
      fetchIt: fetchIt === undefined ?
        (path, more) => fetch(path, {credentials: 'same-origin', cache: 'no-store', ...more}) :
        fetchIt,
      ask: (verb, body, table, timeoutMs) => this.ask(verb, body, table, timeoutMs),
      say: (frame) => this.say(`${frame}\n`),
    };
    this.time = new DaemonTime(this.io);
    this.storageGiven = storage;
    this.begin();
  }

  async begin() {
    const {clock, wall, timers, random} = this.io;
    this.lastTick = this.times();
    this.rest = TICK_MS;
    // The storage opens while the socket does: what is heard before waits for it.
    this.connect();
    this.storage = this.storageGiven ?? await browserStorage();
    const send = (text) => this.say(`request\n${text}`);
    this.writer = new Writer({
      storage: this.storage,
      send,
      clock,
      wall,
      timers,
      random,
      newId: () => randomId(random),
      hello: () => this.questions.ask('hello', {}),
      changed: () => this.tell({kind: 'pending'}),
      carriedOut: ({table, request}) => this.tell({kind: 'carriedOut', table, command: request.command}),
      outcome: (one) => {
        this.outcomes.push(one);
        this.tell({kind: 'outcome', table: one.table, outcome: one});
      }
    });
    this.tick();
    for (const data of this.early.splice(0)) this.heard(data);
  }

  tell(event) { this.listeners.tell(event); }

  times() { return {clock: this.io.clock(), wall: this.io.wall()}; }

  // The socket.

  connect() {
    if (this.closed || this.ended || this.socket) return;
    this.io.timers.clear(this.reconnecting);
    this.setConnection('connecting');
    let socket;
    try {
      socket = this.makeSocket(this.url, 'trestle.1');
    } catch {
      this.later();
      return;
    }
    this.socket = socket;
    this.heardAt = this.pingedAt = this.io.clock();
    const mine = (f) => (event) => {
      if (this.socket === socket) f(event);
    };
    socket.onmessage = mine((event) => this.heard(event.data));
    socket.onclose = mine(() => this.lost());
    // An error ends every WebSocket; not every one says afterwards that it is closed.
    socket.onerror = mine(() => this.lost());
  }

  say(frame) {
    try {
      this.socket?.send(frame);
    } catch {
      // It is closing: its end is told by an event of its own.
    }
  }

  /** The connection has ended: everything that stands on it is told, then it is made anew. */
  lost() {
    const socket = this.socket;
    if (!socket) return;
    this.socket = null;
    this.isOpen = this.isDaemonUp = this.isTurnedAway = false;
    try {
      socket.close();
    } catch {
      // It is closed already.
    }
    this.early = [];
    this.writer?.closed();
    for (const one of this.asking) one.closed();
    for (const board of this.boards.values()) board.closedConnection();
    if (this.ended || this.closed) this.setConnection('ended');
    else this.later();
  }

  later() {
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.attempts);
    this.attempts = Math.min(this.attempts + 1, 16);
    this.setConnection('waiting');
    this.io.timers.clear(this.reconnecting);
    this.reconnecting = this.io.timers.set(() => this.connect(), longest * (0.5 + 0.5 * this.io.random()));
  }

  setConnection(connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    this.tell({kind: 'connection'});
  }

  heard(data) {
    if (!this.writer) {
      this.early.push(data);
      return;
    }
    this.heardAt = this.io.clock();
    this.looksAwake();
    const frame = parseFrame(data);
    const take = frame && Object.hasOwn(TAKES, frame.verb) && TAKES[frame.verb];
    if (!take) {
      this.malformed += 1;
      return;
    }
    try {
      take(this, frame);
    } catch (error) {
      // Whatever the gateway sends: it is counted, and the page lives.
      this.malformed += 1;
      globalThis.reportError?.(error);
    }
  }

  met(device) {
    const {prefix} = device;
    if (typeof prefix !== 'string' || prefix === '') {
      this.malformed += 1;
      return;
    }
    const hello = typeof device.hello === 'object' ? device.hello : null;
    this.device = {...device, hello};
    this.assets ??= device.assets;
    this.newAssets = device.assets !== this.assets;
    this.attempts = 0;
    this.isDaemonUp = hello !== null;
    this.writer.met(prefix, hello);
    this.tell({kind: 'device'});
    if (!hello || !this.writer.identity) return;
    this.introduce(this.writer.identity.client);
    this.setHeartbeat(hello);
    if (this.isOpen) this.writer.again();
    else this.open();
    // A listener that hears of it may ask at once.
    this.setConnection('open');
  }

  /** Questions go out under client ids of their own, beside that of commands. */
  introduce(client) {
    if (this.questions?.client === `${client}-r`) return;
    for (const one of this.asking) one.closed();
    const {clock, timers, random} = this.io;
    const given = {send: (text) => this.say(`request\n${text}`), clock, timers, random};
    this.questions = new Questions({client: `${client}-r`, ...given});
    this.passing = new Questions({client, from: PASSING, ...given});
    this.asking = [this.questions, this.passing];
    if (this.isOpen)
      for (const one of this.asking) one.opened();
  }

  /** The daemon's settings may become others while it is heard. */
  setHeartbeat({heartbeatMs}) {
    this.heartbeatMs = Math.min(Math.max(numberOf(heartbeatMs, 1000), 50), 60000);
    for (const {follower} of this.boards.values()) follower.proof.heartbeatMs = this.heartbeatMs;
  }

  open() {
    this.isOpen = true;
    for (const one of this.asking) one.opened();
    for (const board of this.boards.values()) board.opened(this.heartbeatMs);
    this.writer.opened();
    this.recovered ??= this.writer.recover();
  }

  replied(reply) {
    if (reply.client === undefined && reply.ok !== true) {
      this.writer.nameless(reply);
      return;
    }
    if (this.questions?.client === reply.client) this.questions.answered(reply);
    else if (this.passing?.client === reply.client && this.passing.answered(reply)) return;
    else this.writer.answered(reply);
  }

  published(topic, rest) {
    const at = topic.indexOf('/');
    const name = topic.slice(at + 1, -1);
    const board = this.boards.get(name);
    if (!board) return;
    const body = parseObject(rest);
    if (body?.heartbeat && this.time.heard(body.timeMs)) this.tell({kind: 'clock'});
    if (topic.slice(0, at) === 'j') {
      if (body) board.follower.published(body);
      else board.follower.malformed('it is no object of JSON');
    } else if (body) {
      board.present(body);
    }
  }

  // Time.

  tick() {
    if (this.closed) return;
    const rest = this.restMs;
    this.io.timers.set(() => this.tick(), rest);
    this.looksAwake();
    this.rest = rest;
    const now = this.io.clock();
    if (this.socket && now - this.heardAt > SILENT_MS) {
      this.lost();
    } else if (this.socket && now - this.pingedAt > PING_MS) {
      this.pingedAt = now;
      if (this.device) this.say('ping\n');
    }
    if (this.isOpen)
      for (const board of this.boards.values()) board.tick();
  }

  /** A board at rest needs no four looks a second, which are a third of what its page takes then. */
  get restMs() {
    if (!this.isOpen) return TICK_MS;
    const rests = [...this.boards.values()].map(({follower}) => follower.restMs);
    return Math.max(TICK_MS, Math.min(REST_MS, ...rests));
  }

  /** Time has passed in which this page did nothing: it slept, and what it shows is old. */
  looksAwake() {
    const now = this.times(), last = this.lastTick;
    this.lastTick = now;
    const passed = {clock: now.clock - last.clock, wall: now.wall - last.wall};
    if (Math.max(passed.clock, passed.wall) <= SLEPT_MS + this.rest - TICK_MS) return;
    this.time.slept(passed);
    this.woke(true);
  }

  /** Everything is stale until it was heard again. */
  woke(certainly = false) {
    if (certainly) this.heardAt = Math.max(this.heardAt ?? 0, this.io.clock() - SILENT_MS / 2);
    for (const board of this.boards.values()) board.follower.slept();
    if (!this.socket && this.writer) {
      this.attempts = 0;
      this.connect();
    } else if (this.device) {
      this.say('ping\n');
    }
  }

  // For boards and the screen.

  /** The daemon's time in milliseconds, by which rows age. */
  now() { return this.time.now(); }

  /** How far this screen's clock is ahead of the daemon's, in milliseconds; 0: not known, or as good as right. */
  get clockAhead() { return this.time.ahead; }

  get who() { return this.name ?? this.device?.device; }

  /** Whether this page did what a diff's cause tells. */
  isMine(cause) { return cause.client !== undefined && Boolean(this.writer?.clients.has(cause.client)); }

  /** A promise of the reply to what only reads; it never rejects. */
  ask(verb, body, table, timeoutMs) {
    if (!this.questions) return Promise.resolve(refusal('notConnected', 'There is no connection.'));
    return this.questions.ask(verb, body, {table, timeoutMs});
  }

  /** Sends requests that pass, presence and drags, under the client id of commands. */
  askPassing(verb, body, table) {
    if (!this.passing) return Promise.resolve(refusal('notConnected', 'There is no connection.'));
    return this.passing.ask(verb, body, {table, name: this.who, timeoutMs: 8000});
  }

  submit(table, request, about) {
    if (!this.isOpen || !this.isDaemonUp) {
      return Promise.resolve(refusal('notConnected', 'There is no connection. Nothing was sent.'));
    }
    const name = this.who === undefined ? {} : {name: this.who};
    return this.writer.submit(table, {...name, table, ...request}, about);
  }

  tables() { return this.ask('tables', {}); }

  onChange(f) { return this.listeners.add(f); }

  follow(name) {
    let board = this.boards.get(name);
    if (!board) {
      board = new Board(name, this);
      board.uses = 0;
      this.boards.set(name, board);
      if (this.isOpen) board.opened(this.heartbeatMs);
    }
    board.uses += 1;
    return board;
  }

  leaveBoard(board) {
    board.uses -= 1;
    if (board.uses > 0 || this.boards.get(board.name) !== board) return;
    board.end();
    this.boards.delete(board.name);
  }

  pendingOf(table) {
    return [...this.writer?.all() ?? []]
      .filter((one) => one.table === table)
      .map(({number, about, request, sinceMs, state, taken}) => ({
        number,
        verb: about,
        command: request.command,
        request,
        sinceMs,
        taken,
        state: this.isOpen ? state : 'waiting'
      }));
  }

  dismiss(outcome) {
    this.outcomes = this.outcomes.filter((one) => one !== outcome);
    this.tell({kind: 'outcome', table: outcome.table});
  }

  close() {
    for (const board of this.boards.values()) board.end();
    this.closed = true;
    this.io.timers.clear(this.reconnecting);
    this.lost();
  }
}

/** The handler of each message that the gateway may send. */
const TAKES = {
  device: (session, {rest}) => {
    const device = parseObject(rest);
    if (device) session.met(device);
    else session.malformed += 1;
  },
  pub: (session, {name, rest}) => session.published(name, rest),
  reply: (session, {rest}) => {
    const reply = parseObject(rest);
    if (reply) session.replied(reply);
    else session.malformed += 1;
  },
  daemon: (session, {name, rest}) => {
    session.isDaemonUp = name === 'up';
    session.isTurnedAway = name === 'down' && parseObject(rest)?.why === 'notAllowed';
    session.tell({kind: 'connection'});
  },
  dropped: (session, {name}) => session.boards.get(name)?.follower.someDropped(),
  forbidden: (session, {name}) => session.boards.get(name)?.follower.forbidden(),
  pong: () => {},
  end: (session, {rest}) => {
    const end = parseObject(rest) ?? {};
    if (FINAL.has(end.code)) {
      session.ended = {code: textOf(end.code), message: textOf(end.message)};
      session.tell({kind: 'ended'});
    }
    session.attempts = Math.max(session.attempts, end.code === 'tooMuch' ? 4 : 0);
  },
};

/** A session; see web/README.md. */
export function openSession(options) { return new Session(options); }
