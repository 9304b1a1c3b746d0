// The golden vectors of docs/PROTOCOL.md's digest, and tables without a daemon.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {canon, definitionsHash, invocationHash, rowHash} from '../../web/src/model/canonical.js';
import {append, hex, mulMod, out, power, xxh64} from '../../web/src/model/hash.js';
import {byBytes} from '../../web/src/model/canonical.js';
import {tableOf} from './example_tables.mjs';
import {Table, Wrong} from '../../web/src/model/table.js';
import {kitchen} from './example_tables.mjs';
import {Dice} from './dice.mjs';
import './replica.mjs';

const page = readFileSync(new URL('../../docs/PROTOCOL.md', import.meta.url), 'utf8');
const P = (1n << 61n) - 1n, B = 0x13C6EF372FE94F82n, M64 = (1n << 64n) - 1n;

/** The lines of the section "Vectors": [number, what, of what, value]. */
function vectors() {
  const lines = page.split('### Vectors')[1].split('## 10.')[0];
  const joined = lines.replaceAll(/\n {10,}/g, ' ');
  return [...joined.matchAll(/^ +(\d+) +(\w+) +(.*) = ([0-9a-f]{16})$/gm)].map(
    ([, number, what, of, value]) => [Number(number), what, of, value]);
}

const limbs = (digits) => [parseInt(digits.slice(0, 8), 16), parseInt(digits.slice(8), 16)];

function sequence(hashes) {
  let hi = 0, lo = 0;
  for (const [h, l] of hashes) {
    append(hi, lo, h, l);
    hi = out.hi;
    lo = out.lo;
  }
  return [hi, lo];
}

const now = () => hex(out.hi, out.lo);

function hashOf(...parts) {
  canon.begin();
  for (const part of parts) {
    if (typeof part === 'string') canon.text(part);
    else canon.number(part);
  }
  canon.hash();
  return now();
}

const COMPUTE = {
  hash: (of) => hashOf(...JSON.parse(of)),
  sequence: (of) => hex(...sequence([...of.matchAll(/\d+/g)].map(
    ([digits]) => ([Number(BigInt(digits) >> 32n), Number(BigInt(digits) & 0xffffffffn)])))),
  row(of) {
    rowHash(JSON.parse(of));
    return now();
  },
  section(of) {
    const {id, title, rows} = JSON.parse(of);
    canon.begin().text(id).text(title).number(rows.length).limbs(...sequence(rows.map(limbs))).hash();
    return now();
  },
  definitions(of) {
    const {settings, kinds} = JSON.parse(of);
    definitionsHash({digest: settings}, new Map(Object.entries(kinds).map(([id, digest]) => [id, {id, digest}])));
    return now();
  },
  table(of) {
    const {sections, definitions, invocations} = JSON.parse(of);
    invocationHash(invocations[0]);
    const sum = [out.hi, out.lo];
    canon.begin()
      .number(sections.length)
      .limbs(...sequence(sections.map(limbs)))
      .limbs(...limbs(definitions))
      .text('editing')
      .text('invocations')
      .number(1)
      .limbs(...sum)
      .hash();
    return now();
  },
};

test('the vectors of the page', () => {
  const all = vectors();
  assert.deepEqual(all.map(([number]) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const [number, what, of, value] of all) assert.equal(COMPUTE[what](of), value, `vector ${number}`);
});

test('a new table', () => {
  const table = new Table('t');
  table.settings = {digest: 'f33a72af52251878'};
  table.kinds.set('row', {id: 'row', digest: '561a9447a7952773'});
  assert.equal(table.computeDigest(), '14d24eb6952b1359');
});

/** XXH64 as its specification has it, in BigInt. */
function slowXXH64(bytes) {
  const [p1, p2, p3, p4, p5] =
    [11400714785074694791n, 14029467366897019727n, 1609587929392839161n, 9650029242287828579n, 2870177450012600261n];
  const rotl = (x, r) => ((x << r) | (x >> (64n - r))) & M64;
  const word = (at, size) => {
    let value = 0n;
    for (let n = size - 1; n >= 0; n--) value = (value << 8n) | BigInt(bytes[at + n]);
    return value;
  };
  const round = (acc, input) => rotl((acc + input * p2) & M64, 31n) * p1 & M64;
  let at = 0, h;
  if (bytes.length >= 32) {
    const v = [(p1 + p2) & M64, p2, 0n, -p1 & M64];
    for (; at + 32 <= bytes.length; at += 32)
      for (let n = 0; n < 4; n++) v[n] = round(v[n], word(at + 8 * n, 8));
    h = (rotl(v[0], 1n) + rotl(v[1], 7n) + rotl(v[2], 12n) + rotl(v[3], 18n)) & M64;
    for (const one of v) h = ((h ^ round(0n, one)) * p1 + p4) & M64;
  } else {
    h = p5;
  }
  h = (h + BigInt(bytes.length)) & M64;
  for (; at + 8 <= bytes.length; at += 8) h = (rotl(h ^ round(0n, word(at, 8)), 27n) * p1 + p4) & M64;
  if (at + 4 <= bytes.length) {
    h = (rotl(h ^ (word(at, 4) * p1 & M64), 23n) * p2 + p3) & M64;
    at += 4;
  }
  for (; at < bytes.length; at++) h = rotl(h ^ (BigInt(bytes[at]) * p5 & M64), 11n) * p1 & M64;
  h = (h ^ (h >> 33n)) * p2 & M64;
  h = (h ^ (h >> 29n)) * p3 & M64;
  return h ^ (h >> 32n);
}

test('limbs give what BigInt gives', () => {
  const dice = new Dice('limbs');
  for (let n = 0; n < 400; n++) {
    const bytes = Uint8Array.from({length: n}, () => dice.pick([0, 255, dice.below(256)]));
    xxh64(bytes, n);
    assert.equal(now(), slowXXH64(bytes).toString(16).padStart(16, '0'), `${n} bytes`);
  }
  const edges = [0n, 1n, P - 1n, (1n << 32n) - 1n, 1n << 32n, 0xffffn, (1n << 60n)];
  const value = () =>
    (dice.chance(0.3) ? dice.pick(edges) :
                        (BigInt(dice.below(2 ** 29)) << 32n) | BigInt(Math.floor(dice.next() * 2 ** 32)))
    % P;
  const split = (x) => [Number(x >> 32n), Number(x & 0xffffffffn)];
  for (let n = 0; n < 5000; n++) {
    const a = value(), b = value();
    mulMod(...split(a), ...split(b));
    assert.deepEqual([out.hi, out.lo], split(a * b % P), `${a} * ${b}`);
    const hash = (BigInt(Math.floor(dice.next() * 2 ** 32)) << 32n) | BigInt(dice.pick([0, 0xffffffff, 7]));
    append(...split(a), ...split(hash));
    assert.deepEqual([out.hi, out.lo], split((a * B + hash % P) % P), `${a} then ${hash}`);
  }
  let wanted = 1n;
  for (let n = 0; n < 700; n++) {
    const {hi, lo} = power(n);
    assert.deepEqual([hi, lo], split(wanted), `B^${n}`);
    wanted = wanted * B % P;
  }
});

test('texts are ordered by their bytes', () => {
  const texts = ['\ud800\udc00', '\uffff', '\ue000', 'z', 'é', 'a', 'aa', '', '\u{10ffff}'];
  const wanted = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual([...texts].sort(byBytes), wanted);
});

test('random places: what is remembered of blocks changes nothing', () => {
  const dice = new Dice('blocks');
  const table = tableOf('kitchen', [kitchen]);
  const order = table.sections.map(({id, rows}) => [id, rows.map((row) => row.id)]);
  const list = (id) => order.find(([section]) => section === id)[1];
  for (let n = 0; n < 1500; n++) {
    const ids = order.flatMap(([, rows]) => rows);
    const after = dice.chance(0.8) && ids.length ? dice.pick(ids) : null;
    const section = dice.pick(order)[0];
    const into = after ? order.find(([, rows]) => rows.includes(after))[1] : list(section);
    const place = after ? {after} : {section};
    let op;
    if (ids.length < 20 || dice.chance(0.55)) {
      op = {insert: {row: {id: `n${n}`, kind: 'notice', createdMs: 1}, ...place}};
      into.splice(after ? into.indexOf(after) + 1 : 0, 0, `n${n}`);
    } else if (dice.chance(0.5)) {
      const id = dice.pick(ids);
      op = {remove: {row: id}};
      for (const [, rows] of order)
        if (rows.includes(id)) rows.splice(rows.indexOf(id), 1);
    } else {
      const id = dice.pick(ids.filter((one) => one !== after));
      op = {move: {rows: [id], ...place}};
      for (const [, rows] of order)
        if (rows.includes(id)) rows.splice(rows.indexOf(id), 1);
      into.splice(after ? into.indexOf(after) + 1 : 0, 0, id);
    }
    const before = table.copy();
    table.applyOps({base: table.revision, cause: {timeMs: n}, ops: [op]});
    const digest = table.computeDigest();
    table.settle({base: table.revision, digest}, digest);
    if (n % 50 === 0) {
      const fresh = table.copy();
      for (const entry of fresh.entries.values()) entry.known = false;
      assert.equal(fresh.computeDigest(), digest);
      assert.notEqual(before.computeDigest(), digest);
      assert.deepEqual(table.sections.map(({id, rows}) => [id, rows.map((row) => row.id)]), order);
      for (const [, rows] of order) rows.forEach((id, at) => assert.equal(table.indexOf(id), at));
    }
  }
  assert.ok(table.size > 100);
});

test('rows are never changed in place', () => {
  const table = tableOf('kitchen', [kitchen]);
  const [row] = table.sections[0].rows;
  const text = JSON.stringify(row);
  Object.freeze(row);
  if (row.fields) Object.freeze(row.fields);
  const ops = [
    {set: {row: row.id, title: 'other', fields: {__proto__: null, ['__proto__']: 'x'}}},
    {claim: {row: row.id, claim: {holder: 'ada'}}}
  ];
  const {rows: [change]} = table.applyOps({base: table.revision, cause: {}, ops});
  assert.equal(JSON.stringify(row), text);
  assert.equal(change.before, row);
  assert.equal(change.after, table.row(row.id));
  assert.equal(Object.getOwnPropertyDescriptor(change.after.fields, '__proto__').value, 'x');
  assert.equal(change.after.claim.holder, 'ada');
});

test('all rows are opened in steps, and seen as open all at once', () => {
  const table = tableOf('kitchen', [kitchen]);
  const kind = [...table.kinds.values()].find((one) => one.states?.some(({name}) => name === 'expanded')).id;
  for (let n = 0; n < 3000; n++) {
    table.push(table.sections[n % 2], {id: `n${n}`, kind, title: `${n}`, createdMs: 1, expand: 'collapsed'});
  }
  const rows = () => table.sections.flatMap((section) => section.rows);
  const before = rows();
  const copy = table.copy();
  const steps = table.opSteps({base: table.revision, cause: {timeMs: 5}, ops: [{expandAll: {open: true}}]});
  let count = 0;
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) {
      const opened = rows();
      assert.ok(opened.filter((row) => row.expand === 'expanded').length >= 3000);
      const {rows: changed} = step.value;
      assert.equal(changed.length, opened.filter((row, n) => row !== before[n]).length);
      for (const {id, before: was, after} of changed) {
        assert.deepEqual(after, {...was, expand: 'expanded'});
        assert.equal(table.row(id), after);
      }
      break;
    }
    count += 1;
    assert.ok(step.value <= 256);
    assert.deepEqual(rows(), before, 'nobody sees the half of it');
  }
  assert.ok(count > 20);
  copy.applyOps({base: copy.revision, cause: {timeMs: 5}, ops: [{expandAll: {open: true}}]});
  assert.equal(copy.computeDigest(), table.computeDigest());
});

test('a diff that changes a row before it opens all', () => {
  const table = tableOf('kitchen', [kitchen]);
  const row =
    table.sections.flatMap((one) => one.rows).find((one) => one.kind === 'ticket' && one.expand !== 'expanded');
  const {rows} = table.applyOps({
    base: table.revision,
    cause: {},
    ops:
      [{set: {row: row.id, title: 'first'}}, {expandAll: {open: true}}, {claim: {row: row.id, claim: {holder: 'ada'}}}]
  });
  const [change] = rows.filter((one) => one.id === row.id);
  assert.equal(change.before, row);
  assert.equal(change.after, table.row(row.id));
  assert.deepEqual([change.after.title, change.after.expand, change.after.claim.holder], ['first', 'expanded', 'ada']);
  assert.notEqual(row.title, 'first');
});

test('invocations stand in the order of their presses', () => {
  const table = tableOf('kitchen', [kitchen]);
  const row = table.sections[0].rows[0].id;
  const put = (id, holder) =>
    ({setInvocation: {id, invocation: {id, row, action: 'print', digest: '0'.repeat(16), holder}}});
  const after = (...ops) => {
    table.applyOps({base: table.revision, cause: {}, ops});
    return [...table.invocations.keys()];
  };
  const ids = (text) => text.split(' ').filter(Boolean);
  assert.deepEqual(after(...ids('12.1 9.0 10.0 12.0 100.10 100.9').map((id) => put(id))),
    ids('9.0 10.0 12.0 12.1 100.9 100.10'), 'by numbers, whatever came first');
  assert.deepEqual(
    after(put('10.0', 'h')), ids('9.0 10.0 12.0 12.1 100.9 100.10'), 'one that is there keeps its place');
  assert.equal(table.invocation('10.0').holder, 'h');
  assert.deepEqual(after({setInvocation: {id: '9.0'}}, {setInvocation: {id: '8.0'}}, put('9.0')),
    ids('9.0 10.0 12.0 12.1 100.9 100.10'), 'it comes back where it was');
  const copy = table.copy();
  copy.applyOps({base: table.revision, ops: [put('11.0')]});
  table.rewind({revision: table.revision, ops: [put('11.0')], digest: copy.computeDigest()});
  assert.deepEqual([...table.invocations.keys()], ids('9.0 10.0 11.0 12.0 12.1 100.9 100.10'), 'also on the way back');
});

/** A map that counts what is put, taken out, and gone through. */
class Counted extends Map {
  work = 0;

  set(key, value) {
    this.work += 1;
    return super.set(key, value);
  }

  delete(key) {
    this.work += 1;
    return super.delete(key);
  }

  * entries() {
    for (const one of super.entries()) {
      this.work += 1;
      yield one;
    }
  }

  * keys() {
    for (const [key] of this.entries()) yield key;
  }

  * values() {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator]() { return this.entries(); }
}

test('presses that come back are put in order once', () => {
  // A redo of a batch brings its presses back, before those that came meanwhile.
  const put = (id) => ({setInvocation: {id, invocation: {id, row: 'r', action: 'print', digest: '0'.repeat(16)}}});
  const work = (count) => {
    const table = new Table('board');
    const ids = (revision, many) => Array.from({length: many}, (_, n) => `${revision}.${n}`);
    table.applyOps({base: 0, ops: ids(7, 4 * count).map(put)});
    const counted = new Counted();
    for (const [id, one] of table.invocations) counted.set(id, one);
    table.invocations = counted;
    counted.work = 0;
    table.applyOps({base: 0, ops: ids(5, count).map(put)});
    const done = counted.work;
    assert.deepEqual([...table.invocations.keys()], [...ids(5, count), ...ids(7, 4 * count)]);
    return done;
  };
  const few = work(100);
  assert.ok(few > 100);
  assert.ok(work(400) < 5 * few, 'four times as much work for four times as many, not sixteen times');
});

test('a diff for another revision, and one that does not fit', () => {
  const table = tableOf('kitchen', [kitchen]);
  assert.throws(() => table.apply({base: 99, ops: []}), Wrong);
  assert.throws(() => table.apply({base: table.revision, ops: [{remove: {row: 'nobody'}}]}), Wrong);
  assert.throws(() => table.apply({base: table.revision, ops: [], digest: '0'.repeat(16)}), Wrong);
});
