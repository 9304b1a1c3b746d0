// The golden vectors of docs/LAYOUT.md, and that the tables are the programs'.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {heightUnits} from '../../web/src/layout/numbers.js';
import {rowUnits} from '../../web/src/layout/rows.js';
import {stripLayout, stripPage, stripRest} from '../../web/src/layout/strip.js';
import {groupFrames} from '../../web/src/layout/swipe.js';
import {columnsOf, clusters, shown, textWidth, wrap} from '../../web/src/layout/text.js';
import {WIDE, ZERO} from '../../web/src/layout/widths.js';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const vectors = (name) => JSON.parse(read(`Tests/TableLayoutTests/Vectors/${name}.json`));
const text = vectors('text');

function near(found, wanted, what) {
  assert.equal(found.length, wanted.length, what);
  found.forEach((one, n) => assert.ok(Math.abs(one - wanted[n]) < 1e-9, `${what}: ${found} is not ${wanted}`));
}

test('widths of texts, in both profiles', () => {
  for (const {text: one, cells, thousandths} of text.widths) {
    assert.equal(textWidth(one, 15, 'cell'), cells * 10, JSON.stringify(one));
    assert.equal(textWidth(one, 1000, 'point'), thousandths, JSON.stringify(one));
    assert.equal(clusters(one).reduce((sum, cluster) => sum + columnsOf(cluster), 0), cells);
  }
});

test('lines of texts, in both profiles', () => {
  for (const {text: one, width, cell, point} of text.lines) {
    assert.deepEqual(wrap(one, width, 15, 'cell'), cell, JSON.stringify(one));
    assert.deepEqual(wrap(one, width, 15, 'point'), point, JSON.stringify(one));
  }
});

test('heights of rows', () => {
  const states = [
    {name: 'collapsed'}, {name: 'one-line', height: 100}, {name: 'two-lines', height: 120},
    {name: 'three-lines', height: 140}, {name: 'expanded'}
  ];
  for (const one of text.heights) {
    const fields = Object.fromEntries(Array.from({length: one.fields ?? 0}, (_, n) => [`f${n}`, '']));
    const row = {id: 'r', kind: 'k', title: one.title, fields, expand: one.state};
    const kind = {id: 'k', layout: one.layout ?? 'auto', states};
    assert.equal(rowUnits(row, kind, one.width, 'cell') / 1024, one.cell, one.note);
    assert.equal(rowUnits(row, kind, one.width, 'point') / 1024, one.point, one.note);
  }
});

test('heights in whole units', () => {
  const page = read('docs/LAYOUT.md').split('## Offsets')[1];
  const lines = [...page.matchAll(/^\| ([\d./]+) \| (\d+) \| ([\d.]+) \|$/gm)];
  assert.equal(lines.length, 6);
  for (const [, given, units, height] of lines) {
    const points = given === '1/3' ? 1 / 3 : Number(given);
    assert.equal(heightUnits(points), Number(units));
    assert.equal(heightUnits(points) / 1024, Number(height));
  }
});

test('frames of swipe actions', () => {
  for (const one of vectors('swipe')) {
    const actions = one.actions.map(({title, hair, face, ...look}, n) => ({
      id: `a${n}`,
      title: title ?? '\u200a'.repeat(hair ?? 0),
      look,
      ...(face ? {face: {text: face}} : {}),
    }));
    const group = {actions, look: one.group, compatible: one.compatible};
    const found = groupFrames(
      group, {edge: one.edge, height: one.height, width: one.container, pull: one.pullGiven, tableLook: one.table});
    const what = `${one.rule}: ${one.note}`;
    near([found.pull], [one.pull], what);
    if (one.revealed !== undefined) assert.equal(found.revealed, one.revealed, what);
    found.actions.forEach((action, n) => {
      near(action.hit, one.hit[n], what);
      near(action.face, one.face[n], what);
      near([action.radius], [one.radius?.[n] ?? 0], what);
      assert.deepEqual(action.clamped, one.clamped?.[n] ?? [], what);
    });
  }
});

test('strips', () => {
  for (const one of vectors('strip')) {
    const kind = {
      id: 'k',
      strip: true,
      height: one.height,
      page: one.page,
      items: Object.entries(one.kinds ?? {}).map(([name,
        {fields, ...rest}]) => ({name, ...rest, ...(fields ? {fields: {keys: fields}} : {})}))
    };
    if (one.spacing !== undefined) kind.spacing = one.spacing;
    const row = {id: 'r', kind: 'k', title: one.title ?? '', items: one.items};
    const strip = stripLayout({row, kind, width: 320, height: one.height});
    strip.items.forEach((item, n) => {
      near([item.x, item.y, item.width, item.height], one.frames[n], one.note);
      assert.deepEqual(item.clamped, one.clamped?.[n] ?? [], one.note);
      if (one.badges?.[n]) near(item.badge, one.badges[n], one.note);
      else assert.equal(item.badge, undefined);
    });
    near([strip.contentWidth], [one.content], one.note);
    strip.visibleWidth = one.visible;
    for (const [at, rests] of one.rest ?? []) near([stripRest(strip, at)], [rests], one.note);
    for (const [at, next, back] of one.turned ?? []) {
      near([stripPage(strip, at, 1), stripPage(strip, at, -1)], [next, back], one.note);
    }
  }
});

test('the tables of widths are those of the programs', () => {
  const swift = read('Sources/TableLayout/WidthTable.swift');
  const [zero, wide] = swift.split('static let wide').map((part) => ([...part.matchAll(/0x([0-9A-F]+)/g)].map(([,
    digits]) => parseInt(digits, 16))));
  assert.deepEqual([...ZERO], zero);
  assert.deepEqual([...WIDE], wide);
});

test('what nobody could see is spelled out', () => {
  assert.equal(shown('a\u202eb\n\u0000\u200fé'), 'a\\u202eb\\n\\u0000\\u200fé');
  assert.equal(shown('plain'), 'plain');
});
