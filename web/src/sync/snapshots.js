// A table from a snapshot: by HTTP, where one serves all who join, or by requests if that fails. It
// is read, checked and hashed in turns, so that the page stays responsive.

import {Wrong} from '../model/hash.js';
import {Joiner} from '../model/join.js';
import {codeOf, LONGEST, parseObject} from './frames.js';

/** Milliseconds of work before others have their turn. */
const TURN_MS = 8;
/** A response that brings nothing for so long is given up. */
const SILENT_MS = 10000;

/** There is no such table. */
export class Absent extends Error {}

/** It could not be had this time. */
export class Failed extends Error {}

/**
 * Work of which others have to wait no longer than a turn. `turn` lets them have theirs; `goesOn` says whether somebody
 * still waits for the work. Many pieces of work share a turn: each with one of its own, pieces that come at once would be
 * one long task.
 */
export class Turns {
  constructor({clock, turn, goesOn = () => true}) {
    Object.assign(this, {clock, turn, goesOn});
    this.begin();
  }

  begin() { this.until = this.clock() + TURN_MS; }

  /** Others have their turn. */
  async next() {
    await this.turn();
    if (!this.goesOn()) throw new Failed('nobody waits for it any more');
    this.begin();
  }

  async run(steps) {
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      if (this.clock() >= this.until) await this.next();
    }
  }
}

/**
 * Waits for what a response brings, until the job is over or nothing has come for too long. Then the
 * response is given up, also by the browser: `signal` says so to `fetch`.
 */
class Patience {
  constructor(job, timers) {
    Object.assign(this, {job, timers, controller: new AbortController()});
    this.signal = this.controller.signal;
    this.stop = () => this.controller.abort();
    this.over = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(new Failed('nothing more came')));
    });
    this.over.catch(() => {});
    job?.addEventListener('abort', this.stop);
    if (job?.aborted) this.stop();
  }

  async for(promise) {
    const timer = this.timers.set(this.stop, SILENT_MS);
    try {
      return await Promise.race([promise, this.over]);
    } finally {
      this.timers.clear(timer);
    }
  }

  /** Nobody waits any more: what still comes is not wanted. */
  end() {
    this.job?.removeEventListener('abort', this.stop);
    this.stop();
  }
}

/** The lines of a response, as they come. `patience` waits for its pieces. */
export async function* linesOf(response, patience = {for: (promise) => promise
}) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let parts = [], length = 0;
  for (;;) {
    const {done, value} = await patience.for(reader.read());
    const text = done ? decoder.decode() : decoder.decode(value, {stream: true});
    const lines = text.split('\n');
    parts.push(lines.shift());
    length += parts[parts.length - 1].length;
    for (const line of lines) {
      yield parts.join('');
      parts = [line];
      length = line.length;
    }
    if (length > LONGEST) {
      await reader.cancel();
      throw new Failed('a line is too long');
    }
    if (done) {
      if (length) yield parts.join('');
      return;
    }
  }
}

async function* byHTTP(name, fetchIt, patience) {
  let response;
  try {
    const {signal} = patience;
    response = await patience.for(fetchIt(`/tables/${encodeURIComponent(name)}/snapshot`, {signal}));
  } catch (error) {
    throw new Failed(`no snapshot by HTTP: ${error.message}`);
  }
  if (!response.ok) {
    const text = await patience.for(response.text()).catch(() => '');
    if (parseObject(text)?.error?.code === 'noSuchTable') throw new Absent();
    throw new Failed(`no snapshot by HTTP: ${response.status}`);
  }
  for await (const line of linesOf(response, patience)) {
    if (line.trim() === '') continue;
    const reply = parseObject(line);
    if (!reply) throw new Failed('a line is no reply');
    yield reply;
  }
}

/** The chunks by requests, some at a time. */
async function* byRequests(name, ask) {
  const first = await ask('snapshot', {}, name);
  yield first;
  const {id, chunks} = first.snapshot ?? {};
  const asked = new Map();
  let next = 1;
  for (let chunk = 1; chunk < chunks; chunk++) {
    for (; next < chunks && next < chunk + 4; next++) {
      asked.set(next, ask('snapshot', {id, chunk: next}, name));
    }
    yield await asked.get(chunk);
    asked.delete(chunk);
  }
}

async function joined(name, replies, turns) {
  const joiner = new Joiner(name);
  try {
    for await (const reply of replies) {
      const code = codeOf(reply);
      if (code === 'noSuchTable') throw new Absent();
      if (code) throw new Failed(`the snapshot was refused: ${code}`);
      await turns.run(joiner.add(reply));
      if (joiner.complete) break;
      await turns.next();
    }
    const table = await turns.run(joiner.verify());
    // The receiver draws it: that is a turn of its own.
    await turns.turn();
    return table;
  } catch (error) {
    if (error instanceof Wrong || error instanceof Absent || error instanceof Failed) throw error;
    throw new Failed(error.message);
  }
}

/**
 * A verified table. Throws `Absent`, `Failed` (ask again later) or `Wrong` (say so). `signal` says when
 * nobody waits for it any more.
 */
export async function takeSnapshot(name, {fetchIt, ask, signal, timers, ...given}) {
  const turns = new Turns(given);
  // In an address these two names are steps of a path, whatever is done to spell them otherwise.
  if (fetchIt && name !== '.' && name !== '..') {
    const patience = new Patience(signal, timers);
    try {
      return await joined(name, byHTTP(name, fetchIt, patience), turns);
    } catch (error) {
      if (!(error instanceof Failed) || !turns.goesOn()) throw error;
    } finally {
      patience.end();
    }
  }
  return joined(name, byRequests(name, ask), turns);
}
