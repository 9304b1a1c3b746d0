// Rows of a group on one card: where they stand, how high all is, and where a row lands that is put between them.

import assert from 'node:assert/strict';
import test from 'node:test';

import './english.mjs';
import {rowFace} from '../../web/src/layout/rowface.js';
import {TableLayout} from '../../web/src/layout/table.js';
import {Gathered, gathers} from '../../web/src/model/gathered.js';
import {Table} from '../../web/src/model/table.js';
import {CardHeads} from '../../web/src/screen/cardheads.js';
import {subtitle} from '../../web/src/screen/content.js';
import {columnAt, flow} from '../../web/src/screen/flow.js';
import {Gap} from '../../web/src/screen/gaps.js';
import {stepsOf} from '../../web/src/screen/places.js';
import {Dice} from './dice.mjs';

const HEAD = 36, CARD_HEAD = 22;
const digest = '0'.repeat(16);

/** A table of sections of rows, each as `id`, `id:order` or `!id`, which is pinned. */
function tableOf(sections) {
  const table = new Table('t');
  table.settings = {digest};
  table.kinds.set('ticket', {id: 'ticket', digest, height: 60, show: {group: 'order'}});
  table.kinds.set('notice', {id: 'notice', digest, height: 40, pinned: true, show: {group: 'order'}});
  sections.forEach((rows, n) => {
    const section = table.addSection(`s${n}`, '');
    for (const text of rows) {
      const [id, order] = text.replace('!', '').split(':');
      const kind = text.startsWith('!') ? 'notice' : 'ticket';
      table.push(section, {id, kind, title: `Ticket ${id}`, ...order ? {fields: {order}} : {}});
    }
  });
  return table;
}

function randomTable(dice) {
  let count = 0;
  return Array.from({length: 1 + dice.below(3)}, () => Array.from({length: dice.below(14)}, () => {
    count += 1;
    if (dice.chance(0.08)) return `!r${count}:${dice.below(3)}`;
    return dice.chance(0.25) ? `r${count}` : `r${count}:${dice.below(4)}`;
  }));
}

const ids = (rows) => rows.map(({id}) => id);
const drawn = (gathered) => gathered.sections.map(({rows}) => ids(rows));
const layoutOf = (gathered, width = 200) =>
  new TableLayout(gathered, {width, head: HEAD, above: (id) => (gathered.isFirst(id) ? CARD_HEAD : 0)});

test('an order stands where its first ticket does; what is pinned is passed by none', () => {
  const gathered = new Gathered(tableOf([['a1:7', 'b1:8', 'x', 'a2:7', '!n:7', 'a3:7', 'c1:9', 'a4:7'], ['a5:7']]));
  assert.deepEqual(drawn(gathered), [['a1', 'a2', 'b1', 'x', 'n', 'a3', 'a4', 'c1'], ['a5']]);
  assert.deepEqual(ids(gathered.cardOf('a2').rows), ['a1', 'a2']);
  assert.equal(gathered.cardOf('a1').name, '7');
  for (const id of ['b1', 'x', 'n', 'c1']) assert.equal(gathered.cardOf(id), null, id);
  assert.deepEqual(ids(gathered.cardOf('a5').rows), ['a5'], 'its order has others elsewhere');
  assert.deepEqual(['a1', 'a2', 'a3', 'x', 'a5'].map((id) => gathered.isFirst(id)), [true, false, true, false, true]);
  assert.equal(gathers(gathered), true);
  const plain = tableOf([['a']]);
  for (const kind of plain.kinds.values()) delete kind.show.group;
  assert.equal(gathers(plain), false);
});

test('every row once, a group in its section\'s order, and heights that add up', () => {
  const dice = new Dice('gathered');
  for (let turn = 0; turn < 300; turn++) {
    const table = tableOf(randomTable(dice));
    const gathered = new Gathered(table);
    const layout = layoutOf(gathered);
    const rank = (row) => table.indexOf(row.id);
    const orders =
      table.sections.flatMap(({rows}) => rows).filter((row) => row.kind === 'ticket').map((row) => row.fields?.order);
    const isMore = ({fields}) => fields !== undefined && orders.filter((one) => one === fields.order).length > 1;
    let y = 0;
    table.sections.forEach((section, n) => {
      const rows = gathered.sections[n].rows;
      assert.deepEqual([...ids(rows)].sort(), [...ids(section.rows)].sort());
      const {cards} = gathered.parts.get(section.id);
      assert.deepEqual(ids(cards.flatMap((card) => card.rows)), ids(rows));
      y += HEAD;
      let before = -1;
      for (const card of cards) {
        assert.ok(rank(card.rows[0]) > before, 'cards stand in the order of their first rows');
        before = rank(card.rows[0]);
        assert.deepEqual(card.rows.map(rank), card.rows.map(rank).sort((a, b) => a - b));
        y += card.rows[0].kind === 'ticket' && isMore(card.rows[0]) ? CARD_HEAD : 0;
        for (const row of card.rows) {
          assert.equal(layout.offsetOf(row.id), y);
          y += layout.heightOf(row.id);
        }
      }
    });
    assert.equal(layout.contentHeight, y);
    const seen = layout.visible(0, y);
    assert.deepEqual(ids(seen), drawn(gathered).flat());
    for (const one of seen) {
      assert.equal(one.y, layout.offsetOf(one.id));
      // Its head is the row's, too: a finger there is on the card.
      assert.equal(layout.rowAt(one.y - one.above).id, one.id);
    }
  }
});

test('no card is torn that fits a column, and a torn one says in the next column what it goes on with', () => {
  const dice = new Dice('torn');
  let torn = 0;
  for (let turn = 0; turn < 300; turn++) {
    const gathered = new Gathered(tableOf(randomTable(dice)));
    const layout = layoutOf(gathered);
    const room = 160 + dice.below(500);
    const columns = flow(layout, room, HEAD, gathered, CARD_HEAD);
    const rows = layout.visible(0, layout.contentHeight);
    let at = 0;
    for (const [index, column] of columns.entries()) {
      assert.ok(Math.abs(column.from - at) < 0.001, 'nothing is left out, nothing is twice');
      at = column.to;
      const inside = rows.filter((one) => columnAt(columns, one.y) === index);
      assert.ok(column.lead + column.to - column.from <= room + 0.01 || inside.length <= 1);
      const [first] = inside;
      const goesOn = first !== undefined && gathered.isJoined(first.id);
      assert.equal(column.card, goesOn ? first.id : null);
      assert.equal(column.lead, (column.head ? HEAD : 0) + (goesOn ? CARD_HEAD : 0));
      if (!goesOn) continue;
      torn += 1;
      const all = gathered.cardOf(first.id).rows.map(({id}) => layout.heightOf(id));
      assert.ok(HEAD + CARD_HEAD + all.reduce((sum, one) => sum + one, 0) > room, 'it fits no column');
    }
    assert.ok(Math.abs(at - layout.contentHeight) < 0.001);
  }
  assert.ok(torn > 20, `${torn}`);
});

/** The table after a row went to a place. */
function moved(texts, id, place) {
  const idOf = (text) => text.replace('!', '').split(':')[0];
  const text = texts.flat().find((one) => idOf(one) === id);
  const rest = texts.map((rows) => rows.filter((one) => one !== text));
  const near = place.before ?? place.after;
  const section = near === undefined ? Number(place.section.slice(1)) :
                                       rest.findIndex((rows) => rows.some((one) => idOf(one) === near));
  const at = near === undefined ? (place.top ? 0 : rest[section].length) :
                                  rest[section].findIndex((one) => idOf(one) === near) + (place.before ? 0 : 1);
  rest[section].splice(at, 0, text);
  return new Gathered(tableOf(rest));
}

/** The id of a row that is not pinned; null: there is none. */
function anyFree(dice, gathered) {
  const free = drawn(gathered).flat().filter((one) => !gathered.isPinned(gathered.row(one)));
  return free.length > 0 ? dice.pick(free) : null;
}

function randomPlace(dice, gathered, id) {
  const others = drawn(gathered).flat().filter((one) => one !== id);
  if (others.length === 0 || dice.chance(0.2)) {
    return {section: dice.pick(gathered.sections).id, ...dice.chance(0.5) ? {top: true} : {bottom: true}};
  }
  return {[dice.pick(['before', 'after'])]: dice.pick(others)};
}

test('a row lands where it is said to, whatever the table makes of its group', () => {
  const dice = new Dice('landing');
  for (let turn = 0; turn < 4000; turn++) {
    const texts = randomTable(dice);
    const gathered = new Gathered(tableOf(texts));
    const id = anyFree(dice, gathered);
    if (id === null) continue;
    const place = randomPlace(dice, gathered, id);
    const said = gathered.landing(place, id);
    const then = moved(texts, id, place);
    const card = then.cards.get(id);
    const order = ids(then.sections.find((one) => one.id === card.section).rows);
    const at = order.indexOf(id);
    const note = JSON.stringify({texts, id, place, said, order});
    if (said.section !== undefined) {
      assert.deepEqual(order, [id], note);
      assert.equal(card.section, said.section);
    } else if (said.isIn) {
      assert.ok(card.rows.some((row) => row.id === (said.before ?? said.after)), note);
      assert.equal(order[at + (said.before ? 1 : -1)], said.before ?? said.after, note);
    } else {
      // The other rows of its card follow it there.
      const rest = order.filter((one) => one === id || then.cards.get(one) !== card);
      const i = rest.indexOf(id);
      assert.equal(order.indexOf(card.rows[0].id), at, note);
      if (said.before) assert.equal(rest[i + 1], said.before, note);
      else assert.equal(rest[i - 1], said.after, note);
    }
  }
});

test('a row that is put beside others as they are drawn comes to stand there', () => {
  const dice = new Dice('placed');
  let beside = 0;
  for (let turn = 0; turn < 4000; turn++) {
    const texts = randomTable(dice);
    const gathered = new Gathered(tableOf(texts));
    const id = anyFree(dice, gathered);
    if (id === null) continue;
    const wanted = randomPlace(dice, gathered, id);
    const place = gathered.placeFor(wanted, id, () => dice.chance(0.5));
    const then = moved(texts, id, place);
    const others = (table) => drawn(table).map((rows) => rows.filter((one) => one !== id));
    const note = JSON.stringify({texts, id, wanted, place});
    // A row that leads no card moves none.
    if (!gathered.isFirst(id) && !then.isFirst(id)) assert.deepEqual(others(then), others(gathered), note);
    const card = gathered.cardOf(wanted.before ?? wanted.after);
    const now = then.cards.get(id);
    if (!card || now.rows.length > 1 || gathered.cardOf(id)) continue;
    const order = ids(then.sections.find((one) => one.id === now.section).rows);
    const at = order.indexOf(id), rows = ids(card.rows);
    assert.ok(order[at + 1] === rows[0] || order[at - 1] === rows.at(-1), note);
    beside += 1;
  }
  assert.ok(beside > 200, `${beside}`);
});

test('where a row would stay where it is, its place is that of now', () => {
  const gathered = new Gathered(tableOf([['a1:7', 'b1:8', 'a2:7', 'x', 'y']]));
  const placed = (place, id, above) => gathered.placeFor(place, id, () => above);
  assert.deepEqual(placed({before: 'x'}, 'b1'), {after: 'a1'});
  assert.deepEqual(placed({after: 'a2'}, 'b1', false), {after: 'a1'});
  assert.deepEqual(placed({after: 'a2'}, 'b1', true), {before: 'a1'});
  assert.deepEqual(placed({before: 'b1'}, 'b1'), {after: 'a1'});
  assert.deepEqual(placed({after: 'x'}, 'b1'), {after: 'x'});
  assert.deepEqual(placed({before: 'a2'}, 'y', false), {after: 'a1'});
  assert.deepEqual(gathered.landing({after: 'x'}, 'a2'), {after: 'a1', isIn: true}, 'its order keeps it');
  assert.deepEqual(gathered.landing({section: 'nowhere', top: true}, 'x'), null);
  assert.deepEqual(gathered.landing({before: 'nobody'}, 'x'), null);
});

test('steps of a lifted row: each is to another place than the one before', () => {
  const gathered = new Gathered(tableOf([['a1:7', 'b1:8', 'a2:7', 'c1:9', 'c2:9', 'x']]));
  const places = (id) => [{before: 'a1'}, ...['a1', 'b1', 'a2', 'c1', 'c2', 'x'].map((after) => ({after}))].filter(
    ({after, before}) => (after ?? before) !== id);
  assert.deepEqual(gathered.distinct(places('x'), 'x'), [{before: 'a1'}, {after: 'a1'}, {after: 'b1'}, {after: 'c2'}],
    'past whole cards, and where it stands');
  assert.deepEqual(gathered.distinct(places('c2'), 'c2'), [{before: 'a1'}, {after: 'a1'}, {after: 'b1'}, {after: 'c1'}],
    'at the top of its order it takes that along');
});

/** Where a row would be drawn, as `landing` says it, but with each card looked at for each place. */
function plainLanding(gathered, place, id) {
  const to = gathered.rankOf(place);
  if (!to) return null;
  const rank = (row) => gathered.ranks.get(row.id), first = ({rows}) => rank(rows[0]);
  const {cards, pins} = gathered.parts.get(to.section);
  const others = cards.map((card) => ({...card, rows: card.rows.filter((row) => row.id !== id)}))
                   .filter(({rows}) => rows.length > 0)
                   .sort((a, b) => first(a) - first(b));
  const from = Math.max(-1, ...pins.filter((pin) => pin < to.at));
  const end = Math.min(Infinity, ...pins.filter((pin) => pin > to.at));
  const key = gathered.keyOf(gathered.row(id));
  const own = others.find((card) => key !== null && card.key === key && first(card) > from && first(card) < end);
  const next = others.find((card) => first(card) > to.at), last = others.findLast((card) => first(card) < to.at);
  const isLed = next === own && own && last && last.index > own.index;
  const above = own?.rows.filter((row) => rank(row) < to.at) ?? [];
  if (own && !isLed && (above.length > 0 || next === own)) {
    const below = own.rows[above.length];
    return below ? {before: below.id, isIn: true} : {after: own.rows.at(-1).id, isIn: true};
  }
  if (next && !isLed) return {before: next.rows[0].id, isIn: false};
  return last ? {after: last.rows.at(-1).id, isIn: false} : {section: to.section};
}

test('where a row lands is found without looking at all cards', () => {
  const dice = new Dice('bisection'), wrong = [];
  for (let turn = 0; turn < 300; turn++) {
    const texts = randomTable(dice);
    const gathered = new Gathered(tableOf(texts));
    for (const id of drawn(gathered).flat()) {
      const known = new Map();
      for (const {id: section, rows} of gathered.sections) {
        const places = [
          {section, top: true}, {section, bottom: true}, ...rows.flatMap((row) => [{before: row.id}, {after: row.id}])
        ];
        for (const place of places) {
          const [said, plain] = [gathered.landing(place, id, known), plainLanding(gathered, place, id)];
          if (JSON.stringify(said) !== JSON.stringify(plain)) wrong.push({texts, id, place, said, plain});
        }
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 1), []);
  // A key that is held down asks for all places many times in a second.
  const many = Array.from({length: 8000}, (_, n) => (n % 50 === 49 ? `!r${n}` : `r${n}:${n % 3500}`));
  const gathered = new Gathered(tableOf([many]));
  let count = 0;
  class Counted extends Map {
    get(key) {
      count += 1;
      return super.get(key);
    }
  }
  gathered.ranks = new Counted(gathered.ranks);
  const places = gathered.table.sections[0].rows.map(({id}) => ({after: id})).filter(({after}) => after !== 'r7');
  assert.ok(gathered.distinct(places, 'r7').length > 4000);
  assert.ok(count < 40 * places.length, `${count} looks at ranks for ${places.length} places`);
});

test('a step up or down by the menu is to where the row is drawn elsewhere', () => {
  const table = tableOf([['!n', 'a1:7', 'b1:8', 'a2:7', 'c1:9', 'x'], ['y']]);
  const gathered = new Gathered(table);
  const fixed = (row) => gathered.isPinned(row);
  const [{rows}, other] = table.sections;
  const steps = (id) => stepsOf(rows, gathered, id, fixed);
  // The order 7 has both of its rows on one card: beside it is below all of it.
  assert.deepEqual(steps('b1'), {up: {after: 'n'}, down: {after: 'c1'}});
  assert.deepEqual(steps('a1'), {up: undefined, down: {after: 'b1'}}, 'with its whole card');
  assert.deepEqual(steps('c1'), {up: {after: 'a1'}, down: {after: 'x'}});
  assert.deepEqual(steps('x'), {up: {after: 'b1'}, down: undefined});
  assert.deepEqual(stepsOf(other.rows, gathered, 'y', fixed), {up: undefined, down: undefined});
  // Where rows are drawn as they stand, and of a row that is not shown there.
  assert.deepEqual(stepsOf(rows, null, 'b1', fixed), {up: {before: 'a1'}, down: {after: 'a2'}});
  assert.deepEqual(stepsOf([{id: 'p'}, {id: 'q'}], gathered, 'q', fixed), {up: {before: 'p'}, down: undefined});
  const dice = new Dice('menu');
  let unseen = 0;
  for (let turn = 0; turn < 300; turn++) {
    const texts = randomTable(dice);
    const one = new Gathered(tableOf(texts));
    for (const [n, section] of one.table.sections.entries()) {
      for (const {id} of section.rows.filter((row) => !fixed(row))) {
        for (const place of Object.values(stepsOf(section.rows, one, id, fixed)).filter(Boolean)) {
          const then = moved(texts, id, place);
          assert.notDeepEqual(drawn(then)[n], drawn(one)[n], JSON.stringify({texts, id, place}));
        }
        for (const place of Object.values(stepsOf(section.rows, null, id, fixed)).filter(Boolean))
          if (JSON.stringify(drawn(moved(texts, id, place))[n]) === JSON.stringify(drawn(one)[n])) unseen += 1;
      }
    }
  }
  assert.ok(unseen > 100, `the table's own steps would not be seen: ${unseen}`);
});

/** Gives the texts of the head of a card with rows of these fields, and those that each row still says below it. */
function headOf(show, fields, emphasis) {
  const table = new Table('t');
  const kind = {id: 'row', digest, show: {...show, line: {parts: show.line}}, emphasis};
  table.settings = {digest};
  table.kinds.set('row', kind);
  const section = table.addSection('s', '');
  fields.forEach((one, n) => table.push(section, {id: `r${n}`, kind: 'row', title: `r${n}`, fields: one}));
  const card = new Gathered(table).cardOf('r0');
  const said = new CardHeads({board: {table, now: () => 0, drawing: 0}, width: 400}).of(card);
  return [
    [said.name, ...said.parts].join(' · '),
    ...card.rows.map((row) => subtitle(row, rowFace(row, kind, {table}), said).text)
  ];
}

test('a head says what its rows have in common, and no row loses what only looks the same', () => {
  const table = (...guests) => guests.map((one) => ({table: '4', guests: one}));
  const show = {group: 'table', line: ['{table}', '{guests}']};
  assert.deepEqual(headOf(show, table('6', '6')), ['4 · 6', '', ''], 'the same of the same');
  assert.deepEqual(headOf(show, table('6', '2')), ['4', '6', '2']);
  assert.deepEqual(headOf(show, table('4', '2')), ['4', '4 · 4', '4 · 2'], 'not all have four guests');
  const seats = {group: 'table', line: ['{seat}', '{course}']};
  const seat = (one, course) => ({table: '4', seat: one, course});
  assert.deepEqual(headOf(seats, [seat('1', '2'), seat('2', '1')]), ['4', '1 · 2', '2 · 1']);
  assert.deepEqual(headOf(seats, [seat('1', '2'), seat('1', '3')]), ['4 · 1', '2', '3']);
  assert.deepEqual(headOf(seats, [seat('1', '1'), seat('1', '1')]), ['4', '1 · 1', '1 · 1']);
  // A field that stands out in a row is not on its line.
  const out = [{when: 'field.seat == "1"', field: 'seat'}];
  assert.deepEqual(headOf(seats, [seat('1', '2'), seat('1', '2')], out), ['4 · 2', '', '']);
});

test('a head is seen only over rows, and not where all of its card is lifted to elsewhere', () => {
  const gathered = new Gathered(tableOf([['a1:7', 'b1:8', 'a2:7', 'x', 'b2:8']]));
  const layout = layoutOf(gathered);
  const list =
    {layout, gaps: [], isBelow: () => true, lean: (y, id) => list.gaps.reduce((sum, gap) => sum + gap.lean(y, id), 0)};
  const heads = new CardHeads(list);
  const isSeen = (id, ...lifts) => {
    const card = gathered.cardOf(id);
    list.gaps = lifts.map(([rows, line]) => new Gap(list, rows, line));
    return heads.isOverRows({card, y: layout.offsetOf(card.rows[0].id) - CARD_HEAD});
  };
  const [own, below] = ['a1', 'x'].map((id) => layout.offsetOf(id));
  assert.equal(isSeen('a1'), true);
  assert.equal(isSeen('a1', [['a1'], below]), true, 'one row stays');
  assert.equal(isSeen('a1', [['a1', 'a2'], own]), true, 'they are where they were');
  for (const line of [null, below, own - CARD_HEAD]) {
    assert.equal(isSeen('a1', [['a1', 'a2'], line]), false, `${line}`);
    assert.equal(isSeen('b1', [['a1', 'a2'], line]), true, 'the next one has come up, or made room');
  }
  assert.equal(isSeen('a1', [['a2'], null], [['a1'], below]), false, 'two people have lifted one each');
  list.views = new Map([['a1', {id: 'a1', place: {}}]]);
  list.gathered = gathered;
  list.layout = {offsetOf: () => null};
  heads.draw(false);
  assert.equal(heads.heads.size, 0, 'of rows that the layout has not there is none');
});

test(
  'where a card goes on in another column its head stands once more, for as long as one of its rows is there', () => {
    const gathered = new Gathered(tableOf([['a1:7', 'a2:7', 'a3:7', 'a4:7', 'x']]));
    const layout = layoutOf(gathered);
    const columns = flow(layout, HEAD + CARD_HEAD + 2 * 60, HEAD, gathered, CARD_HEAD);
    assert.deepEqual(columns.map(({card}) => card), [null, 'a3', null]);
    const list = {
      layout,
      gathered,
      gaps: [],
      isBelow: (y, above) => columnAt(columns, y) === columnAt(columns, above),
      lean: (y, id) => list.gaps.reduce((sum, gap) => sum + gap.lean(y, id), 0),
    };
    const heads = new CardHeads(list);
    const isSeen = (...lifts) => {
      list.gaps = lifts.map(([rows, line]) => new Gap(list, rows, line));
      return heads.isGoingOn(columns[1]);
    };
    const [own, other] = ['a3', 'x'].map((id) => layout.offsetOf(id));
    assert.equal(isSeen(), true);
    assert.equal(isSeen([['a1', 'a2'], other]), true, 'they are of the first column');
    assert.equal(isSeen([['a3'], other]), true, 'one row stays');
    for (const line of [null, other]) assert.equal(isSeen([['a3', 'a4'], line]), false, `${line}`);
    assert.equal(isSeen([['a1', 'a2', 'a3', 'a4'], other]), false);
    assert.equal(isSeen([['a3'], null], [['a4'], other]), false, 'two people have lifted one each');
    assert.equal(isSeen([['a3', 'a4'], own]), true, 'they are where they were');
  });
