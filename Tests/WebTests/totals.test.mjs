// The totals of a whole day count the titles and fields of a board.

import assert from 'node:assert/strict';
import test from 'node:test';

import {dishesOf, totalsOf} from '../../web/src/model/totals.js';

test('a title is counted by its dishes, and what has no number belongs to the one before', () => {
  assert.deepEqual(dishesOf('2 × ribeye medium rare, 1 × burger'), [['ribeye medium rare', 2], ['burger', 1]]);
  assert.deepEqual(dishesOf('1 × salmon, no butter'), [['salmon', 1]]);
  assert.deepEqual(dishesOf('3x fries + 1x soup'), [['fries', 3], ['soup', 1]]);
  assert.deepEqual(dishesOf('Fix the sink'), [['Fix the sink', 1]]);
});

test('the most stand first, a field qty multiplies, and a field is counted by its values', () => {
  const rows = [
    {title: '2 × fries', fields: {table: '7'}}, {title: 'soup', fields: {qty: '5', table: '7'}},
    {title: '1 × fries', fields: {constructor: 'x'}}, {title: 'tea', fields: {qty: '-3'}}, {}
  ];
  assert.deepEqual(totalsOf(rows), [{name: 'soup', count: 5}, {name: 'fries', count: 3}, {name: 'tea', count: 1}]);
  assert.deepEqual(totalsOf(rows, 'table'), [{name: '–', count: 3}, {name: '7', count: 2}]);
  assert.deepEqual(totalsOf([]), []);
});
