// Words and conditions find what the terminal's `/` finds; a screen's order and choice follow the table.

import assert from 'node:assert/strict';
import test from 'node:test';

import {folded, orderOf, readFind, Sifted} from '../../web/src/model/find.js';

const ROWS = [
  {id: 'a', title: 'Straße', kind: 'ticket', fields: {driver: '1', qty: '10'}, createdMs: 30},
  {id: 'b', title: '2 × fries', kind: 'ticket', fields: {driver: '10', qty: '9', constructor: 'Ana'}, createdMs: 10},
  {id: 'c', title: 'ΟΔΟΣ', kind: 'note', items: [{id: 'i', title: 'İstanbul'}], createdMs: 20},
];

function table(rows = ROWS, kinds = new Map()) {
  return {
    kinds,
    settings: {},
    sections: [{id: 'grill', title: '', rows: rows.slice(0, 2)}, {id: 'fry', title: '', rows: rows.slice(2)}],
    row: (id) => rows.find((row) => row.id === id),
  };
}

const found = (text) => [...readFind(text).test(table())].join('');

test('words find whatever their case, and key=word means the whole value', () => {
  assert.equal(found('strasse'), 'a');
  assert.equal(found('οδος'), 'c');
  assert.equal(found('istanbul'), 'c');
  assert.equal(found('fries ANA'), 'b');
  assert.equal(found('driver=1'), 'a');
  assert.equal(found('driver~1'), 'ab');
  assert.equal(found('section=fry'), 'c');
  assert.equal(found('kind=ticket'), 'ab');
  assert.equal(found('title=strasse'), 'a');
  assert.equal(found('title~frie'), 'b');
  for (const text of ['driver = 1', 'driver= 1', ' driver  =1 ']) assert.equal(found(text), 'a');
  for (const text of ['driver =', '= 1', '=', 'driver=1 =']) assert.equal(found(text), '', text);
  assert.equal(found('nothing'), '');
  assert.equal(readFind('  ').test, null);
  assert.equal(folded('ẞ'), folded('ss'));
});

test('a condition is read as everywhere, and a fault has its place', () => {
  assert.equal(found('field.driver == "1"'), 'a');
  assert.equal(found('field.qty > 9 or section == "fry"'), 'ac');
  const {fault, test: nothing} = readFind('field.driver = "1"');
  assert.deepEqual([fault.at, nothing], [13, null]);
});

test('an order is that of numbers where they are numbers, and what has no value stands at the end', () => {
  const by = (key) => orderOf(key)(ROWS).map((row) => row.id).join('');
  assert.equal(by('field.qty'), 'bac');
  assert.equal(by('-field.qty'), 'abc');
  assert.equal(by('-age'), 'bca');
  assert.equal(by('title'), 'bac');
  assert.equal(orderOf(''), null);
});

test('ages count by the daemon\'s clock, and since the last move where the kind says so', () => {
  const kinds = new Map([['ticket', {ages: {since: 'moved', late: 60}}]]);
  const rows = [
    {id: 'old', kind: 'ticket', createdMs: 1_000, movedMs: 500_000},
    {id: 'new', kind: 'ticket', createdMs: 400_000},
  ];
  const given = {...table(rows, kinds), sections: [{id: 'grill', title: '', rows}]};
  const at = (text, nowMs) => [...readFind(text).test(given, {nowMs, zoneSeconds: 0})].join(' ');
  assert.equal(at('age >= 2m', 520_001), 'new');
  assert.equal(at('age >= 2m', 620_001), 'old new');
  assert.equal(at('late == true', 520_001), 'new');
  assert.deepEqual(orderOf('-age')(rows, kinds).map(({id}) => id), ['new', 'old']);
  assert.equal(readFind('age >= 2m').isTimed, true);
  assert.equal(readFind('field.x == "age"').isTimed, false);
  let nowMs = 520_001;
  const sifted = new Sifted(given, {test: readFind('age >= 2m').test, clock: () => ({nowMs, zoneSeconds: 0})});
  assert.equal(sifted.size, 1);
  nowMs = 620_001;
  sifted.refresh();
  assert.equal(sifted.size, 2);
});

test('a screen that looks for rows follows its table', () => {
  const given = table(ROWS, new Map([['note', {pinned: true}]]));
  const sifted = new Sifted(given, {test: readFind('ticket=').test, order: null});
  assert.equal(sifted.size, 0);
  const wanted = new Sifted(given, {test: readFind('driver~1').test, order: orderOf('field.qty')});
  assert.deepEqual(wanted.sections.map((one) => [one.id, one.rows.map((row) => row.id)]), [['grill', ['b', 'a']]]);
  assert.deepEqual([wanted.sectionOf('a'), wanted.indexOf('a'), wanted.row('c')], ['grill', 1, undefined]);
  given.sections[1].rows = [{...ROWS[2], fields: {driver: '31'}}];
  const {stamp} = wanted;
  wanted.refresh();
  assert.ok(wanted.stamp > stamp);
  assert.deepEqual(wanted.sections.map((one) => one.id), ['grill', 'fry']);
});
