// What of the screen needs no document: moving by keys, asking whether the device is paired, the
// service worker.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';

import './english.mjs';
import {Gathered} from '../../web/src/model/gathered.js';
import {Actions} from '../../web/src/screen/actions.js';
import {Alerts} from '../../web/src/screen/alerts.js';
import {addressOf, boardOf} from '../../web/src/screen/address.js';
import {blank} from '../../web/src/screen/blank.js';
import {Editor} from '../../web/src/screen/editor.js';
import {digitsOf} from '../../web/src/screen/devices.js';
import {expiring} from '../../web/src/screen/fresh.js';
import {Keys} from '../../web/src/screen/keys.js';
import {latinOf} from '../../web/src/screen/latin.js';
import {rowMenu} from '../../web/src/screen/menus.js';
import {Opened} from '../../web/src/screen/opened.js';
import {watchPairing} from '../../web/src/screen/pairing.js';
import {insideOf, near, spanOf} from '../../web/src/screen/places.js';
import {actorSaid, deedSaid, landedSaid, outcomeSaid, putDownSaid, reasonSaid, refusalSaid, storySaid} from '../../web/src/screen/says.js';
import {word} from '../../web/src/screen/words.js';

// It asks at once whether people want less motion.
globalThis.matchMedia = () => ({matches: true});
const {Gestures} = await import('../../web/src/screen/gestures.js');
const {Board} = await import('../../web/src/screen/board.js');
const {StripView} = await import('../../web/src/screen/strips.js');

const turn = () => new Promise((resolve) => {
  setTimeout(resolve, 5);
});

/** A board of three rows whose keys are tried, or of these sections. `lent` and `refuse` answer the lift. */
function moving(given = {
  main: ['a', 'b', 'c']
}) {
  const sections =
    Object.entries(given).map(([id, rows]) => ({id, title: '', rows: rows.map((row) => ({id: row, title: row}))}));
  const has = (id) => (section) => section.rows.some((row) => row.id === id);
  const done = [], shell = new EventTarget();
  const inside = {closest: () => inside};
  globalThis.addEventListener = (name, f) => shell.addEventListener(name, f);
  globalThis.document = {activeElement: inside, body: {}, querySelector: () => null};
  const columns = new EventTarget();
  columns.contains = (element) => element === inside;
  const list = {sections: Object.keys(given), reveal() {}, bring() {}, lineOf: () => 0, views: new Map()};
  let answer, end;
  const lines = [];
  const view = {list: {isSeen: () => true}};
  const board = {
    columns,
    lists: [list],
    viewOf: () => view,
    canMove: () => true,
    leaseOf: () => null,
    mayChange: true,
    mayDefine: true,
    listOf: (id) => (sections.some(has(id)) ? list : null),
    table: {
      kinds: new Map(),
      sections,
      sectionOf: (id) => sections.find(has(id))?.id,
      indexOf: () => 0,
      row: (id) => sections.flatMap(({rows}) => rows).find((row) => row.id === id)
    },
    follow: {
      lift: () => new Promise((resolve) => {
        answer = resolve;
      })
    },
    landing: (where, found) => lines.push(found && found.place),
    say: (words) => done.push(words),
    refused: ({code}) => done.push(code),
    news: (words) => done.push({news: words}),
    shown: async () => {},
    actions: {moved: async (asked, {id}) => done.push(['moved', id, await asked])},
    marks: {size: 0},
    own: {isOwn: false},
  };
  const drag = {
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    hover: () => done.push('hover'),
    cancel: () => done.push('cancel'),
    drop: async (place) => {
      done.push({drop: place});
      return {ok: true, revision: 7};
    }
  };
  const keys = new Keys(board);
  keys.id = 'a';
  const press = (...names) => names.forEach((key) => keys.key({
    key: key.replace('Shift+', ''),
    shiftKey: key.startsWith('Shift+'),
    target: {},
    preventDefault: () => done.push('taken'),
    stopPropagation() {}
  }));
  return {
    board,
    keys,
    done,
    lines,
    press,
    shell,
    columns,
    sections,
    end: (how) => end(how),
    lent: () => answer({ok: true, drag}),
    refuse: () => answer({ok: false, error: {code: 'held'}})
  };
}

test('put down before the lease is there: it ends once all the same', async () => {
  const still = moving();
  still.press('m', 'Enter');
  still.lent();
  await turn();
  assert.equal(still.done.filter((one) => one === 'cancel').length, 1);
  assert.equal(still.keys.lifted, null);
  const moved = moving();
  moved.press('m', 'j', 'Enter');
  assert.equal(moved.keys.lifted, null);
  moved.lent();
  await turn();
  assert.deepEqual(moved.done.filter((one) => one.drop), [{drop: {after: 'b'}}]);
  assert.ok(!moved.done.includes('cancel'));
  assert.deepEqual(moved.done.at(-1), ['moved', 'a', {ok: true, revision: 7}], 'the undo is of this revision');
});

test('a lift that is refused late leaves the next one alone', async () => {
  const one = moving();
  one.press('m');
  const {refuse} = one;
  one.press('Escape');
  refuse();
  one.press('m');
  await turn();
  assert.equal(one.keys.lifted?.id, 'a');
  assert.ok(one.done.includes('held'));
});

test('every place is reached by keys, one after the other, also in a section without rows', async () => {
  const one = moving({grill: ['a', 'b'], fry: [], pass: ['c']});
  const places = [];
  one.press('m');
  for (let steps = 0; steps < 5; steps++) {
    one.press('j');
    places.push(one.keys.lifted.target);
  }
  const way = [{after: 'b'}, {section: 'fry', top: true}, {before: 'c'}, {after: 'c'}];
  assert.deepEqual(places, [...way, way[3]]);
  one.press('g');
  assert.deepEqual(one.keys.lifted.target, {before: 'b'});
  one.lent();
  await turn();
  one.press('j', 'j', 'Enter');
  await turn();
  assert.deepEqual(one.done.filter((what) => what.drop), [{drop: {section: 'fry', top: true}}]);
  assert.ok(one.done.includes('Into fry'));
});

test('Tab and the brackets take a lifted row from section to section', () => {
  const one = moving({grill: ['a', 'b', 'c'], fry: [], pass: ['d']});
  const after = (key) => {
    one.press(key);
    return one.keys.lifted.target;
  };
  one.press('m');
  assert.deepEqual(after('Tab'), {section: 'fry', top: true});
  assert.deepEqual(after(']'), {before: 'd'});
  assert.deepEqual(after('Tab'), {before: 'd'}, 'there is no section after it');
  assert.deepEqual(after('j'), {after: 'd'});
  assert.deepEqual(after('Shift+Tab'), {before: 'd'}, 'first to the beginning of this one');
  assert.deepEqual(after('['), {section: 'fry', top: true});
  assert.deepEqual(after('['), {before: 'b'});
  assert.deepEqual(after('PageDown'), {after: 'd'});
  assert.deepEqual(after('PageUp'), {before: 'b'});
});

test('a lifted row comes to no place where it would pass a pinned row', () => {
  const way = (id, given, ...keys) => {
    const one = moving(given);
    one.keys.id = id;
    one.board.table.kinds.set('pinned', {pinned: true});
    for (const {rows} of one.sections)
      for (const row of rows)
        if (row.id.startsWith('P')) row.kind = 'pinned';
    one.press('m');
    return keys.map((key) => {
      one.press(key);
      return one.keys.lifted.target;
    });
  };
  const kitchen = {grill: ['P1', 'P2', 'a', 'P3', 'b', 'P4'], full: ['P5', 'P6'], pass: ['c', 'P7', 'd', 'e']};
  const grill = [{after: 'P2'}, {after: 'a'}, {after: 'P3'}, {after: 'b'}];
  assert.deepEqual(way('d', kitchen, 'g', 'j', 'j', 'j', 'j', 'j', 'j'),
    [...grill, {after: 'P6'}, {after: 'P7'}, {after: 'e'}], 'in its own section it stays below the pinned one');
  assert.deepEqual(way('d', kitchen, '[', '[', '[', 'Tab', 'Tab', 'Tab'),
    [{after: 'P6'}, {after: 'P2'}, {after: 'P2'}, {after: 'P6'}, {after: 'P7'}, {after: 'P7'}]);
  assert.deepEqual(way('a', kitchen, 'k', 'j', 'G'), [{after: 'P2'}, {after: 'P6'}, {after: 'e'}]);
  assert.deepEqual(way('a', {main: ['a', 'P1', 'b'], pass: ['c', 'P2']}, 'k', 'j', 'j', 'j'),
    [{before: 'P1'}, {before: 'c'}, {after: 'c'}, {after: 'c'}]);
});

test('the line of a lifted row is brought into sight, on cards as in a list', () => {
  const seen = (isGathered) => {
    const {keys, press, board} = moving({main: ['a', 'b', 'c']});
    const [list] = board.lists, brought = [];
    list.gathered = isGathered ? new Gathered(board.table) : undefined;
    list.lineOf = ({before, after}) => `${before ?? ''}|${after ?? ''}`;
    list.bring = (y) => brought.push(y);
    list.reveal = (id) => brought.push(id);
    keys.focusOn = () => {};
    press('m', 'j', 'k');
    return brought;
  };
  assert.deepEqual(seen(false), ['b', 'b']);
  // Back where it stands the line is above the row itself.
  assert.deepEqual(seen(true), ['|b', 'a|']);
});

test('the top of a section stays its top where the pinned row above it has gone', () => {
  const one = moving({main: ['a', 'b'], pass: ['P', 'c', 'd']});
  one.board.table.kinds.set('pinned', {pinned: true});
  const {rows} = one.sections[1];
  rows[0].kind = 'pinned';
  one.press('m', ']');
  assert.deepEqual(one.keys.lifted.target, {after: 'P'});
  rows.shift();
  one.press('j');
  assert.deepEqual(one.keys.lifted.target, {after: 'c'});
});

test('a row that is lifted has its line at once, and other keys say what to do first', () => {
  for (const [id, place] of [['a', {before: 'b'}], ['b', {after: 'a'}]]) {
    const one = moving();
    one.keys.id = id;
    one.press('m');
    assert.deepEqual(one.lines.at(-1), place);
    for (const key of ['?', 'u', '1', 'ArrowLeft']) {
      one.done.length = 0;
      one.press(key);
      assert.match(one.done.find((what) => what.news)?.news ?? '', /^Put it down first/);
    }
    one.done.length = 0;
    one.press('Shift', 'F5');
    assert.deepEqual(one.done, [], 'these are left to the browser');
    one.press('Escape');
    assert.equal(one.lines.at(-1), null);
  }
  const fixed = moving();
  fixed.board.canMove = () => false;
  fixed.press('m');
  assert.ok(fixed.done.some(({news}) => news === 'It cannot be moved.'));
});

/** A board of one row with actions at both edges. `open`: the edge that is open. */
function acting(open, more = {}) {
  const one = moving({main: ['a']});
  const row = one.board.table.row('a');
  const kind = {
    leading: {actions: [{id: 'bump', title: 'BumpL'}, {id: 'assign'}, {id: 'third'}]},
    trailing: {actions: [{id: 'bump', title: 'BumpT'}, {id: 'kill'}]},
    ...more.kind
  };
  one.board.table.kinds = new Map([[row.kind, kind]]);
  one.board.isEditing = more.editing === true;
  one.board.isStill = more.editing === true || more.locked === true;
  one.board.table.editing = more.locked === true;
  one.board.table.settings = {swipeScope: 'viewer'};
  one.board.own = new Opened(one.board);
  const actions = new Actions(one.board);
  if (open) actions.open.set('a', open);
  actions.control = (view, plus) => one.done.push({plus});
  const view = {
    row,
    kind,
    swipe: {isOpen: Boolean(open)},
    list: {isSeen: () => more.isSeen !== false, render: () => more.draw?.()},
    control: () => kind.editingStyle ?? 'delete'
  };
  Object.assign(one.board, {actions, viewOf: () => view, press: (at, id, edge) => one.done.push([id, edge])});
  return {
    ...one,
    row,
    actions,
    news: () => one.done.filter((what) => what.news).map(({news}) => news),
    acts: () => one.done.filter(Array.isArray)
  };
}

test('a digit does the action of that number at the edge that is open, and nothing else', () => {
  const leading = acting('leading');
  leading.press('1', '2', '3', '4');
  assert.deepEqual(leading.acts(), [['bump', 'leading'], ['assign', 'leading'], ['third', 'leading']]);
  assert.deepEqual(leading.news(), ['There are 3 actions here.']);
  const trailing = acting('trailing');
  trailing.press('1', '2', '3');
  assert.deepEqual(trailing.acts(), [['bump', 'trailing'], ['kill', 'trailing']]);
  const closed = acting(null);
  closed.press('1', '4');
  assert.deepEqual([closed.acts(), closed.news().length], [[], 2]);
  for (const [more, why] of [
         [{editing: true}, /^This screen is in edit mode/], [{locked: true}, /^Edit mode is on for everybody/]]) {
    const edited = acting(null, more);
    edited.press('1', 'ArrowLeft');
    assert.deepEqual(edited.acts(), []);
    assert.equal(edited.news().length, 2);
    for (const said of edited.news()) assert.match(said, why);
  }
});

/**
 * A board of rows that swipe and are tapped: `a`, `b`, the strip `s` with the items `soup` and `tea`. `settings`: the
 * table's. `shown()`: which edges are shown open. `refuse` is what commands are refused with, from now on.
 */
function tapped(settings = {}, more = {}) {
  const kinds = new Map(Object.entries({
    plain: {trailing: {actions: [{id: 'stays', hidesWhenSelected: false}, {id: 'closes'}]}, ...more.plain},
    line: {strip: true, states: [{name: 'collapsed'}, {name: 'expanded'}], ...more.line},
  }));
  const rows = new Map([['a', 'plain'], ['b', 'plain'], ['s', 'line']].map(([id, kind]) => [id, {id, kind}]));
  rows.get('s').items = [{id: 'soup'}, {id: 'tea'}];
  const edges = {}, leases = new Map(), views = new Map(), said = [], sent = [];
  const board = {
    chosen: null,
    table: {settings, kinds, sections: [], row: (id) => rows.get(id)},
    mayChange: true,
    mayDefine: true,
    settings: {},
    lists: [{views}],
    viewOf: (id) => views.get(id),
    leaseOf: (id) => leases.get(id) ?? null,
    redraw() {},
    say() {},
    shown: async () => {},
    quiet: () => false,
    keys: {focusOn() {}},
    news: (words) => said.push(words),
    follow: {
      send: async (command, batch) => {
        sent.push(batch?.batch ?? command);
        return board.refuse ? {ok: false, error: {code: board.refuse}} : {ok: true};
      }
    },
  };
  board.own = new Opened(board);
  const actions = board.actions = new Actions(board);
  for (const row of rows.values()) {
    views.set(row.id, {
      id: row.id,
      row,
      swipe: {held: false},
      element: {classList: {add() {}, remove() {}}},
      followSwipe: (now) => {
        edges[now.id] = actions.openEdge(now);
      }
    });
  }
  return {actions, board, edges, kinds, leases, rows, said, sent, views};
}

test('where swipes are the screen\'s own, an action closes its row only if it says so', async () => {
  const {actions, views} = tapped({swipeScope: 'viewer'});
  await actions.opened(views.get('a'), 'trailing');
  await actions.press(views.get('a'), 'stays', 'trailing');
  assert.equal(actions.open.get('a'), 'trailing');
  await actions.press(views.get('a'), 'closes', 'trailing');
  assert.equal(actions.open.size, 0);
});

test('rows that close for another one are shown open again if that is refused', async () => {
  const {actions, board, edges, rows, views, said} = tapped();
  rows.get('a').swipe = 'trailing';
  board.refuse = 'leased';
  const opening = actions.opened(views.get('b'), 'trailing');
  assert.deepEqual(edges, {a: null, b: 'trailing'});
  assert.equal(actions.openEdge(rows.get('a')), null, 'a digit goes by what is shown');
  await opening;
  assert.deepEqual([edges, said.length], [{a: 'trailing', b: null}, 1]);
});

test('no key and no wet tap opens a row that somebody moves', async () => {
  for (const swipeScope of ['viewer', 'shared']) {
    const {actions, board, edges, leases, rows, sent, said, views} = tapped({swipeScope});
    rows.get('a').swipe = 'trailing';
    if (swipeScope === 'viewer') actions.open.set('a', 'trailing');
    leases.set('b', {mine: false});
    board.settings.wet = true;
    actions.tap(views.get('b'));
    await actions.opened(views.get('b'), 'trailing');
    assert.deepEqual([edges, sent], [{b: null}, []]);
    assert.equal(actions.openEdge(rows.get('a')), 'trailing');
    assert.deepEqual(said, ['Somebody is moving it.', 'Somebody is moving it.']);
  }
});

test('swipes of the screen\'s own go along with the table and with those who move rows', () => {
  const {actions, board, leases, rows} = tapped({swipeScope: 'viewer', swipePolicy: 'multiple'});
  for (const id of ['a', 'b']) actions.open.set(id, 'trailing');
  leases.set('a', {mine: false});
  assert.equal(actions.openEdge(rows.get('a')), null, 'somebody moves it');
  leases.set('a', {mine: true});
  assert.equal(actions.openEdge(rows.get('a')), 'trailing');
  assert.deepEqual(actions.follow(), []);
  board.table.settings = {swipeScope: 'viewer', swipePolicy: 'exclusive'};
  assert.deepEqual([actions.follow(), actions.open.size], [['a', 'b'], 0], 'one row is open at most');
  actions.open.set('b', 'trailing');
  assert.deepEqual(actions.follow(), []);
});

test('a tap on a strip opens it and selects nothing, whatever its kind says of its items', () => {
  for (const selection of ['none', 'viewer', 'shared']) {
    for (const tap of [undefined, [{set: {a: 'b'}}], [{expand: 'toggle'}]]) {
      const {actions, board, rows, sent} = tapped({selection}, {line: {tap}});
      actions.tapRow(rows.get('s'));
      assert.deepEqual([sent, board.chosen], [[{expand: {row: 's', toggle: true}}], null]);
    }
  }
  const {actions, rows, sent} = tapped({selection: 'shared'});
  actions.tapRow(rows.get('a'));
  assert.deepEqual(sent, [{select: {row: 'a'}}]);
});

test('what this screen has selected ends with its row, its item and the scope', () => {
  const {actions, board, kinds, rows} = tapped({selection: 'viewer'});
  const line = kinds.get('line'), a = rows.get('a'), s = rows.get('s');
  const isKept = (away, back) => {
    away();
    actions.follow();
    back();
    actions.follow();
    return board.chosen !== null;
  };
  const chosen = (row, item) => {
    actions.select(row, item);
    assert.deepEqual(board.chosen, item ? {row: row.id, item} : {row: row.id});
  };
  chosen(a);
  assert.ok(isKept(() => rows.delete('b'), () => {}));
  assert.ok(!isKept(() => rows.delete('a'), () => rows.set('a', a)));
  chosen(s, 'tea');
  assert.ok(isKept(() => rows.set('s', {...s, items: [{id: 'tea'}]}), () => rows.set('s', s)));
  assert.ok(!isKept(() => rows.set('s', {...s, items: [{id: 'soup'}]}), () => rows.set('s', s)));
  chosen(s, 'tea');
  assert.ok(!isKept(() => kinds.set('line', {}), () => kinds.set('line', line)), 'it was no strip');
  chosen(a);
  assert.ok(!isKept(
    () => {
      board.table.settings = {};
    },
    () => {
      board.table.settings = {selection: 'viewer'};
    }));
  for (const [row, item] of [[s, undefined], [s, 'bread'], [a, 'tea']]) {
    actions.select(row, item);
    assert.equal(board.chosen, null);
  }
});

test('t selects the row, or the item of a strip to which keys have gone', () => {
  const one = acting(null, {kind: {strip: true}});
  one.actions.select = (row, item) => one.done.push([row.id, item]);
  one.press('t');
  assert.deepEqual([one.acts(), one.news()], [[], ['Go to one of its items first: → or ←.']]);
  one.board.viewOf().strip = {marked: 'tea'};
  one.press('t');
  const plain = acting();
  plain.actions.select = one.actions.select;
  plain.press('t');
  assert.deepEqual(one.acts(), [['a', 'tea'], ['a', undefined]]);
});

test('a menu has the actions of both edges, also those of the same id, but once what is the same', () => {
  const {actions, row} = acting(null);
  assert.deepEqual(actions.all(row).map(({action, edge}) => [action.id, edge]),
    [['bump', 'trailing'], ['kill', 'trailing'], ['bump', 'leading'], ['assign', 'leading'], ['third', 'leading']]);
  const both = {actions: [{id: 'bump', title: 'Bump'}]};
  const alike = acting(null, {kind: {leading: both, trailing: structuredClone(both)}});
  assert.equal(alike.actions.all(alike.row).length, 1);
});

test('in edit mode x and i do only what the row has a control for', () => {
  const tried = (key, editingStyle, editing = true) => {
    const one = acting(null, {editing, kind: {editingStyle}});
    one.press(key);
    return one.done.find((what) => what.plus !== undefined)?.plus ?? one.news()[0];
  };
  assert.equal(tried('x', 'delete'), false);
  assert.equal(tried('x', undefined), false);
  assert.equal(tried('i', 'insert'), true);
  for (const style of ['insert', 'none']) assert.match(tried('Delete', style), /cannot be deleted/);
  for (const style of ['delete', 'none', undefined]) assert.match(tried('Insert', style), /can be inserted/);
  for (const key of ['x', 'i']) assert.match(tried(key, 'insert', false), /edit mode/);
});

test('the next late row: those that are late first, then those that soon are, and it is said', () => {
  const one = moving({main: ['a', 'b', 'c', 'd', 'e']});
  const age = (id, seconds) => {
    one.board.table.row(id).createdMs = 1e9 - seconds * 1000;
  };
  one.board.now = () => 1e9;
  one.board.table.kinds = new Map([[undefined, {ages: {warn: 60, late: 600}}]]);
  one.press('n');
  assert.deepEqual([one.keys.id, one.done.filter((what) => what.news)], ['a', [{news: 'No row is late.'}]]);
  age('b', 90);
  age('d', 700);
  age('e', 600);
  const way = [];
  for (let times = 0; times < 4; times++) {
    one.press('n');
    way.push(one.keys.id);
  }
  assert.deepEqual(way, ['d', 'e', 'b', 'd']);
});

test('without the focus on a row its keys only bring it back, and from a button j goes to the rows', () => {
  const one = acting('leading');
  const at = (element) => {
    document.activeElement = element;
  };
  at({closest: () => null});
  one.press('1', 'm', 'x');
  assert.deepEqual([one.acts(), one.keys.lifted], [[], null]);
  const away = acting('leading', {isSeen: false});
  away.press('1', 'm', 'x');
  assert.deepEqual([away.acts(), away.keys.lifted], [[], null], 'nor where it has scrolled out of sight');
  const more = {
    isSeen: false,
    draw: () => {
      more.isSeen = true;
    }
  };
  const scrolled = acting('leading', more);
  scrolled.press('1');
  assert.equal(scrolled.acts().length, 1, 'but where the focus has brought it into sight since rows were drawn');
  const two = moving();
  const pressed = (key, target) => {
    const event = new Event('keydown');
    Object.defineProperties(event, {key: {value: key}, target: {value: target}});
    two.shell.dispatchEvent(event);
    return two.keys.id;
  };
  const button = {closest: (which) => (which === 'button' ? button : null)};
  assert.equal(pressed('j', {closest: (which) => (which.includes('input') ? {} : null)}), 'a');
  assert.equal(pressed('j', button), 'b');
  assert.equal(pressed('x', button), 'b');
  assert.deepEqual(two.done, []);
});

test('a row that is alone can be lifted, and is put back', async () => {
  const one = moving({main: ['a']});
  one.press('m', 'j', 'k', 'G', 'Enter');
  one.lent();
  await turn();
  assert.equal(one.done.filter((what) => what === 'cancel').length, 1);
  assert.equal(one.done.filter((what) => what.drop).length, 0);
});

test('what others add and take away meanwhile does not move the place', async () => {
  const one = moving({main: ['a', 'b', 'c', 'd']});
  const [{rows}] = one.sections;
  one.press('m', 'j');
  one.lent();
  await turn();
  rows.unshift({id: 'x', title: 'x'}, {id: 'y', title: 'y'});
  one.press('j');
  assert.deepEqual(one.keys.lifted.target, {after: 'c'});
  rows.splice(0, 2);
  one.press('k');
  assert.deepEqual(one.keys.lifted.target, {after: 'b'});
  // The row beside the place goes.
  rows.splice(rows.findIndex((row) => row.id === 'b'), 1);
  one.press('j', 'Enter');
  await turn();
  assert.deepEqual(one.done.filter((what) => what.drop), [{drop: {after: 'c'}}]);
});

test('no place is left out where the row beside it has gone', () => {
  const after = (gone, key) => {
    const one = moving({main: ['a', 'b', 'c', 'd'], pass: ['e']});
    one.press('m', 'j', 'j');
    assert.deepEqual(one.keys.lifted.target, {after: 'c'});
    const [{rows}] = one.sections;
    for (const id of gone) rows.splice(rows.findIndex((row) => row.id === id), 1);
    one.press(key);
    return one.keys.lifted.target;
  };
  assert.deepEqual(after(['c'], 'j'), {after: 'd'});
  assert.deepEqual(after(['c'], 'k'), {before: 'b'});
  assert.deepEqual(after(['c', 'd'], 'j'), {before: 'e'});
});

test('what is put down where its section has gone stays where it was, and this is said', async () => {
  const after = async (gone, ...way) => {
    const one = moving({grill: ['a', 'b', 'c'], fry: ['f'], pass: [], end: ['e']});
    one.press('m', ...way);
    one.lent();
    await turn();
    gone(one.sections);
    one.keys.restore();
    const line = one.lines.at(-1);
    one.press('Enter');
    await turn();
    return {
      line,
      drop: one.done.find((what) => what.drop)?.drop,
      isBack: one.done.includes('cancel'),
      isSaid: one.done.includes('noSuchSection')
    };
  };
  const stays = {line: {before: 'b'}, drop: undefined, isBack: true, isSaid: true};
  assert.deepEqual(await after((sections) => sections.splice(1, 1), 'Tab'), stays, 'with the row beside it');
  assert.deepEqual(await after((sections) => sections.splice(2, 1), 'Tab', 'Tab'), stays, 'without rows');
  const goes = {isBack: false, isSaid: false};
  assert.deepEqual(await after((sections) => sections[0].rows.pop(), 'j', 'j'),
    {line: {after: 'b'}, drop: {after: 'b'}, ...goes}, 'behind the row before the one that has gone');
  const top = {section: 'fry', top: true};
  assert.deepEqual(await after((sections) => sections[1].rows.pop(), 'Tab', 'j'), {line: top, drop: top, ...goes});
});

test('a lift by keys that others end says why', async () => {
  const one = moving();
  one.press('m', 'j');
  one.lent();
  await turn();
  one.end({dropped: false, saying: {key: 'putDown.removedBy', values: {who: 'Ana'}}});
  await turn();
  assert.equal(one.keys.lifted, null);
  assert.ok(one.done.some(({news}) => news === 'It was put down: Ana took it away.'));
  const other = moving();
  other.press('m', 'j', 'Escape');
  other.lent();
  await turn();
  other.end({dropped: false});
  await turn();
  assert.ok(!other.done.some(({news}) => news), 'who puts it back is not told');
});

test('who goes elsewhere puts back what is lifted', async () => {
  for (const leave of [({shell}) => shell.dispatchEvent(new Event('blur')), ({columns}) => {
         document.activeElement = {};
         const event = new Event('focusout');
         Object.defineProperty(event, 'target', {value: {}});
         columns.dispatchEvent(event);
       }]) {
    const one = moving();
    one.press('m', 'j');
    one.lent();
    await turn();
    assert.ok(one.done.includes('hover'), 'what was chosen meanwhile is shown to others');
    leave(one);
    await turn();
    assert.equal(one.keys.lifted, null);
    assert.equal(one.done.filter((what) => what === 'cancel').length, 1);
  }
});

/** A row's grip that is pressed. `say(where, type, event)`: what the browser says then. */
function pressed(pointerType, acts = true) {
  const done = [], shell = new EventTarget(), root = new EventTarget();
  globalThis.addEventListener = (...given) => shell.addEventListener(...given);
  globalThis.innerWidth = 400;
  const target = Object.assign(new EventTarget(), {closest: () => null, setPointerCapture() {}});
  const act = {
    move: (x, y) => done.push(['move', x, y]),
    release: () => done.push('release'),
    cancel: () => done.push('cancel')
  };
  const gestures = new Gestures(root, {
    hold: () => 1e6,
    find: () => ({element: target, grip: acts, lift: () => act, released: () => done.push('released')})
  });
  const say = (where, type, more) => {
    const event = Object.assign(new Event(type), {pointerId: 1, pointerType, clientX: 100, clientY: 9, ...more});
    if (where === root) Object.defineProperty(event, 'target', {value: target});
    where.dispatchEvent(event);
  };
  say(root, 'pointerdown', {button: 0, buttons: 1});
  done.length = 0;
  return {gestures, done, say, shell, target};
}

test('a mouse whose release was not heard moves nothing without its button', () => {
  for (const [type, more] of [['pointermove', {button: -1, buttons: 0}], ['pointermove', {button: 0, buttons: 2}],
         ['pointerup', {button: 2, buttons: 0}]]) {
    const {gestures, done, say, shell} = pressed('mouse');
    say(shell, 'pointermove', {button: -1, buttons: 1, clientY: 50});
    say(shell, type, {...more, clientY: 90});
    say(shell, 'pointerup', {button: 0, buttons: 0, clientY: 90});
    assert.deepEqual(done, [['move', 100, 50], 'cancel', 'released'], JSON.stringify(more));
    assert.equal(gestures.pointers.size, 0);
  }
  const {done, say, shell} = pressed('mouse');
  say(shell, 'pointermove', {button: -1, buttons: 3, clientY: 50});
  say(shell, 'pointerup', {button: 0, buttons: 0, clientY: 90});
  assert.deepEqual(done, [['move', 100, 50], ['move', 100, 90], 'release', 'released']);
});

test('a finger that only its target hears of ends there, and each finger ends once', () => {
  const up = {targetTouches: [], changedTouches: [{clientX: 100, clientY: 70}]};
  const drop = [['move', 100, 70], 'release', 'released'];
  for (const acts of [true, false]) {
    const {gestures, done, say, shell, target} = pressed('touch', acts);
    // Another finger on the same element has gone.
    say(target, 'touchend', {...up, targetTouches: [{}]});
    assert.equal(gestures.pointers.size, 1);
    say(target, 'touchend', up);
    assert.equal(gestures.pointers.size, 0);
    say(shell, 'pointerup', {button: 0, buttons: 0, clientY: 70});
    assert.deepEqual(done, acts ? drop : ['released']);
  }
  const heard = pressed('touch');
  heard.say(heard.shell, 'pointerup', {button: 0, buttons: 0, clientY: 70});
  heard.say(heard.target, 'touchend', up);
  assert.deepEqual(heard.done, drop);
  const lost = pressed('touch');
  lost.say(lost.target, 'touchcancel', up);
  assert.equal(lost.gestures.pointers.size, 0);
  lost.say(lost.shell, 'pointercancel');
  assert.deepEqual(lost.done, ['cancel', 'released']);
});

test('a strip that loses its items under the finger holds nothing up', () => {
  let items = [{id: 'a'}, {id: 'b'}];
  const table = {settings: {}, row: () => ({id: 's', items})};
  const actions = new Actions({table});
  const letGo = () => actions.scrolled({row: table.row()}, {item: 'b', fraction: 0});
  letGo();
  assert.equal(actions.scrolls.size, 1);
  items = undefined;
  actions.follow();
  assert.equal(actions.scrolls.size, 0);
  letGo();
  for (items of [undefined, [{id: 'c'}], [{id: 'b'}, {id: 'c'}]]) actions.follow();
  assert.equal(actions.scrolls.size, 0, 'where it was let go there was nothing');
});

test('a page that waits asks whether its device is paired, at most every five seconds', async () => {
  let tell, now = 0, asked = 0, unpaired = 0, answer = null, day;
  const session = {
    connection: 'open',
    device: {},
    closed: false,
    close() { this.closed = true; },
    onChange: (f) => {
      tell = f;
    }
  };
  watchPairing(session, () => {
    unpaired += 1;
  }, {
    clock: () => now,
    paired: async () => {
      asked += 1;
      return answer;
    },
    every: (f, ms) => {
      assert.equal(ms, 86_400_000);
      day = f;
    }
  });
  const wait = async (connection, ms) => {
    now += ms;
    session.connection = connection;
    tell({kind: 'connection'});
    await turn();
  };
  await wait('open', 10000);
  assert.equal(asked, 0);
  await wait('waiting', 10000);
  await wait('waiting', 1000);
  assert.equal(asked, 1, 'it was asked just now');
  answer = true;
  await wait('waiting', 5000);
  assert.deepEqual([asked, unpaired, session.closed], [2, 0, false]);
  answer = false;
  await wait('waiting', 5000);
  await wait('waiting', 5000);
  assert.deepEqual([asked, unpaired, session.closed], [3, 1, true]);
  day();
  assert.equal(asked, 3);
  session.closed = false;
  day();
  assert.equal(asked, 4, 'a page that stays open renews its cookie');
});

/** A body in whose midst the connection ends. */
const CUT = 'cut';

/** The worker with a cache, and a server that gives what `serve(path)` says. */
function worker(serve) {
  const heard = {}, kept = new Map();
  const cache = {
    put: async (key, answer) => {
      kept.set(key, answer);
    },
    match: async (key) => kept.get(key),
    keys: async () => [...kept.keys()].map((key) => ({url: `http://x${key}`})),
    delete: async (key) => kept.delete(key),
    add: async () => {}
  };
  vm.runInNewContext(readFileSync(new URL('../../web/worker.js', import.meta.url), 'utf8'), {
    self: {
      addEventListener: (name, f) => {
        heard[name] = f;
      },
      location: {origin: 'http://x'}
    },
    caches: {open: async () => cache},
    URL,
    Response: class {
      constructor(body, {status}) { Object.assign(this, {body, status, ok: status === 200}); }

      clone() { return this; }

      async text() { return this.body; }
    },
    fetch: async (asked) => {
      const [status, body] = serve(new URL(asked.url ?? `http://x${asked}`).pathname);
      return {
        status,
        ok: status === 200,
        body,
        arrayBuffer: async () => {
          if (body === CUT) throw new TypeError('the connection was lost');
          return body;
        }
      };
    }
  });
  const open = async (path, mode = 'navigate') => {
    let answer = null;
    heard.fetch({
      request: {method: 'GET', mode, url: `http://x${path}`},
      respondWith: (given) => {
        answer = given;
      }
    });
    return (await answer)?.body ?? null;
  };
  const keep = async (paths) => {
    let done = null;
    heard.message({
      data: {keep: paths},
      waitUntil: (given) => {
        done = given;
      }
    });
    await done;
  };
  return {open, keep, kept};
}

test('the worker keeps the page alone as the page, and gives it where a proxy has nothing', async () => {
  let status = 200;
  const {open, kept} = worker((path) => [status, status === 200 ? `of ${path}` : 'no gateway']);
  for (const path of ['/', '/pair', '/index.html', '/board/kitchen']) {
    assert.equal(await open(path), `of ${path}`);
  }
  for (const path of ['/healthz', '/metrics', '/boards', '/tables/kitchen/snapshot']) {
    assert.equal(await open(path), null, 'it is left to the browser');
  }
  assert.equal(await open('/src/a.js', 'cors'), 'of /src/a.js');
  assert.deepEqual([...kept.keys()], ['/', '/src/a.js']);
  for (status of [500, 502, 503]) {
    assert.equal(await open('/board/menu'), 'of /board/kitchen');
    assert.equal(await open('/src/a.js', 'cors'), 'of /src/a.js');
    assert.equal(await open('/src/b.js', 'cors'), 'no gateway', 'nothing is kept of it');
  }
  status = 404;
  assert.equal(await open('/src/a.js', 'cors'), 'no gateway');
});

test('built files of earlier versions are not kept, but for those of the page that is kept', async () => {
  let page = 'has /built/board-1.js';
  const {open, keep, kept} = worker((path) => [200, path === '/' ? page : 'x']);
  await open('/');
  await keep(['/built/board-1.js', '/fonts/a.woff2', '/tables/kitchen/snapshot']);
  assert.deepEqual([...kept.keys()].sort(), ['/', '/built/board-1.js', '/fonts/a.woff2']);
  await keep(['/built/board-2.js']);
  assert.ok(kept.has('/built/board-1.js'), 'the page that is kept begins with it');
  page = 'has /built/board-2.js';
  await open('/');
  await keep(['/built/board-2.js']);
  assert.deepEqual([...kept.keys()].sort(), ['/', '/built/board-2.js', '/fonts/a.woff2']);
});

test('a connection that ends in the midst of a file takes nothing from what is kept', async () => {
  let body = 'whole';
  const {open, kept} = worker(() => [200, body]);
  for (const path of ['/src/a.js', '/style/a.css']) assert.equal(await open(path, 'cors'), 'whole');
  body = CUT;
  assert.equal(await open('/src/a.js', 'cors'), 'whole');
  assert.equal(kept.get('/src/a.js').body, 'whole');
  await assert.rejects(open('/src/b.js', 'cors'), /lost/);
  assert.ok(!kept.has('/src/b.js'));
});

test('a board that this device may not see says so, and offers nothing', () => {
  const made = () => ({
    children: [],
    append(...more) { this.children.push(...more); },
    cloneNode: made,
    setAttribute() {},
    addEventListener() {},
    style: {},
    dataset: {},
    classList: {add() {}}
  });
  globalThis.document = {createElement: made, createElementNS: made};
  const said = (state) => JSON.stringify(
    blank({table: null, name: 'menu', settings: {section: []}, mayChange: true, follow: {freshness: () => ({state})}}));
  assert.match(said('forbidden'), /This device may not see that board\./);
  assert.doesNotMatch(said('absent'), /may not see/);
  assert.doesNotMatch(said('forbidden'), /Add a row/);
});

/** A document that keeps the elements that were made: `press(text)` presses the button that begins with it. */
function papers() {
  const all = [];
  const made = (tag) => {
    const one = {
      tag,
      children: [],
      handlers: {},
      style: {},
      dataset: {},
      classList: {add() {}, remove() {}, contains: () => false},
      append(...more) { this.children.push(...more); },
      cloneNode: () => made(tag),
      showModal() {},
      setAttribute() {},
      getAttribute: () => null,
      hasAttribute: () => false,
      addEventListener(name, f) { this.handlers[name] = f; },
      close() { this.handlers.close?.(); },
      closest: (wanted) => all.findLast((each) => each.tag === wanted),
      remove() {}
    };
    all.push(one);
    return one;
  };
  globalThis.document = {createElement: made, createElementNS: (_, tag) => made(tag), body: made('body')};
  const words = (one) => (one.textContent ?? '') + one.children.map(words).join('');
  const buttons = () => all.filter(({className}) => className?.startsWith('choice'));
  return {press: (text) => buttons().find((one) => words(one).startsWith(text)).handlers.click()};
}

test('a menu acts on the row as it was when the menu was opened', async () => {
  const screen = papers();
  const kind = {
    leading: {actions: [{id: 'charge', title: 'Charge'}]},
    items: [{name: 'dish', menu: [{id: 'fire', title: 'Fire'}]}]
  };
  let row = {id: 'o1', kind: 'order', title: 'Order 1', version: 3, items: [{id: 'soup', kind: 'dish'}]};
  const sent = [], said = [];
  const table =
    {settings: {}, kinds: new Map([['order', kind]]), sections: [], size: 1, sectionOf: () => 'x', row: () => row};
  const board = {
    table,
    now: () => 0,
    mayChange: true,
    mayDefine: true,
    canMove: () => false,
    viewOf: () => null,
    shown: async () => {},
    lists: [],
    marks: {canMark: () => false},
    news: (words) => said.push(words),
    follow: {
      send: async ({act, ifVersion}) => {
        sent.push([act, ifVersion]);
        return {ok: true};
      }
    }
  };
  board.own = new Opened(board);
  board.actions = new Actions(board);
  const open = row;
  rowMenu(board, open);
  rowMenu(board, open, 'item', 'soup');
  row = {...row, version: 4};
  screen.press('Charge');
  screen.press('Fire');
  await turn();
  assert.deepEqual(
    sent, [[{row: 'o1', action: 'charge', edge: 'leading'}, 3], [{row: 'o1', action: 'fire', item: 'soup'}, 3]]);
  said.length = 0;
  row = undefined;
  screen.press('Charge');
  await turn();
  assert.equal(sent.length, 2);
  assert.deepEqual(said, ['It is gone: somebody took it away.']);
});

test('what the role may not do is not offered, and is said in whole sentences', async () => {
  const goes = (section) => ({id: 'bump', title: 'Bump', effect: [{set: {}}, {move: {section}}]});
  const {actions, board, said, sent, views} =
    tapped({expandPolicy: 'accordionSection'}, {plain: {trailing: {actions: [goes('pass')]}}});
  assert.equal(actions.barred(goes('pass')), null, 'whoever may define makes it');
  board.mayDefine = false;
  await actions.press(views.get('a'), 'bump', 'trailing');
  await actions.add('main');
  const none = (name) => `There is no section “${name}” yet, and this screen may not make one.`;
  assert.deepEqual([sent, said], [[], [none('pass'), none('main')]]);
  board.table.sections.push({id: 'pass', rows: []});
  assert.equal(actions.barred(goes('pass')), null);
  board.now = () => 0;
  const late = {id: 'send', when: 'field.state == "ready"', unless: 'It is not ready.'};
  assert.equal(actions.barred(late, views.get('a').row), 'It is not ready.');
  assert.equal(actions.barred({...late, when: 'not claimed'}, views.get('a').row), null);
  assert.equal(actions.barred({id: 'send', when: 'claimed'}, views.get('a').row), 'That can not be done to it now.');
  actions.openAll(true);
  assert.deepEqual([sent, said.at(-1)], [[], 'Only one row can be open on this board.']);
  actions.openAll(false);
  board.table.settings = {expandPolicy: 'independent'};
  actions.openAll(true);
  assert.deepEqual(sent, [{expandAll: {open: false}}, {expandAll: {open: true}}]);
  const looks = acting('trailing');
  looks.board.mayChange = false;
  looks.press('1', 'u', 'r', 'a', 'E', '+', 'm', 'c', 't', 'ArrowLeft');
  assert.deepEqual(new Set(looks.news()), new Set(['This screen may only look.']));
  assert.deepEqual([looks.acts(), looks.news().length], [[], 10]);
});

test('a second press that does nothing is no alarm', async () => {
  const {actions, board, said, views} = tapped();
  const whispers = [];
  board.whisper = (words) => whispers.push(words);
  board.refuse = 'alreadyDone';
  await actions.press(views.get('a'), 'closes', 'trailing');
  assert.deepEqual([said, whispers], [[], ['That is done already, or under way.']]);
});

test('a row sounds where it is new, by a move too, and not where it was', () => {
  const heard = (sections, rows, mine = false, isLive = true) => {
    globalThis.addEventListener = () => {};
    const alerts = new Alerts({
      settings: {shows: (id) => !sections.length || sections.includes(id)},
      mine: () => mine,
      viewOf: () => null,
      changes: [],
    });
    if (isLive) alerts.listen();
    const tones = [];
    alerts.sound = (melody) => tones.push(melody.length);
    alerts.changed([{cause: {}, rows: rows.map((one) => ({id: 'a', ...one}))}]);
    return tones.length;
  };
  const row = {id: 'a'}, moved = {before: row, after: row, moved: true, from: 'grill', to: 'pass'};
  assert.equal(heard(['pass'], [{after: row, to: 'pass'}]), 1);
  assert.equal(heard(['pass'], [{after: row, to: 'pass'}], false, false), 0, 'it leads from an old snapshot to now');
  assert.equal(heard(['pass'], [moved]), 1, 'the next station');
  assert.equal(heard(['grill', 'pass'], [moved]), 0, 'it was on this screen');
  assert.equal(heard([], [moved]), 0);
  assert.equal(heard(['grill'], [moved]), 0, 'it goes');
  assert.equal(heard(['pass'], [moved], true), 0, 'this screen did it');
  assert.equal(heard(['pass'], [{...moved, from: 'pass'}]), 0, 'within its section');
  assert.equal(heard(['pass'], [{before: row, after: row, from: 'pass', to: 'pass'}]), 0);
});

test('the alerts of a board say which news of which rows sounds, and again until somebody has seen it', (t) => {
  globalThis.addEventListener = () => {};
  t.mock.timers.enable({apis: ['setInterval', 'setTimeout']});
  const kinds = new Map([['job', {emphasis: [{when: 'field.note ~ "nut"', row: true}]}]]);
  const row = (id, more = {}) => ({id, kind: 'job', title: id, fields: {}, performed: [], ...more});
  const standing = (id, section) => ({row: row(id), block: {section: {id: section}}});
  const entries = new Map([['a', standing('a', 'grill')], ['b', standing('b', 'fry')]]);
  const settings = {
    alerts: [
      {on: 'new', in : ['grill'], sound: 'alarm', repeat: 15}, {on: 'failed', kinds: ['job']},
      {on: 'emphasised', sound: 'bell'}, {on: 'late', sound: 'none'}
    ]
  };
  const alerts = new Alerts({
    settings: {shows: () => true},
    mine: () => false,
    viewOf: () => null,
    lists: [],
    table: {settings, kinds, entries, sections: []},
    now: () => 0,
    changes: [],
  });
  alerts.listen();
  const heard = [];
  alerts.sound = (melody, event) => heard.push(`${event} ${melody.length}`);
  const all = () => heard.splice(0);
  const change = (id, before, after, from = 'grill', to = from) =>
    alerts.changed([{cause: {}, rows: [{id, before, after, from, to, moved: from !== to}]}]);
  change('b', undefined, row('b'), 'fry');
  assert.deepEqual(all(), [], 'another section');
  change('a', undefined, row('a'));
  assert.deepEqual(all(), ['new 5']);
  const nut = row('a', {fields: {note: 'nut'}});
  change('a', row('a'), nut);
  change('a', nut, {...nut, title: 'other'});
  assert.deepEqual(all(), ['emphasised 3'], 'once');
  change('a', nut, {...nut, performed: [{action: 'x', state: 'failed'}]});
  assert.deepEqual(all(), ['failed 2']);
  t.mock.timers.tick(31_000);
  assert.deepEqual(all(), ['new 5', 'new 5']);
  alerts.seen();
  t.mock.timers.tick(31_000);
  assert.deepEqual(all(), []);
  change('a', undefined, row('a'));
  entries.delete('a');
  t.mock.timers.tick(31_000);
  assert.deepEqual(all(), ['new 5'], 'it has gone meanwhile');
  alerts.nowLate = alerts.raise.bind(alerts, 'late', row('b'), 'grill');
  alerts.nowLate();
  assert.deepEqual(all(), []);
});

test('a menu offers the places to which a row may go', () => {
  const isPinned = (one) => one.startsWith('p');
  const span = (text, id) => spanOf(text.split(' '), text.split(' ').indexOf(id), isPinned);
  assert.deepEqual(span('a b c', 'b'), {from: 0, to: 3, top: true, bottom: true});
  assert.deepEqual(span('a b c', 'a'), {from: 0, to: 3, top: false, bottom: true});
  assert.deepEqual(span('p1 a b p2', 'a'), {from: 1, to: 3, top: false, bottom: true});
  assert.deepEqual(span('p1 a b p2', 'b'), {from: 1, to: 3, top: true, bottom: false});
  // The ends of the section are on the other side of a pinned row.
  assert.deepEqual(span('a p1 b c p2 d', 'c'), {from: 2, to: 4, top: false, bottom: false});
  assert.deepEqual(span('a', 'a'), {from: 0, to: 1, top: false, bottom: false});
  const inside = (text) => Object.values(insideOf(text.split(' ').filter(Boolean), isPinned));
  assert.deepEqual(['', 'a b', 'p1 a p2 b p3', 'p1 p2'].map(inside), [[0, 0], [0, 2], [1, 4], [2, 2]]);
  const rows = Array.from({length: 500}, (_, index) => index);
  assert.deepEqual([near(rows, 408, 61).at(0), near(rows, 408, 61).at(-1)], [378, 438]);
  assert.deepEqual([near(rows, 2, 61).at(0), near(rows, 498, 61).at(-1)], [0, 499]);
  assert.deepEqual(near([1, 2], 1, 61), [1, 2]);
});

test('keys of other scripts are those that lie at their place, and Western letters are their own', () => {
  const keys = {
    j: ['ت', 'KeyJ'],
    b: ['لا', 'KeyB'],
    E: ['ُ', 'KeyE', true],
    u: ['г', 'KeyU'],
    U: ['Г', 'KeyU', true],
    1: ['١', 'Digit1'],
    3: ['۳', 'Numpad3'],
    '/': ['ظ', 'Slash'],
    '?': ['؟', 'Slash', true],
    ']': ['ъ', 'BracketRight']
  };
  for (const [wanted, [key, code, shiftKey]] of Object.entries(keys))
    assert.equal(latinOf({key, code, shiftKey}), wanted);
  const own = [
    ['j', 'KeyJ'], ['q', 'KeyA'], ['é', 'Digit2'], ['ö', 'BracketLeft'], ['§', 'Digit3'], ['ArrowDown', 'ArrowDown'],
    ['Process', 'KeyJ'], ['ت', ''], ['😀', 'Period', true]
  ];
  for (const [key, code, shiftKey] of own) assert.equal(latinOf({key, code, shiftKey}), null, key);
});

test('a tap on the title of a strip, or on its blank, is for no item', () => {
  const strip = {
    view: {scale: 2},
    offset: 10,
    element: {getBoundingClientRect: () => ({left: 100, top: 50})},
    layout: {items: [{id: 'a', x: 0, y: 30, width: 60, height: 40}, {id: 'b', x: 70, y: 30, width: 60, height: 40}]}
  };
  const at = (x, y) => StripView.prototype.itemAt.call(strip, x, y)?.id;
  assert.equal(at(110, 50 + 62), 'a');
  assert.equal(at(250, 50 + 138), 'b');
  assert.equal(at(210, 50 + 100), undefined, 'between two');
  assert.equal(at(110, 50 + 20), undefined, 'the title');
  assert.equal(at(110, 50 + 150), undefined, 'below');
});

test('each name that a table may have has an address, and comes back from it', () => {
  const names = [
    'kitchen', '.', '..', '...', '.hidden', 'a b', ' ', '%', '%2e%2e', '%2F', 'a#b', 'a?b', 'a&b=c', '+', '\\',
    'a\\..\\b', ':', '@', 'it\'s', '"', '<b>', 'Küche', '厨房', '👩‍🍳', '__proto__', 'board', ';', '~', '*'
  ];
  for (const name of names) {
    for (const search of ['', '?kiosk=1&section=grill', '?board=other&dark']) {
      const address = addressOf(name, search);
      const url = new URL(address, 'http://127.0.0.1:7580/board/other');
      assert.equal(boardOf(url), name, `${name} ${search}: ${url}`);
      assert.equal(url.origin, 'http://127.0.0.1:7580');
      if (search.includes('kiosk')) assert.equal(url.searchParams.get('section'), 'grill');
      if (search.includes('dark')) assert.ok(url.searchParams.has('dark'));
    }
  }
  assert.equal(boardOf(new URL('http://a/board/%E0')), null);
  assert.equal(boardOf(new URL('http://a/')), null);
});

test('what is said to people has no words of machines', () => {
  const machine = /revision|version|\blease\b|invocation|\brole\b|field|\bkind\b|"|[a-z][A-Z]/;
  const by = (key, who) => ({key, values: {who}});
  const refused = [
    {code: 'stale', message: 'Row "t1" has version 5, not 4.'},
    {code: 'leased', message: 'Row "t1" is being dragged by grill.', saying: by('leased.by', 'grill')},
    {code: 'claimed', message: 'Row "t1" is claimed by Ana B..', saying: by('claimed.by', 'Ana B.')},
    {code: 'conflict', message: 'Revision 12 (ada: set) is in the way of revision 11: it changed "t1".'},
    {code: 'notUndoable', message: 'A program ran.', saying: {key: 'sent', values: {what: 'Page'}}},
    {code: 'notAllowed', message: 'This device has the role viewer.', saying: {key: 'role'}},
    {code: 'notAllowed', message: 'Rows of kind "notice" cannot be moved.', saying: {key: 'cannotMove'}},
    {code: 'nothingToUndo', message: 'There is no change of a to undo: those after revision 3 are kept.'},
    {code: 'noSuchLease', message: 'The lease has ended.'},
    {code: 'noSuchLease', message: 'There is no lease.', saying: by('putDown.movedBy', 'fryer-2')},
    {code: 'notConnected'},
    {},
    {code: 'tooLarge', message: 'The request has more than 1048576 bytes.'},
  ].map(refusalSaid);
  const said = [
    ...refused, reasonSaid('deadline: not finished within 30 s'), reasonSaid('deadline: not finished within 600 s'),
    reasonSaid('exit status 1'), putDownSaid({key: 'putDown.late'}), putDownSaid({key: 'putDown.removed'}),
    putDownSaid(undefined), putDownSaid({key: 'putDown.moved'}), putDownSaid({key: 'putDown.connection'}),
    putDownSaid({key: 'putDown.board'}), outcomeSaid({code: 'unknown', message: 'Under another pairing.'}),
    outcomeSaid({code: 'noSuchRow', message: 'There is no row "t1".'})
  ];
  for (const one of said) {
    assert.doesNotMatch(one, machine);
    assert.doesNotMatch(one, /1041-g|t1/);
    assert.ok(one.length > 5 && one.length < 90, one);
  }
  assert.equal(refused[1], 'grill is moving it.');
  assert.equal(reasonSaid('deadline: not finished within 600 s'), 'no answer within 10 min');
  assert.equal(refused[2], 'Ana B. is working on it.');
  assert.equal(refused[4], 'Page was sent off and cannot be taken back.');
  assert.equal(refused[6], 'It cannot be moved.');
  assert.equal(refused[9], 'It was put down: fryer-2 moved it.');
  assert.equal(putDownSaid(by('putDown.removedBy', 'Ana')), 'It was put down: Ana took it away.');
  assert.equal(putDownSaid({key: 'rows'}), 'It was put down.', 'no other message can be asked for');
  assert.equal(refusalSaid({code: 'guarded', saying: {key: 'said', values: {text: 'Pay first.'}}}), 'Pay first.');
  assert.equal(refusalSaid({code: 'leased', saying: {key: 7, values: {who: {}}}}), 'Somebody is moving it.');
  assert.equal(reasonSaid('no signal'), 'no signal', 'what a program says stays as it is');
  assert.equal(refusalSaid({code: 'other', message: 'It rains.'}), 'It rains.');
});

test('why a row landed elsewhere is said with the names that rows and sections have here', () => {
  const nameOf = (id) => ({t1: '2 × Fries'})[id] ?? id, sectionOf = () => 'Grill';
  const said = (key, values) => landedSaid({key, values}, nameOf, sectionOf);
  assert.equal(said('after.removed', {row: 't1', gone: 't2'}), 'It stands after 2 × Fries: t2 was removed.');
  assert.equal(said('top.pinned', {section: 's'}), 'It stands at the top of Grill: no row passes pinned ones.');
  const general = 'It is not quite at its old place: the rows around it have changed.';
  assert.deepEqual([said('of.tomorrow', {}), landedSaid(undefined, nameOf, sectionOf)], [general, general]);
});

test('what happened is told in words of the board', () => {
  const title = (id) => ({bump: 'Bump', page: 'Page'}[id] ?? id);
  const told = (verb, ...sayings) => storySaid({cause: {verb, name: 'grill'}, sayings}, title);
  const row = 'Fries';
  const set = {key: 'set.was', values: {row, field: 'driver', value: '9', was: '7'}};
  const act = {key: 'act', values: {row: '3 × lamb', action: 'page'}};
  assert.equal(told('act', set, act), 'Page: 3 × lamb');
  assert.equal(told('claim', {key: 'claimNote', values: {row, note: 'soon'}}), 'Works on “Fries”: soon');
  assert.equal(told('expire', {key: 'unclaim', values: {row}}), 'No longer works on “Fries”');
  assert.equal(told('remove', {key: 'remove', values: {row, more: '24'}}), 'Removed “Fries” and 24 more');
  assert.equal(told('swipe', {key: 'swipe', values: {row}}), null);
  assert.equal(told('set', {key: 'of another release'}), 'A change');
  assert.equal(told('set', set, {key: 'more', values: {count: '2'}}),
    'Set driver of “Fries” to “9”, which was “7” · 2 more things');
  assert.equal(storySaid({cause: {verb: 'set'}, sayings: [set]}, title, row), 'Set driver to “9”, which was “7”');
  assert.equal(storySaid({cause: {verb: 'set'}, text: 'kim set it'}, title), 'kim set it', 'a server without data');
  const moved = {key: 'move.top', values: {row, section: 'fry'}};
  assert.equal(storySaid({cause: {verb: 'undo', undoes: 12}, sayings: [moved]}, title),
    'Took back: Moved “Fries” to the top of fry');
});

test('what is undone is said as people mean it', () => {
  const said = (verb, sayings, rows) =>
    deedSaid({cause: {verb}, sayings, rows}, (id) => ({bump: 'Bump'}[id] ?? id), (id) => `${id} (table 7)`);
  const bump = {key: 'act', values: {row: 'Fries', action: 'bump'}};
  assert.equal(said('act', [{key: 'settings'}, bump], ['f']), 'Bump of f (table 7)');
  assert.equal(said('batch', [bump, bump], ['f', 's']), 'Bump of 2 rows');
  assert.equal(said('move', [{key: 'move.top', values: {row: 'Fries', section: 'fry'}}], ['f']),
    'Moved “Fries” to the top of fry');
});

test('a name that was said stands before the user that was proven', () => {
  assert.equal(actorSaid({name: 'kim', user: 'bob'}), 'kim (bob)');
  assert.equal(actorSaid({name: 'kim', user: 'kim'}), 'kim');
  assert.equal(actorSaid({name: 'kim', user: 'key:kim'}), 'kim');
  assert.equal(actorSaid({name: 'grill', user: 'trestle-serve/grill'}), 'grill');
  assert.equal(actorSaid({name: 'grill', user: 'bob/grill'}), 'grill (bob)');
  assert.equal(actorSaid({user: 'bob'}), 'bob');
  assert.equal(actorSaid({}), undefined);
});

test('the word Live runs out without the page, as each engine can', () => {
  const kit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)', iPad = `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${kit}`;
  const delays = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  ];
  // Other browsers of an iPad have the same engine.
  const runs = [
    `${iPad} Version/17.5 Safari/605.1.15`, `${iPad} CriOS/124.0 Safari/604.1`, `${iPad} FxiOS/126.0`,
    `Mozilla/5.0 (X11; Linux x86_64) ${kit} Version/17.5 Safari/605.1.15`
  ];
  for (const agent of [...delays, ...runs]) {
    for (const ms of [0, 2500]) {
      const [frames, {delay = 0, duration, fill}] = expiring(ms, agent);
      assert.ok(delay + duration >= ms && delay + duration <= ms + 1, agent);
      assert.ok(duration > 0 && fill === 'forwards' && frames.at(-1).opacity === 0, agent);
      assert.equal(delay, runs.includes(agent) ? 0 : ms, agent);
      // While it runs the word is whole, but for its last moment.
      if (duration > 1) assert.deepEqual(frames[1], {opacity: 1, offset: 0.999});
    }
  }
});

test('edit mode ends once where the device may change nothing any more, also while the table is away', () => {
  const said = [], draw = {draw: () => {}};
  const board = Object.assign(Object.create(Board.prototype), {
    session: {device: {role: 'viewer'}},
    follow: {table: null},
    known: null,
    isEditing: true,
    changes: [],
    lists: [],
    drawing: 0,
    actions: {follow: () => assert.fail('there is no table to follow')},
    head: draw,
    notices: draw,
    say: () => {},
    whisper: (sentence) => said.push(sentence),
  });
  board.met();
  board.met();
  assert.deepEqual([board.isEditing, said], [false, [word('edit.ended')]]);
  board.edit(true);
  assert.equal(board.isEditing, false, 'without a table there is nothing to edit');
});

test('the one who turned edit mode on is named, unless it has ended since and somebody else turned it on again',
  async () => {
    const on = {revision: 5, cause: {verb: 'edit', name: 'ada'}, sayings: [{key: 'edit'}]};
    const end = (revision, key) => ({revision, cause: {verb: 'expire'}, sayings: [{key}]});
    const name = async (edits, ends) => {
      const past = {edit: edits, expire: ends};
      const history = async ({verb, most}) => ({changes: {changes: past[verb].slice(0, most)}});
      const editor = new Editor({follow: {table: {editing: true}, history}, notices: {draw: () => {}}});
      await editor.ask();
      return editor.name;
    };
    assert.equal(await name([on], []), 'ada');
    assert.equal(await name([on], [end(8, 'unclaim'), end(3, 'editEnd')]), 'ada',
      'a claim has ended since, and an edit mode before');
    assert.equal(await name([on], [end(8, 'unclaim'), end(6, 'editEnd')]), '', 'hers has ended');
    assert.equal(await name([], [end(6, 'editEnd')]), '', 'nothing is known of it');
  });

test('a code is read in the digits of any keyboard', () => {
  for (const typed of ['123 456', '١٢٣٤٥٦', '۱۲۳-۴۵۶', '１２３４５６', '१२३४५६', '\u{1d7d9}\u{1d7da}\u{1d7db}456'])
    assert.equal(digitsOf(typed), '123456', typed);
  assert.equal(digitsOf('none'), '');
});
