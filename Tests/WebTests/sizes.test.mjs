// How large a board is drawn, what a screen keeps of its settings, and cards in columns: none of it needs a document.

import assert from 'node:assert/strict';
import test from 'node:test';

import {TableLayout} from '../../web/src/layout/table.js';
import {Table} from '../../web/src/model/table.js';
import {columnAt, flow} from '../../web/src/screen/flow.js';
import {readSettings, SETTINGS, writeSettings} from '../../web/src/screen/settings.js';
import {distanceOf, fitting, scaleAt} from '../../web/src/screen/sizes.js';
import {Dice} from './dice.mjs';

const HD = {
  width: 1920,
  height: 1080
},
      UHD = {
        width: 3840,
        height: 2160
      };
/** The texts of a board, in points. */
const TITLE = 15, OTHERS = [12, 13, 14];

/** Minutes of arc of capitals, by hand: those of the page's font are 0.688 of its size. Lengths are in millimetres. */
function arcOf(points, scale, pixel, away) {
  return Math.atan((points * scale * 0.688 * pixel) / away) * (180 / Math.PI) * 60;
}

/** A screen of 43 inches is 952 mm wide. */
const arcAtTwoMetres = (points, scale, width) => arcOf(points, scale, 952 / width, 2000);

test('a wall is read from two metres: titles have 20 minutes of arc, all others 16', () => {
  for (const screen of [HD, UHD]) {
    const scale = scaleAt('wall', screen);
    assert.ok(arcAtTwoMetres(TITLE, scale, screen.width) >= 19.995, `${scale}`);
    for (const one of OTHERS) assert.ok(arcAtTwoMetres(one, scale, screen.width) >= 15.995, `${one}`);
    assert.ok(arcAtTwoMetres(TITLE, 1, screen.width) < 10, 'as it was');
    // No more room than that is given away.
    assert.ok(arcAtTwoMetres(TITLE, scale, screen.width) < 20.1);
  }
  assert.ok(Math.abs(scaleAt('wall', UHD) - 2 * scaleAt('wall', HD)) < 0.01, 'the same picture, of more pixels');
  assert.equal(scaleAt('hand', HD), 1);
  assert.ok(arcOf(TITLE, scaleAt('counter', HD), 25.4 / 96, 700) >= 20);
});

test('how far people stand: by the size of the screen, and what it is for', () => {
  const at = (screen, isKiosk, isTouched) => distanceOf({...screen, isKiosk, isTouched});
  assert.equal(at({width: 390, height: 844}, false, true), 'hand');
  assert.equal(at({width: 390, height: 844}, true, true), 'hand');
  assert.equal(at({width: 1024, height: 768}, true, true), 'hand');
  assert.equal(at(HD, false, false), 'hand', 'a desk');
  assert.equal(at(HD, true, false), 'wall');
  assert.equal(at(HD, true, true), 'counter', 'whoever touches it stands there');
  const larger = (percent) => ({width: 192000 / percent, height: 108000 / percent});
  assert.equal(at(larger(125), true, true), 'counter', 'a system that draws larger');
  assert.equal(at(larger(150), true, false), 'wall');
  assert.equal(at({width: 1280, height: 720}, true, false), 'wall');
  assert.equal(at(UHD, false, false), 'counter');
  assert.equal(at(UHD, true, false), 'wall');
});

test('rows keep their room, and what stands around them is never smaller than it was made', () => {
  assert.deepEqual(fitting(3, 390), {rows: 390 / 160, around: 390 / 320});
  assert.deepEqual(fitting(0.75, 390), {rows: 0.75, around: 1});
  assert.deepEqual(fitting(2.275, 1920), {rows: 2.275, around: 2.275});
  assert.deepEqual(fitting(1, 320), {rows: 1, around: 1});
});

test('settings: what is written is read again; what is no value is left out', () => {
  const said = {
    board: 'a b',
    section: ['grill', 'a,b', 'ü&='],
    view: 'cards',
    columns: 4,
    distance: 'wall',
    scale: 150,
    lang: 'ar',
    theme: 'dark',
    sound: 'off',
    notify: true,
    wet: true,
    bump: 'abcdefghi0',
    kiosk: true
  };
  assert.deepEqual(Object.keys(said), Object.keys(SETTINGS));
  assert.deepEqual(readSettings(writeSettings(said)), said);
  assert.equal(writeSettings({}), '');
  assert.deepEqual(readSettings('?kiosk&wet=0&bump=1'), {kiosk: true, wet: false, bump: '1234567890'});
  const wrong = [
    'scale=74', 'scale=301', 'scale=1e2', 'scale=-1', 'scale=', 'scale=99999', 'scale=150.5', 'columns=13', 'columns=x',
    'view=constructor', 'theme=', 'lang=xx', 'sound=__proto__', 'kiosk=yes', 'kiosk=constructor', 'board=a/b',
    'board=', 'nothing=1', 'bump=aa', 'bump=x', 'bump=12345678901', 'bump=%20a'
  ];
  for (const one of wrong) assert.deepEqual(readSettings(one), {}, one);
  assert.deepEqual(readSettings(`section=${'x'.repeat(257)}&section=&section=a`).section, ['a']);
  assert.equal(readSettings(Array.from({length: 999}, (_, n) => `section=${n}`).join('&')).section.length, 64);
  assert.deepEqual(readSettings(`scale=150&section=${'x'.repeat(99999)}`), {scale: 150, section: []});
  for (const one of [null, undefined, '%', '%E0', '{"scale": 9}', '&&==', '\0'])
    assert.deepEqual(readSettings(one), {});
});

/** A table of sections with so many rows each; `isOpen` says which are expanded. */
function tableWith(counts, isOpen = () => false) {
  const table = new Table('t');
  table.settings = {digest: '0'.repeat(16)};
  table.kinds.set('k', {id: 'k', digest: '0'.repeat(16), height: 60});
  counts.forEach((count, s) => {
    const section = table.addSection(`${s}`, '');
    for (let n = 0; n < count; n++) {
      const more = isOpen() ? {expand: 'expanded', fields: {a: '1', b: '2'}} : {};
      table.push(section, {id: `${s}-${n}`, kind: 'k', title: `Ticket ${n}`, ...more});
    }
  });
  return table;
}

const HEAD = 36;

test('24 tickets stand on one wall, none below the fold', () => {
  for (const screen of [HD, UHD]) {
    const scale = scaleAt('wall', screen);
    const width = screen.width / scale, room = screen.height / scale;
    const across = Math.floor(width / 200);
    for (const counts of [[24], [6, 6, 6, 6], [5, 9, 4, 6], [12, 12]]) {
      const layout = new TableLayout(tableWith(counts), {width: width / across, head: HEAD});
      const columns = flow(layout, room, HEAD);
      assert.ok(columns.length <= across, `${counts}: ${columns.length} of ${across}`);
    }
  }
});

test(
  'cards flow in order: none is below the fold while there is room, and each column says what it goes on with', () => {
    const dice = new Dice('cards');
    const roll = (n) => dice.below(n);
    for (let turn = 0; turn < 300; turn++) {
      const counts = Array.from({length: 1 + roll(4)}, () => roll(30));
      const layout = new TableLayout(tableWith(counts, () => roll(5) === 0), {width: 150 + roll(200), head: HEAD});
      const room = 200 + roll(600);
      const columns = flow(layout, room, HEAD);
      const rows = layout.visible(0, layout.contentHeight);
      let at = 0;
      for (const [index, column] of columns.entries()) {
        assert.ok(Math.abs(column.from - at) < 0.001, 'nothing is left out, nothing is twice');
        at = column.to;
        const high = column.lead + column.to - column.from;
        const inside = rows.filter((one) => one.y >= column.from - 0.001 && one.y < column.to - 0.001);
        assert.ok(high <= room + 0.01 || inside.length <= 1, `${high} of ${room}`);
        for (const one of inside) assert.equal(columnAt(columns, one.y), index);
        // The first row of the next one would not have fitted here.
        const next = columns[index + 1];
        const first = next && rows.find((one) => one.y + one.height > next.from + 0.001);
        if (first) assert.ok(high + first.y + first.height - next.from > room, 'it is full');
        const isAtHead = layout.spans.some((one) => Math.abs(one.y - column.from) < 0.001);
        assert.equal(column.head === null, isAtHead);
        if (column.head) assert.equal(column.head.section, inside[0].section);
      }
      assert.ok(Math.abs(at - layout.contentHeight) < 0.001);
    }
  });
