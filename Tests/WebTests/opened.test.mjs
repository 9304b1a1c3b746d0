// Rows that a screen opens for itself: their heights, accordions, and what the table says afterwards.

import assert from 'node:assert/strict';
import test from 'node:test';

import {TableLayout} from '../../web/src/layout/table.js';
import {Table} from '../../web/src/model/table.js';
import {Opened} from '../../web/src/screen/opened.js';
import './replica.mjs';

const STATES = [{name: 'collapsed'}, {name: 'half', height: 90}, {name: 'expanded'}];

function screen(expandPolicy = 'independent') {
  const table = new Table('t');
  table.settings = {digest: '0'.repeat(16), expandScope: 'viewer', expandPolicy};
  table.kinds.set('row', {id: 'row', digest: '0'.repeat(16), height: 60, states: STATES});
  table.kinds.set('low', {id: 'low', digest: '0'.repeat(16), height: 40, states: STATES.slice(0, 1)});
  for (const section of ['x', 'y'].map((id) => table.addSection(id, id))) {
    for (const n of [1, 2]) table.push(section, {id: `${section.id}${n}`, kind: 'row', title: 'Row', version: 1});
    table.push(section, {id: `${section.id}low`, kind: 'low', title: 'Low', version: 1});
  }
  const board = {table, redrawn: []};
  board.own = new Opened(board);
  const layout = new TableLayout(table, {width: 300, shown: (row) => board.own.shown(row)});
  board.reopened = (rows) => {
    board.redrawn.push(rows.map(({id}) => id));
    for (const {id} of rows) layout.forget(id);
  };
  const change = (...ops) => {
    table.applyOps({base: table.revision, ops});
    table.revision += 1;
    board.own.follow();
  };
  const heights = () => layout.visible(0, 9999).map(({height}) => height);
  return {board, change, heights, layout, own: board.own, table};
}

const shownOf = ({own, table}) =>
  table.sections.flatMap(({rows}) => rows).map((row) => own.shown(row).expand ?? 'collapsed');

test('a row goes through its states here, and the table knows nothing of it', () => {
  const one = screen();
  const {board, heights, layout, own, table} = one;
  assert.deepEqual(heights(), [60, 60, 40, 60, 60, 40]);
  own.expand('x2');
  assert.deepEqual(heights(), [60, 90, 40, 60, 60, 40]);
  assert.equal(layout.offsetOf('y1'), 190);
  own.expand('x2');
  assert.equal(own.shown(table.row('x2')).expand, 'expanded');
  assert.equal(
    own.shown(table.row('x2')), own.shown(table.row('x2')), 'the same object, so that nothing is drawn anew');
  assert.equal(layout.heightOf('x2'), layout.find('y1').units / 1024 - 100);
  own.expand('x2');
  assert.deepEqual(heights(), [60, 60, 40, 60, 60, 40]);
  own.expand('y1', 'half');
  own.expand('gone');
  assert.deepEqual(board.redrawn, [['x2'], ['x2'], ['x2'], ['y1']]);
  assert.equal(table.row('x2').expand ?? 'collapsed', 'collapsed');
});

test('an accordion is this screen\'s own', () => {
  for (const [policy, first] of [['accordionTable', 'collapsed'], ['accordionSection', 'half']]) {
    const one = screen(policy);
    one.change({expand: {row: 'y1', state: 'expanded'}});
    one.own.expand('x1');
    one.own.expand('y2');
    assert.deepEqual(shownOf(one), [first, 'collapsed', 'collapsed', 'collapsed', 'half', 'collapsed'], policy);
    assert.equal(one.table.row('y1').expand, 'expanded');
  }
});

test('all rows are opened and closed that can be', () => {
  const one = screen();
  one.own.expandAll(true);
  assert.deepEqual(one.board.redrawn, [['x1', 'x2', 'y1', 'y2']]);
  const [x1, x2, low] = shownOf(one);
  assert.deepEqual([x1, x2, low], ['expanded', 'expanded', 'collapsed']);
  one.own.expandAll(false);
  assert.deepEqual(new Set(shownOf(one)), new Set(['collapsed']));
});

test('what the table says of a row afterwards counts here, too', () => {
  const one = screen();
  const {change, heights, own, table} = one;
  for (const id of ['x1', 'x2', 'y1']) own.expand(id);
  change({set: {row: 'x1', title: 'Another'}});
  assert.equal(own.shown(table.row('x1')).expand, 'half', 'a new title closes nothing');
  change({expand: {row: 'x1', state: 'expanded'}});
  change({remove: {row: 'x2'}});
  assert.equal(own.shown(table.row('x1')), table.row('x1'));
  change({expand: {row: 'x1', state: 'collapsed'}});
  assert.deepEqual(heights(), [60, 40, 90, 60, 40]);
  table.kinds = new Map([...table.kinds, ['row', {...table.kinds.get('row'), states: [STATES[0], STATES[2]]}]]);
  own.follow();
  assert.equal(own.own.size, 0, 'the kind has that state no more');
  own.expand('y1');
  table.settings = {...table.settings, expandScope: 'shared'};
  own.follow();
  assert.deepEqual([own.own.size, own.isOwn], [0, false]);
});
