// A real daemon for these tests, by Tests/WebTests/bridge.py: the gateway's frames over a pipe.

import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = process.env.TRESTLE_BIN ?? `${root}.build/release`;
const python = existsSync(`${root}.venv/bin/python`) ? `${root}.venv/bin/python` : 'python3';

/** The program is built: without it, tests that need it are skipped. */
export const built = existsSync(`${bin}/trestled`);

export const full = !['', '0', undefined].includes(process.env.FULL);

/**
 * A daemon, and what came from it: `frames` listens, `ask` sends a request and awaits the reply.
 */
export class Bridge {
  constructor() {
    this.process = spawn(python, [fileURLToPath(new URL('bridge.py', import.meta.url))],
      {stdio: ['pipe', 'pipe', 'inherit'], env: {...process.env, TRESTLE_BIN: bin}});
    this.listeners = new Set();
    this.waiting = new Map();
    this.ran = [];
    this.number = 0;
    this.ready = new Promise((resolve) => {
      this.isReady = resolve;
    });
    createInterface({input: this.process.stdout}).on('line', (line) => this.heard(JSON.parse(line)));
  }

  heard(frame) {
    const at = frame.indexOf('\n');
    const head = frame.slice(0, at), rest = frame.slice(at + 1);
    if (head === 'device') {
      this.device = JSON.parse(rest);
      this.isReady();
    } else if (head === 'ran') {
      this.ran.shift()?.(JSON.parse(rest));
      return;
    } else if (head === 'reply') {
      const reply = JSON.parse(rest);
      if (reply.client === 'bridge' && this.waiting.has(reply.number)) {
        this.waiting.get(reply.number)(reply);
        this.waiting.delete(reply.number);
        return;
      }
    }
    for (const listener of this.listeners) listener(frame);
  }

  send(frame) { this.process.stdin.write(`${JSON.stringify(frame)}\n`); }

  /** A request that carries what it needs to be matched; commands in it are remembered too. */
  ask(request) {
    this.number += 1;
    const number = this.number;
    const body = {client: 'bridge', number, opened: this.device.hello.opened, ...request};
    return new Promise((resolve) => {
      this.waiting.set(number, resolve);
      this.send(`request\n${JSON.stringify(body)}`);
    });
  }

  /** Runs `trestle` with these arguments: [status, output, errors]. */
  trestle(...args) {
    return new Promise((resolve) => {
      this.ran.push(resolve);
      this.send(`trestle\n${JSON.stringify(args)}`);
    });
  }

  /** All chunks of a snapshot. */
  async snapshot(table) {
    const replies = [await this.ask({table, snapshot: {}})];
    const {id, chunks} = replies[0].snapshot;
    for (let chunk = 1; chunk < chunks; chunk++) {
      replies.push(await this.ask({table, snapshot: {id, chunk}}));
    }
    return replies;
  }

  async close() {
    const ended = new Promise((resolve) => {
      this.process.once('exit', resolve);
    });
    this.process.stdin.end();
    await ended;
  }
}
