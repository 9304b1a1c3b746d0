// A malicious server: whatever it sends, the page lives, names what is wrong, and says that it is
// stale.

import assert from 'node:assert/strict';
import test from 'node:test';

import {faceParts, shownFace} from '../../web/src/layout/face.js';
import {rowContent} from '../../web/src/layout/rows.js';
import {stripLayout} from '../../web/src/layout/strip.js';
import {swipeFrames} from '../../web/src/layout/swipe.js';
import {TableLayout} from '../../web/src/layout/table.js';
import {motionOf} from '../../web/src/layout/motion.js';
import {tableOf} from './example_tables.mjs';
import {VERBS} from '../../web/src/model/ops.js';
import {Wrong} from '../../web/src/model/table.js';
import {kitchen, menu} from './example_tables.mjs';
import {openSession} from '../../web/src/sync/session.js';
import {memoryStorage} from '../../web/src/sync/storage.js';
import {Dice} from './dice.mjs';
import './replica.mjs';

const full = !['', '0', undefined].includes(process.env.FULL);
const ROUNDS = full ? 20000 : 1500;
const WEIRD = [
  {toString: 1, valueOf: 1}, null, true, false, 0, -1, 0.5, 1e308, '', '\ud800', 'x'.repeat(5000), [], {}, [null], [[]],
  {id: {}}, '__proto__', 'constructor', {__proto__: null, ['__proto__']: {x: 1}}, 9007199254740993
];

/** A copy of a value in which one thing is something else. */
function spoiled(dice, value, depth = 0) {
  if (dice.chance(0.15 + depth * 0.1) || typeof value !== 'object' || value === null) return dice.pick(WEIRD);
  if (Array.isArray(value)) {
    if (value.length === 0) return dice.pick(WEIRD);
    const at = dice.below(value.length);
    const copy = value.slice();
    if (dice.chance(0.1)) copy.splice(at, 0, copy[at]);
    else copy[at] = spoiled(dice, copy[at], depth + 1);
    return copy;
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return dice.pick(WEIRD);
  const key = dice.pick(keys);
  const copy = {...value};
  if (dice.chance(0.1)) delete copy[key];
  else copy[key] = spoiled(dice, copy[key], depth + 1);
  return copy;
}

test('snapshots: refused as wrong, or a table that can be laid out', () => {
  const dice = new Dice('snapshots');
  let refused = 0;
  for (let n = 0; n < ROUNDS; n++) {
    const reply = spoiled(dice, dice.pick([kitchen, menu]));
    if (reply === null || typeof reply !== 'object') continue;
    try {
      tableOf('t', [reply]);
    } catch (error) {
      assert.ok(error instanceof Wrong, error.stack);
      refused += 1;
    }
  }
  assert.ok(refused > ROUNDS / 4, `${refused}`);
});

test('definitions: whatever kinds and settings say, a layout comes of it', () => {
  const dice = new Dice('kinds');
  const finite = (value) => {
    if (typeof value === 'number') assert.ok(Number.isFinite(value));
    else if (Array.isArray(value)) value.forEach(finite);
  };
  for (let n = 0; n < ROUNDS; n++) {
    const table = tableOf('t', [dice.pick([kitchen, menu])]);
    const [id] = [dice.pick([...table.kinds.keys()])];
    const kind = spoiled(dice, table.kinds.get(id));
    const settings = dice.chance(0.3) ? spoiled(dice, table.settings) : table.settings;
    try {
      table.applyOps({base: table.revision, ops: [{define: {kinds: [kind], settings}}]});
    } catch (error) {
      assert.ok(error instanceof Wrong, error.stack);
      continue;
    }
    const layout = new TableLayout(table, {width: 320});
    finite(layout.contentHeight);
    for (const {row, height} of layout.visible(0, 600)) {
      const own = table.kindOf(row);
      finite(height);
      assert.ok(rowContent(row, own, 320).lines);
      for (const edge of ['leading', 'trailing']) {
        const frames = swipeFrames(
          {table, row, edge, height, width: 320, pull: dice.pick([undefined, 50]), profile: 'point', nowMs: 0});
        for (const action of frames?.actions ?? []) finite([action.hit, action.face, action.radius]);
      }
      const strip = stripLayout({table, row, width: 320, height});
      for (const item of strip?.items ?? []) finite([item.x, item.y, item.width, item.height]);
    }
    motionOf(table.settings);
  }
});

const ITEM = {
  id: 'i',
  fields: {a: 'b'}
};
const DIGEST = '0123456789abcdef';

/** An op of every verb. */
const SAMPLES = {
  insert: {row: {id: 'new', kind: 'ticket', fields: {a: 'b'}, items: [ITEM]}, section: 'grill'},
  remove: {row: '86'},
  move: {rows: ['86'], section: 'fry'},
  set: {row: '86', title: 'x', fields: {a: 'b'}},
  swipe: {row: '86', edge: 'closed'},
  expand: {row: '86', state: 'expanded'},
  swap: {a: '86', b: '1041-g'},
  insertSection: {id: 'x', title: 'x', after: 'grill'},
  removeSection: {id: 'x'},
  setSection: {id: 'grill', title: 'y'},
  define: {kinds: [{id: 'k', digest: DIGEST}], drop: []},
  perform: {row: '86', performance: {action: 'a', state: 'done'}},
  invoke: {invocation: {id: '1.0', row: '86', action: 'a', digest: DIGEST}},
  take: {invocation: '1.0', holder: 'h'},
  release: {invocation: '1.0'},
  rest: {invocation: '1.0', failure: {reason: 'no paper', dueMs: 5, over: false}},
  finish: {invocation: '1.0', done: true},
  edit: {on: true},
  expandAll: {open: true},
  insertItem: {row: '86', item: ITEM},
  removeItem: {row: '86', item: 'i'},
  moveItems: {row: '86', items: ['i']},
  setItem: {row: '86', item: 'i', title: 'x'},
  scroll: {row: '86', item: 'i', fraction: 0.5},
  select: {row: '86'},
  mark: {row: '86', selected: {item: 'i'}},
  came: {row: '86', from: 'grill'},
  claim: {row: '86', claim: {holder: 'ada', note: 'x', ttl: 5, sinceMs: 3}},
  sleep: {row: '86', sleep: {untilMs: 5, top: true}},
  restore: {row: '86', version: 1, performed: [], changedMs: 1, movedMs: 1},
  setInvocation: {id: '1.0'},
};

test('ops: each is applied, or wrong; what is there can be drawn', () => {
  assert.deepEqual(Object.keys(SAMPLES).sort(), [...VERBS].sort());
  const dice = new Dice('ops');
  for (let n = 0; n < ROUNDS; n++) {
    const table = tableOf('kitchen', [kitchen]);
    for (let m = 0; m < 3; m++) {
      const verb = dice.pick(VERBS);
      const body = dice.chance(0.3) ? SAMPLES[verb] : spoiled(dice, SAMPLES[verb]);
      try {
        table.applyOps({base: table.revision, cause: spoiled(dice, {timeMs: 5}), ops: [{[verb]: body}]});
        table.computeDigest();
      } catch (error) {
        assert.ok(error instanceof Wrong, error.stack);
      }
    }
    const layout = new TableLayout(table, {width: 320});
    for (const {row} of layout.visible(0, 1e6)) {
      assert.equal(typeof row.id, 'string');
      assert.equal(typeof (row.title ?? ''), 'string');
      assert.ok(rowContent(row, table.kindOf(row), 320).lines);
      stripLayout({table, row, width: 320, height: 80});
    }
  }
  assert.equal({}.x, undefined, 'the prototype of objects is what it was');
});

test('frames, replies and publications of every kind', {timeout: 120000}, async () => {
  const dice = new Dice('frames');
  const storage = memoryStorage();
  let socket;
  const session = openSession({
    url: '',
    fetch: null,
    storage,
    turn: () => Promise.resolve(),
    socket: () => {
      socket = {send() {}, close() {}};
      return socket;
    }
  });
  const settled = () => new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
  await settled();
  const give = (head, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    socket.onmessage({data: `${head}\n${text}`});
  };
  const hello = {opened: 1, heartbeatMs: 1000, limits: {repliesPerSession: 64}};
  const device = {device: 'grill', prefix: 'web-1-', assets: 'a', hello};
  give('device', device);
  const board = session.follow('kitchen');
  const {history, epoch, snapshot} = kitchen;
  const head = {revision: snapshot.revision, digest: snapshot.digest, oldest: 0};
  const heartbeat = {table: 'kitchen', history, epoch, heartbeat: head};
  const diffs = {
    table: 'kitchen',
    history,
    epoch,
    diffs: [{base: 2, digest: '0'.repeat(16), cause: {client: 'x', timeMs: 1}, ops: [{remove: {row: '86'}}]}]
  };
  const presence = {
    table: 'kitchen',
    epoch,
    leases: {leases: [{lease: 'L', rows: ['86'], before: 'x'}]},
    viewers: {viewers: [{client: 'v'}]},
    ended: [{lease: 'M', reason: 'x'}]
  };
  const client = session.writer.identity.client;
  for (let n = 0; n < ROUNDS; n++) {
    const body = spoiled(dice,
      dice.pick([heartbeat, diffs, presence, device, {...kitchen, client: `${client}-r`, number: dice.below(30)}]));
    give(dice.pick([
      'pub j/kitchen/', 'pub j/kitchen/', 'pub pj/kitchen/', 'reply', 'device', 'dropped kitchen', 'end', 'daemon down',
      'daemon up', 'pub', '__proto__', 'constructor', 'toString', ''
    ]),
      dice.chance(0.1) ? '{"' : body);
    if (n % 50 === 0) await settled();
    const {state} = board.freshness();
    assert.notEqual(state, 'live', 'nothing that it says was proven');
    board.presence;
    board.pending;
    if (session.ended) session.ended = null;
    if (!socket.onmessage) break;
  }
  assert.ok(session.malformed > 0 && board.counts.malformed > 0);
  session.close();
});

test('faces that never end', () => {
  const loop = {vertical: {parts: []}};
  loop.vertical.parts.push(loop, loop);
  const faces = new Map([['a', {horizontal: {parts: [{face: 'a'}, {face: 'a'}]}}]]);
  const row = {id: 'r', kind: 'k', title: 'x'.repeat(100000)};
  const filled = shownFace({face: {face: 'a'}}, row, faces, 0);
  assert.ok(faceParts(filled, [0, 0, 100, 100]).length <= 4096);
  const many = {vertical: {parts: Array.from({length: 100}, () => ({text: '{title}'}))}};
  const text = JSON.stringify(shownFace({face: many}, row, faces, 0));
  assert.ok(text.length < 70000);
});
