// Offsets of a table that changes: they are those of a layout that is made anew, the anchor stays,
// and a large table is measured in turns.

import assert from 'node:assert/strict';
import test from 'node:test';

import {rowUnits} from '../../web/src/layout/rows.js';
import {announces, pullFor, release} from '../../web/src/layout/swipe.js';
import {TableLayout} from '../../web/src/layout/table.js';
import {ageText, ages, isLate, motionOf} from '../../web/src/layout/motion.js';
import {scrollOf, stripLayout} from '../../web/src/layout/strip.js';
import {Table} from '../../web/src/model/table.js';
import {Gap, landingAt} from '../../web/src/screen/gaps.js';
import {Dice} from './dice.mjs';
import './replica.mjs';

const HEAD = 30;

function tableOfRows(count, expanded = 0) {
  const table = new Table('t');
  table.settings = {digest: '0'.repeat(16)};
  table.kinds.set(
    'row', {id: 'row', digest: '0'.repeat(16), height: 60, states: [{name: 'collapsed'}, {name: 'expanded'}]});
  const sections = ['a', 'b', 'c'].map((id) => table.addSection(id, id));
  for (let n = 0; n < count; n++) {
    table.push(sections[n % 3], {
      id: `r${n}`,
      kind: 'row',
      title: 'one two three four '.repeat(n % 5),
      expand: n < expanded * count ? 'expanded' : 'collapsed'
    });
  }
  return table;
}

function apply(table, ...ops) {
  table.applyOps({base: table.revision, ops});
  table.revision += 1;
}

/** Offsets by adding, row by row. */
function offsets(table, width) {
  const found = new Map();
  let units = 0;
  for (const section of table.sections) {
    units += HEAD * 1024;
    for (const row of section.rows) {
      found.set(row.id, units / 1024);
      units += rowUnits(row, table.kindOf(row), width);
    }
  }
  return {found, height: units / 1024};
}

function randomOp(dice, table) {
  const ids = [...table.entries.keys()];
  const id = dice.pick(ids), other = dice.pick(ids);
  return dice.pick([
    {
      insert:
        {row: {id: `n${Math.floor(dice.next() * 1e12)}`, kind: 'row', title: 'new', expand: 'expanded'}, after: id}
    },
    {remove: {row: id}},
    {expand: {row: id, state: dice.pick(['expanded', 'collapsed', '33.3'])}},
    {set: {row: id, title: 'words '.repeat(dice.below(30))}},
    ...(id === other ? [] : [{move: {rows: [id], after: other}}, {swap: {a: id, b: other}}]),
    {move: {rows: [id], section: dice.pick(['a', 'b', 'c'])}},
  ]);
}

test('random diffs: offsets, what is seen, the row at an offset', () => {
  const dice = new Dice('offsets');
  const table = tableOfRows(400, 0.3);
  const layout = new TableLayout(table, {width: 200, head: HEAD});
  for (let n = 0; n < 300; n++) {
    apply(table, randomOp(dice, table));
    if (n === 150) layout.resize(140);
    if (n === 200) apply(table, {define: {kinds: [{...table.kinds.get('row'), height: 44.7}]}});
    const y = dice.next() * layout.contentHeight;
    const seen = layout.visible(y, 500);
    seen.forEach((row, at) => {
      if (at && seen[at - 1].section === row.section) assert.equal(seen[at - 1].y + seen[at - 1].height, row.y);
    });
    layout.measure(Infinity);
    const {found, height} = offsets(table, layout.width);
    assert.equal(layout.contentHeight, height);
    const id = dice.pick([...table.entries.keys()]);
    assert.equal(layout.offsetOf(id), found.get(id));
    const wanted = [...found].filter(([one, top]) => top + layout.heightOf(one) > y && top < y + 500);
    assert.deepEqual(layout.visible(y, 500).map((row) => [row.id, row.y]), wanted);
    const at = layout.rowAt(found.get(id));
    assert.equal(at.id, id);
    assert.equal(at.index, table.indexOf(id));
  }
  assert.equal(layout.offsetOf('nobody'), null);
});

test('sections of their own', () => {
  const table = tableOfRows(30);
  const layout = new TableLayout(table, {width: 200, sections: ['b'], head: HEAD});
  assert.equal(layout.contentHeight, HEAD + 600);
  assert.deepEqual(layout.visible(0, 5000).map((row) => row.section), Array(10).fill('b'));
  assert.deepEqual(layout.heads(0, 10), [{section: 'b', title: 'b', count: 10, y: 0, height: 630}]);
  assert.equal(layout.offsetOf('r0'), null);
});

test('the anchor stays, whatever happens above', () => {
  const dice = new Dice('anchors');
  const table = tableOfRows(200, 0.2);
  const layout = new TableLayout(table, {width: 200, head: HEAD});
  for (let n = 0; n < 200; n++) {
    const anchor = layout.anchor(dice.next() * (layout.contentHeight - 100));
    const held = anchor.id;
    apply(table, randomOp(dice, table), randomOp(dice, table));
    if (!table.row(held)) continue;
    const y = layout.restore(anchor);
    assert.equal(layout.offsetOf(held) + anchor.below, y);
  }
});

test('an anchor whose row has gone: the next takes its place, or the one before', () => {
  const table = tableOfRows(9);
  const layout = new TableLayout(table, {width: 200});
  const middle = layout.anchor(60 * 4 + 50);
  assert.equal(middle.id, 'r4');
  apply(table, {remove: {row: 'r4'}}, {set: {row: 'r7', title: 'x'}}, {expand: {row: 'r7', state: '20'}});
  // r7 follows with its end at the screen's top, since it is lower than what was scrolled out.
  assert.equal(layout.restore(middle), layout.offsetOf('r7') + 20);
  const last = layout.anchor(layout.contentHeight - 10);
  apply(table, {remove: {row: last.id}});
  assert.equal(layout.restore(last), layout.contentHeight);
  const rest = layout.anchor(0);
  apply(table, ...[...table.entries.keys()].map((row) => ({remove: {row}})));
  assert.equal(layout.restore(rest), 0);
  assert.equal(layout.anchor(0), null);
});

test('a large table is measured in turns, and the anchor keeps its place meanwhile', () => {
  const table = tableOfRows(20000, 1);
  const layout = new TableLayout(table, {width: 120});
  const anchor = layout.anchor(layout.contentHeight / 2);
  const begun = layout.visible(layout.restore(anchor), 400)[0].id;
  let turns = 0, left = Infinity;
  while (left > 0) {
    const now = layout.measure(2000);
    assert.ok(now < left);
    left = now;
    turns += 1;
    assert.equal(layout.visible(layout.restore(anchor), 400)[0].id, begun);
  }
  assert.ok(turns >= 10);
  assert.equal(layout.contentHeight, offsets(table, 120).height - 3 * HEAD);
});

test('rows that are as high as was estimated correct nothing, and one that is higher does', () => {
  const table = tableOfRows(1000);
  const kind = {...table.kinds.get('row'), height: 66, show: {wrap: 4}};
  table.kinds = new Map([['row', kind]]);
  const layout = new TableLayout(table, {width: 600});
  const height = layout.contentHeight;
  const {corrections} = layout;
  while (layout.measure(100) > 0);
  assert.equal(layout.corrections, corrections);
  assert.equal(layout.contentHeight, height);
  apply(table, {set: {row: 'r500', title: 'words '.repeat(40)}});
  while (layout.measure(100) > 0);
  assert.ok(layout.corrections > corrections);
  assert.equal(layout.contentHeight, height - 66 + rowUnits(table.row('r500'), kind, 600) / 1024);
  assert.ok(layout.contentHeight > height);
});

test('a width that is tried again is measured only where rows have changed since', () => {
  const table = tableOfRows(1000, 1);
  const layout = new TableLayout(table, {width: 240});
  while (layout.measure(1000) > 0);
  const narrow = layout.contentHeight;
  layout.resize(480);
  assert.ok(layout.measure(0) > 900, 'at a new width all are estimated');
  while (layout.measure(1000) > 0);
  assert.ok(layout.contentHeight < narrow);
  apply(table, {set: {row: 'r500', title: 'words '.repeat(400)}});
  layout.resize(240);
  const left = layout.measure(0);
  assert.ok(left > 0 && left < 10, `${left} rows to measure`);
  while (layout.measure(1000) > 0);
  assert.equal(layout.contentHeight, offsets(table, 240).height - 3 * HEAD);
  for (let width = 100; width < 150; width++) layout.resize(width);
  assert.ok(layout.widths.size <= 32);
  layout.resize(240);
  assert.ok(layout.measure(0) > 900, 'widths of long ago are forgotten');
});

test('what a finger does', () => {
  const row = {rest: 150, width: 400};
  assert.equal(pullFor({dragged: 100, ...row, full: false}), 100);
  assert.equal(pullFor({dragged: -5, ...row, full: true}), 0);
  assert.equal(pullFor({dragged: 300, ...row, full: true}), 300);
  let last = 150;
  for (let dragged = 160; dragged < 5000; dragged += 10) {
    const pull = pullFor({dragged, ...row, full: false});
    assert.ok(pull > last && pull < 400 && pull - 150 < dragged - 150, 'ever harder, never beyond');
    last = pull;
  }
  assert.equal(announces({pull: 239, ...row, full: true}), false);
  assert.equal(announces({pull: 240, ...row, full: true}), true);
  assert.equal(announces({pull: 399, ...row, full: false}), false);
  assert.equal(release({pull: 240, ...row, full: true}), 'perform');
  assert.equal(release({pull: 240, velocity: -2000, ...row, full: true}), 'close');
  assert.equal(release({pull: 80, ...row, full: false}), 'open');
  assert.equal(release({pull: 70, ...row, full: false}), 'close');
  assert.equal(release({pull: 30, velocity: 900, ...row, full: false}), 'open');
  assert.equal(release({pull: 100, velocity: -900, ...row, full: false}), 'close');
  assert.equal(release({pull: 10, velocity: 900, rest: 0, width: 400, full: false}), 'close');
});

test('motion and ages', () => {
  const motion = motionOf({motion: {lift: 0.2, drop: 99, expand: 'x', hidesLifted: 0}});
  assert.equal(motion.lift, 0.2);
  assert.equal(motion.drop, 10);
  assert.equal(motion.expand, 0.3);
  assert.equal(motion.hidesLifted, 0);
  assert.equal(motionOf(undefined).liftedScale, 1.05);
  assert.deepEqual([0, 59, 60, 425, 3599, 3600, 3900, 86400].map(ageText),
    ['0:00', '0:59', '1:00', '7:05', '59:59', '1 h 00', '1 h 05', '1 d']);
  const kind = {ages: {warn: 60, late: 120}};
  assert.deepEqual(
    [0, 60000, 120000, -5].map((ms) => ages({createdMs: 1e6}, kind, 1e6 + ms).level), ['', 'warn', 'late', '']);
  const rows = [{createdMs: 1e6}, {createdMs: 1e6, sleep: {untilMs: 9e9}}, {}];
  for (const row of rows) {
    for (const ms of [0, 119999, 120000, 5e6]) {
      for (const one of [kind, {ages: {...kind.ages, in : ['grill']}}, {ages: {warn: 1}}, {}]) {
        const {level} = ages(row, one, 1e6 + ms, 'fry');
        assert.equal(isLate(row, one, 1e6 + ms, 'fry'), level === 'late');
      }
    }
  }
});

test('a gap: where a dragged row would land, rows and headings make room, and nothing moves at the drop', () => {
  const dice = new Dice('gaps');
  const table = tableOfRows(40, 0.3);
  table.addSection('empty', 'empty');
  table.push(table.addSection('last', 'last'), {id: 'only', kind: 'row', title: 'only'});
  const standing =
    (layout, gap) => [...layout.visible(0, 1e6).map(({id, y, height}) => [id, y + (gap?.lean(y, id) ?? 0), height]),
      ...layout.heads(0, 1e6).map(({section, y}) => [`head ${section}`, y + (gap?.lean(y) ?? 0), HEAD])]
                       .sort((a, b) => a[1] - b[1]);
  const lineOf = (layout, {before, after, section, top}) => {
    if (before !== undefined) return layout.offsetOf(before);
    if (after !== undefined) return layout.offsetOf(after) + layout.heightOf(after);
    const span = layout.spans.find((one) => one.section === section);
    return span.y + (top ? HEAD : span.height);
  };
  const places = new Set();
  for (let turn = 0; turn < 400; turn++) {
    const layout = new TableLayout(table, {width: 200, head: HEAD});
    const id = dice.pick([...table.entries.keys()]);
    const t = turn % 10 ? dice.next() * (layout.contentHeight + 100) - 50 : layout.offsetOf(id) + dice.next() - 0.5;
    const {place} = landingAt(layout, id, t, HEAD);
    places.add(Object.keys(place).join());
    assert.ok(place.before !== id && place.after !== id);
    const gap = new Gap({layout, isBelow: () => true}, [id], lineOf(layout, place));
    const shown = standing(layout, gap);
    // They stand one below the other: the lifted row is in the gap, which is where it is let go.
    shown.forEach(([, y], n) => assert.ok(n === 0 || Math.abs(shown[n - 1][1] + shown[n - 1][2] - y) < 0.01));
    assert.ok(Math.abs(gap.top - shown.find(([one]) => one === id)[1]) < 0.01);
    const near = Math.min(Math.max(t, 0), layout.contentHeight - layout.heightOf(id));
    assert.ok(Math.abs(gap.top - near) <= HEAD + 200, `${gap.top} ${near}`);
    const section = place.section ?? table.sectionOf(place.before ?? place.after);
    const others =
      table.sections.find((one) => one.id === section).rows.map((row) => row.id).filter((one) => one !== id);
    const behind = place.bottom ?
      others.at(-1) :
      place.after ?? (place.before === undefined ? undefined : others[others.indexOf(place.before) - 1]);
    apply(table, {move: {rows: [id], ...(behind === undefined ? {section} : {after: behind})}});
    const after = standing(new TableLayout(table, {width: 200, head: HEAD}));
    assert.deepEqual(after.map(([one]) => one), shown.map(([one]) => one));
    after.forEach(([, y], n) => assert.ok(Math.abs(y - shown[n][1]) < 0.01));
  }
  assert.ok(places.has('before') && places.has('after') && places.has('section,top'), [...places].join(' '));
});

test('a strip is scrolled to where it was', () => {
  const row = {id: 'r', kind: 'k', items: ['a', 'b', 'c'].map((id) => ({id, title: id.repeat(9)}))};
  const strip = stripLayout({row, kind: {id: 'k'}, width: 100, height: 60});
  for (const offset of [0, 10.5, strip.items[1].x, strip.items[2].x + 20]) {
    const again =
      stripLayout({row: {...row, scroll: scrollOf(strip, offset)}, kind: {id: 'k'}, width: 100, height: 60});
    assert.ok(Math.abs(again.offset - offset) < 1e-9);
  }
});
