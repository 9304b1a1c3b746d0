// Random tables: the page's layout is that of `trestle -o json layout`, to the last bit, and the rows of a picture stand
// where that says, as exactly as pictures have numbers.

import assert from 'node:assert/strict';
import test from 'node:test';

import {rowContent} from '../../web/src/layout/rows.js';
import {stripLayout} from '../../web/src/layout/strip.js';
import {swipeFrames} from '../../web/src/layout/swipe.js';
import {TableLayout} from '../../web/src/layout/table.js';
import {tableOf} from './example_tables.mjs';
import {Bridge, built, full} from './bridge.mjs';
import {Dice} from './dice.mjs';

const TABLES = full ? 10000 : 300;
const ROWS = 10;
const TEXTS = [
  '', 'Soup', 'One ribeye, medium rare, no onions, table 12', 'a  b\tc', 'line\nbreak\r\nmore', '寿司と天ぷら',
  'Тарелка супа', 'e\u0301\u0300x', '👍🏽 👨‍👩‍👧 🇩🇪', 'unbrokenunbrokenunbrokenunbroken', '❤️1️⃣',
  'a\u00a0b\u200ac', ' lead and trail ', 'x'.repeat(300)
];
const FAMILIES = ['Georgia', 'Helvetica', 'courier', 'Arial', 'monospace'];

class Maker {
  constructor(seed) { this.dice = new Dice(seed); }

  number(least, most) {
    const {dice} = this;
    const value = least + dice.next() * (most - least);
    return dice.pick([Math.round(value), Math.round(value * 10) / 10, value]);
  }

  maybe(p, make) { return this.dice.chance(p) ? make() : undefined; }

  text() { return this.dice.pick(TEXTS); }

  insets() { return [0, 0, 0, 0].map(() => this.dice.pick([0, 0, this.number(0, 12), this.number(0, 50)])); }

  look() {
    const {dice} = this;
    const width = dice.pick([{}, {width: this.number(1, 120)}, {intrinsic: true}, {faceWidth: true}]);
    return {
      ...width,
      style: this.maybe(0.7, () => dice.pick(['default', 'circular', 'custom'])),
      spacing: this.maybe(0.5, () => this.number(0, 20)),
      insets: this.maybe(0.4, () => this.insets())
    };
  }

  face(levels = 3) {
    const {dice} = this;
    const more = {
      size: this.maybe(0.3, () => this.number(6, 30)),
      weight: this.maybe(0.2, () => 'bold'),
      color: this.maybe(0.2, () => '#ff0000'),
      align: this.maybe(0.2, () => dice.pick(['leading', 'trailing', 'center', 'top'])),
      spacing: this.maybe(0.3, () => this.number(0, 9)),
      insets: this.maybe(0.2, () => this.insets()),
      family: this.maybe(0.2, () => [dice.pick(FAMILIES), dice.pick(FAMILIES)]),
      italic: this.maybe(0.1, () => true)
    };
    const parts = () => ({parts: Array.from({length: dice.below(3) + 1}, () => this.face(levels - 1))});
    const content =
      levels > 0 && dice.chance(0.5) ? dice.pick([{vertical: parts()}, {horizontal: parts()}]) : dice.pick([
        {icon: 'bell'}, {text: 'Bump'}, {text: '{title} {f0}, {{x}}'}, {text: 'a{b}'}, {spacer: this.number(0, 30)},
        {face: 'big'}, {text: '寿司'}, {image: {path: 'M3 20L12 4l9 16z', grid: [30, 20], template: dice.chance(0.5)}}
      ]);
    return {...content, ...more};
  }

  group() {
    const {dice} = this;
    return {
      look: this.look(),
      compatible: this.maybe(0.2, () => true),
      fullSwipe: dice.chance(0.3),
      gap: this.maybe(0.3, () => this.number(0, 20)),
      background: this.maybe(0.2, () => '#eeeeee'),
      actions: Array.from({length: dice.below(3) + 1}, (_, n) => ({
        id: `a${n}`,
        title: this.maybe(0.8, () => this.text()),
        look: this.look(),
        icon: this.maybe(0.5, () => 'trash'),
        face: this.maybe(0.5, () => this.face())
      }))
    };
  }

  kind(id) {
    const {dice} = this;
    const strip = id === 'strip';
    return {
      id,
      height: this.number(10, 150),
      layout: dice.pick(['auto', 'manual']),
      margins: {text: this.number(0, 60), bottom: this.number(0, 60)},
      states: [{name: 'collapsed'}, {name: 'low', height: this.number(5, 200)}, {name: 'expanded'}],
      leading: this.group(),
      trailing: this.group(),
      strip,
      appearance: this.maybe(0.3,
        () => [{state: 'expanded', background: '#ffeecc', alpha: this.maybe(0.5, () => 0.5)},
          {state: 'collapsed', tint: '#112233'}]),
      show: this.maybe(0.5, () => ({
        title: this.maybe(0.4, () => dice.pick(['{title} {f0}', '{é}: {title}', '{{{n}}}'])),
        detail: dice.pick([[], ['f1', 'é']]),
        hide: dice.pick([[], ['f0']]),
        as: dice.pick([{}, {n: '0.00', f0: 'clock'}]),
        wrap: this.maybe(0.5, () => 1 + dice.below(8))
      })),
      emphasis: this.maybe(strip ? 0 : 0.5, () => [
        {when: 'field.f0 ~ "o"', field: 'f0', icon: this.maybe(0.5, () => 'warning')},
        {when: dice.pick(['field.f1 ~ "a"', 'title ~ "i"']), ...dice.pick([{field: 'f1'}, {}])}
      ]),
      ages: this.maybe(0.3, () => ({warn: 60, late: 120})),
      ...(strip ? {
        spacing: this.maybe(0.5, () => this.number(0, 30)),
        page: dice.pick(['none', 'item', 'width']),
        items: ['dish', 'drink'].map((name) => ({
          name,
          layout: dice.pick(['auto', 'manual']),
          width: this.maybe(0.4, () => this.number(1, 200)),
          height: this.maybe(0.4, () => this.number(1, 90)),
          fields: this.maybe(0.5, () => ({keys: ['f0', 'f1']})),
          badge: this.maybe(0.5, () => 'n')
        }))
      } :
                  {})
    };
  }

  fields() {
    const keys = ['f0', 'é', 'n', 'f1', 'constructor'].filter(() => this.dice.chance(0.4));
    return Object.fromEntries(keys.map((key) => [key, this.text()]));
  }

  row(n) {
    const {dice} = this;
    const kind = dice.pick(['ticket', 'ticket', 'strip']);
    const items = kind === 'strip' ? Array.from({length: dice.below(5)}, (_, i) => ({
      id: `i${i}`,
      title: this.text(),
      kind: this.maybe(0.7, () => dice.pick(['dish', 'drink'])),
      fields: this.fields()
    })) :
                                     undefined;
    const own = dice.chance(0.2) ?
      {states: [{name: 'collapsed'}, {name: 'own', height: this.number(1, 99)}, {name: 'expanded'}]} :
      {};
    return {
      id: `r${n}`,
      kind,
      title: this.text(),
      fields: this.fields(),
      items,
      ...own,
      section: dice.pick(['main', 'grill', 'fry']),
      actions: this.maybe(0.2, () => ({[dice.pick(['leading', 'trailing'])]: this.group()})),
      expand: this.maybe(0.7, () => dice.pick(['expanded', 'expanded', '80', '0.0001', '33.3', 'collapsed']))
    };
  }

  swipes() {
    return Array
      .from({length: ROWS}, (_, n) => ({swipe: {row: `r${n}`, edge: this.dice.pick(['leading', 'trailing'])}}))
      .filter(() => this.dice.chance(0.6));
  }
}

/** What `trestle -o json layout` would print of the rows. */
function printed(table, {width, profile, pull, nowMs}) {
  const layout = new TableLayout(table, {width, profile});
  const rows = layout.visible(0, 1e9).map(({row, y, height, state}) => {
    const kind = table.kindOf(row);
    const out = {id: row.id, y, height, state};
    const {appearance} = rowContent(row, kind, width, profile);
    if (appearance) out.appearance = appearance;
    if (row.swipe && row.swipe !== 'closed') {
      const frames = swipeFrames({table, row, edge: row.swipe, height, width, pull, profile, nowMs});
      out.swipe = {
        edge: frames.edge,
        pull: frames.pull,
        revealed: frames.revealed,
        gap: frames.gap > 0 ? frames.gap : undefined,
        background: frames.background,
        actions: frames.actions.map(({id, hit, face, radius, clamped, parts}) => {
          const substituted = [...new Set(parts.flatMap((part) => part.substituted))];
          return {id, hit, face, radius, clamped, substituted: substituted.length ? substituted : undefined};
        })
      };
    }
    const strip = stripLayout({table, row, width, height, profile});
    if (strip) {
      const {offset, contentWidth, visibleWidth, spacing, page, rest, items} = strip;
      out.strip = {
        offset,
        contentWidth,
        visibleWidth,
        spacing,
        page,
        rest,
        items: items.map(({id, x, y: top, width: wide, height: high, badge, clamped}) =>
                           ({id, x, y: top, width: wide, height: high, badge, clamped}))
      };
    }
    return out;
  });
  return JSON.parse(JSON.stringify({contentHeight: layout.contentHeight, rows}));
}

/** Where the rows of an SVG picture are: the groups in its outermost one that are cut off at their edges. */
function pictured(svg) {
  const clips = new Map(), found = [];
  let depth = 0;
  for (const line of svg.split('\n')) {
    const clip = /^<clipPath id="(\w+)"><rect x="0" y="0" width="[\d.]+" height="([\d.]+)"/.exec(line);
    if (clip) clips.set(clip[1], Number(clip[2]));
    const group = /^<g(?: transform="translate\(0 ([\d.]+)\)")? clip-path="url\(#(\w+)\)"/.exec(line);
    if (group && depth === 1) found.push({y: Number(group[1]), height: clips.get(group[2])});
    if (line.startsWith('<g')) depth += 1;
    if (line === '</g>') depth -= 1;
  }
  return found;
}

/** The rows of `trestle layout` with the headings of a picture between them. */
function standing(rows, table) {
  const order = table.sections.map(({id}) => id);
  return rows.map(({id, y, height}) => ({y: 62 + 34 * (order.indexOf(table.sectionOf(id)) + 1) + y, height}));
}

async function checkPicture(bridge, name, width, rows, table) {
  const [status, svg, errors] = await bridge.trestle('-o', 'svg', 'show', name, '--width', `${width}`);
  assert.equal(status, 0, errors);
  const found = pictured(svg), wanted = standing(rows, table);
  assert.equal(found.length, wanted.length, `${name} ${width}`);
  wanted.forEach((row, n) => {
    for (const key of ['y', 'height']) {
      // Numbers of a picture have two decimals.
      const isThere = Math.abs(found[n][key] - row[key]) < 0.00501;
      assert.ok(isThere, `${name} ${width}: ${key} of ${n}: ${found[n][key]} ${row[key]}`);
    }
  });
}

async function make(bridge, name, seed) {
  const maker = new Maker(seed);
  const clean = (value) => JSON.parse(JSON.stringify(value));
  const ask = async (what) => {
    const reply = await bridge.ask(clean({table: name, ...what}));
    assert.equal(reply.ok, true, `${seed}: ${JSON.stringify(reply.error)} ${JSON.stringify(what).slice(0, 3000)}`);
  };
  await ask({create: {}});
  const big = maker.face(1);
  const faces = [{name: 'big', face: JSON.stringify(big).includes('"face"') ? {text: 'big'} : big}];
  await ask({
    command: {
      define: {
        kinds: ['ticket', 'strip'].map((id) => maker.kind(id)),
        table: {swipePolicy: 'multiple', scrollScope: 'shared', look: maker.maybe(0.5, () => maker.look()), faces}
      }
    }
  });
  const rows = Array.from({length: ROWS}, (_, n) => maker.row(n));
  const commands = [...rows.map((row) => ({add: row})), ...maker.swipes()];
  for (const row of rows) {
    if (row.items?.length && maker.dice.chance(0.5)) {
      commands.push({scroll: {row: row.id, item: maker.dice.pick(row.items).id, fraction: maker.dice.next()}});
    }
  }
  // A row whose own actions leave an edge empty refuses its swipe: each command by itself.
  for (const command of commands) await bridge.ask(clean({table: name, command}));
  return {
    width: maker.number(30, 900),
    profile: maker.dice.pick(['cell', 'point']),
    pull: maker.maybe(0.5, () => maker.number(0, 400))
  };
}

test(`${TABLES} random tables`, {skip: !built, timeout: 3600000}, async () => {
  const bridge = new Bridge();
  await bridge.ready;
  let swipes = 0, strips = 0, pictures = 0;
  try {
    for (let n = 0; n < TABLES; n++) {
      const name = `t${n}`;
      const how = await make(bridge, name, `layout ${n}`);
      const flags = [
        '--width', `${how.width}`, '--profile', how.profile,
        ...(how.pull === undefined ? [] : ['--pull', `${how.pull}`])
      ];
      const table = tableOf(name, await bridge.snapshot(name));
      const nowMs = Date.now();
      const [status, output, errors] = await bridge.trestle('-o', 'json', 'layout', name, ...flags);
      assert.equal(status, 0, errors);
      const wanted = JSON.parse(output), found = printed(table, {...how, nowMs});
      const {contentHeight, rows} = wanted;
      assert.deepEqual(found, {contentHeight, rows}, `${name} ${flags.join(' ')}`);
      if (how.profile === 'point') {
        await checkPicture(bridge, name, how.width, rows, table);
        pictures += 1;
      }
      swipes += rows.filter((row) => row.swipe).length;
      strips += rows.filter((row) => row.strip).length;
      await bridge.ask({table: name, drop: {}});
    }
  } finally {
    await bridge.close();
  }
  console.log(`# ${TABLES} tables, ${swipes} swipes, ${strips} strips, ${pictures} pictures`);
  assert.ok(swipes > TABLES && strips > TABLES && pictures > TABLES / 3);
});
