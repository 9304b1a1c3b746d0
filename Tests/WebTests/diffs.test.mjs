// A real daemon: random commands of every verb. Each diff leads the page's replica to the daemon's
// digest, there and back; then the page follows through kills of the daemon.

import assert from 'node:assert/strict';
import test from 'node:test';

import {tableOf} from './example_tables.mjs';
import {VERBS} from '../../web/src/model/ops.js';
import {openSession} from '../../web/src/sync/session.js';
import {memoryStorage} from '../../web/src/sync/storage.js';
import {Bridge, built, full} from './bridge.mjs';
import {KINDS, SETTINGS, Wishes} from './wishes.mjs';
import './replica.mjs';

const DIFFS = full ? 10000 : 1000;

/** A WebSocket over the bridge's pipe. */
export function socketOf(bridge) {
  const socket = {
    send: (frame) => bridge.send(frame),
    close: () => bridge.listeners.delete(listen),
  };
  const listen = (frame) => socket.onmessage?.({data: frame});
  bridge.listeners.add(listen);
  setImmediate(() => listen(`device\n${JSON.stringify(bridge.device)}`));
  return socket;
}

export function sessionOf(bridge, options = {}) {
  return openSession({url: '', socket: () => socketOf(bridge), fetch: null, storage: memoryStorage(), ...options});
}

export async function until(what, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (!what()) {
    assert.ok(Date.now() < end, `not within ${seconds} s: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}

test('every op there and back', {skip: !built, timeout: 600000}, async () => {
  const bridge = new Bridge();
  await bridge.ready;
  const session = sessionOf(bridge);
  try {
    assert.equal((await bridge.ask({table: 'board', create: {}})).ok, true);
    const defined = await bridge.ask({table: 'board', command: {define: {kinds: KINDS, table: SETTINGS}}});
    assert.equal(defined.ok, true, JSON.stringify(defined));
    const board = session.follow('board');
    await until(() => board.freshness().state === 'live');
    const first = board.table.revision, ops = new Map(), codes = new Map();
    let heard = 0;
    board.onDiffs(([changed]) => {
      heard += 1;
      for (const op of changed.diff.ops ?? []) {
        const [verb] = Object.keys(op);
        ops.set(verb, (ops.get(verb) ?? 0) + 1);
      }
      for (const {id, after, to} of changed.rows) {
        assert.equal(board.table.row(id) ?? null, after);
        assert.equal(board.table.sectionOf(id) ?? null, to);
      }
    });
    const wishes = new Wishes('diffs');
    while (heard < DIFFS) {
      const reply = await bridge.ask({name: 'ada', table: 'board', ...wishes.next(board.table, 'bridge')});
      if (!reply.ok) codes.set(reply.error.code, (codes.get(reply.error.code) ?? 0) + 1);
      await until(() => board.table.revision >= (reply.revision ?? 0));
    }
    const whole = tableOf('board', await bridge.snapshot('board'));
    assert.equal(board.table.digest, whole.digest);
    assert.deepEqual(board.table.sections.map(({id, rows}) => [id, rows.map((row) => row.id)]),
      whole.sections.map(({id, rows}) => [id, rows.map((row) => row.id)]));
    assert.deepEqual([board.counts.wrong, board.counts.snapshots, board.counts.malformed], [0, 1, 0]);
    const steps = await wayBack(bridge, board.table.copy(), first, ops);
    assert.ok(steps > DIFFS / 4, `${steps} steps back`);
    console.log(`# ${heard} diffs, ${steps} back`, JSON.stringify([...ops, ...codes]));
    assert.deepEqual(VERBS.filter((verb) => !ops.has(verb)), []);
    for (const code of ['malformed', 'unknownVerb', 'numberReused', 'badNumber']) {
      assert.equal(codes.get(code), undefined, code);
    }
  } finally {
    session.close();
    await bridge.close();
  }
});

async function wayBack(bridge, table, first, ops) {
  const kept = (await bridge.ask({table: 'board', history: {most: 1}})).changes.oldest ?? 0;
  const to = Math.max(first, kept);
  let steps = 0;
  while (table.revision > to) {
    const reply = await bridge.ask({table: 'board', rewind: {history: table.history, since: table.revision, to}});
    assert.equal(reply.ok, true, JSON.stringify(reply));
    for (const step of reply.rewind.back) {
      for (const op of step.ops ?? []) ops.set(Object.keys(op)[0], 1 + (ops.get(Object.keys(op)[0]) ?? 0));
      table.rewind(step);
      steps += 1;
    }
  }
  return steps;
}

test('through kills of the daemon', {skip: !built, timeout: 120000}, async () => {
  const bridge = new Bridge();
  await bridge.ready;
  const session = sessionOf(bridge);
  try {
    await bridge.ask({table: 'board', create: {}});
    const board = session.follow('board');
    await until(() => board.freshness().state === 'live');
    const sent = [];
    for (let n = 0; n < 10; n++) {
      sent.push(board.send({add: {id: `k${n}`, title: `Row ${n}`}}));
      if (n % 5 === 2) {
        bridge.send('kill\n');
        bridge.send('start\n');
      }
    }
    const replies = await Promise.all(sent);
    assert.deepEqual(replies.map((reply) => reply.ok), replies.map(() => true), JSON.stringify(replies));
    await until(() => board.freshness().state === 'live' && board.table.size === 10);
    assert.equal(board.counts.wrong, 0);
    assert.equal(board.pending.length, 0);
    const {ok, drag} = await board.lift(['k1', 'k2']);
    assert.equal(ok, true);
    drag.hover({top: true});
    await until(() => board.presence.leases.some((lease) => lease.mine));
    const dropped = await drag.drop({before: 'k0'});
    assert.equal(dropped.ok, true, JSON.stringify(dropped));
    assert.equal((await drag.ended).dropped, true);
    await until(() => board.table.indexOf('k0') === 2);
    assert.equal((await board.undo()).ok, true);
    await until(() => board.table.indexOf('k0') === 0);
    assert.ok((await board.history({most: 5})).changes.changes.length > 2);
    bridge.send('kill\n');
    await until(() => ['stale', 'disconnected'].includes(board.freshness().state), 5);
    assert.equal((await board.send({remove: {rows: ['k0']}})).error.code, 'notConnected');
    bridge.send('start\n');
    await until(() => board.freshness().state === 'live');
  } finally {
    session.close();
    await bridge.close();
  }
});
