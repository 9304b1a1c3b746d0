// Random commands of every verb, mostly such as make sense for the table as it is (as
// clients/python/tests/wishes.py has them).

import {Dice} from './dice.mjs';

const INVOKE = {
  invoke: {deadline: 3600, then: [{set: {fields: {paged: 'yes'}}}]}
};
const AGAIN = {
  invoke: {...INVOKE.invoke, retries: {attempts: 2, backoff: 0.1, else: [{remove: true}]}}
};

export const KINDS = [
  {
    id: 'row',
    leading: {actions: [{id: 'bump', effect: [{set: {fields: {state: 'done'}}}]}]},
    trailing: {actions: [{id: 'page', effect: [AGAIN]}, {id: 'gone', effect: [{remove: true}]}]}
  },
  {
    id: 'ticket',
    height: 60.5,
    states: [{name: 'collapsed'}, {name: 'low', height: 100}, {name: 'expanded'}],
    tap: [{set: {fields: {seen: 'yes'}}}],
    show: {group: 'state'},
    leading: {actions: [{id: 'back', effect: [{moveBack: true}]}]},
    trailing: {
      actions: [
        {id: 'page', effect: [AGAIN]},
        {id: 'all', when: 'age >= 0', effect: [{group: {effects: [{unset: {keys: ['seen']}}]}}]}
      ]
    }
  },
  {
    id: 'strip',
    strip: true,
    tap: [INVOKE],
    items: [{
      name: 'dish',
      menu: [{id: 'serve', effect: [{setItem: {fields: {state: 'served'}}}]}, {id: 'page', effect: [INVOKE]}]
    }]
  },
];
export const SETTINGS = {
  swipePolicy: 'multiple',
  scrollScope: 'shared',
  selection: 'shared'
};
const SECTIONS = ['main', 'grill', 'bär', 'été'];

export class Wishes {
  constructor(seed) {
    this.dice = new Dice(seed);
    this.made = 0;
    this.removed = [];
  }

  /** The next request, without client and number. */
  next(table, client) {
    const {dice} = this;
    if (dice.chance(0.05)) {
      const commands = Array.from({length: dice.below(4) + 1}, () => this.alone(table));
      return {batch: {commands}};
    }
    const names = Object.keys(ONE);
    const many = table.size < 150 ?
      [
        'item', 'item', 'item', 'add', 'add', 'add', 'add', 'add', 'add', 'move', 'move', 'move', 'move', 'set', 'set',
        'set'
      ] :
      ['remove', 'remove', 'remove', 'remove', 'remove', 'remove'];
    for (let n = 0; n < 20; n++) {
      const name = table.size > 5 ? dice.pick([...names, ...many]) : 'add';
      const command = ONE[name](this, table, client);
      if (command) return {command};
    }
    return {command: ONE.add(this, table)};
  }

  alone(table) {
    const name = this.dice.pick(['add', 'move', 'set', 'expand']);
    return ONE[name](this, table, '') ?? ONE.add(this, table);
  }

  row(table, kind) {
    const rows = [...table.entries.values()].filter(({row}) => !kind || row.kind === kind);
    return rows.length ? this.dice.pick(rows).row.id : 'nobody';
  }

  text() { return this.dice.pick(['', 'Soup', 'Тарелка', '天ぷら ☕', 'x'.repeat(100), `n${this.dice.next()}`]); }

  place(table) {
    return this.dice.pick([
      {top: true}, {bottom: true}, {before: this.row(table)}, {after: this.row(table)},
      {bottom: true, section: this.dice.pick(SECTIONS)}
    ]);
  }

  rows(table, most) {
    const count = this.dice.below(most) + 1;
    return [...new Set(Array.from({length: count}, () => this.row(table)))];
  }
}

const ONE = {
  add(w, table) {
    w.made += 1;
    const kind = w.dice.pick(['row', 'ticket', 'strip']);
    const more = kind === 'strip' ?
      {items: Array.from({length: w.dice.below(5)}, (_, n) => ({id: `i${n}`, title: w.text()}))} :
      w.dice.pick([
        {}, {states: [{name: 'collapsed'}, {name: 'own', height: 33.25}]},
        {actions: {leading: {actions: [{id: 'page', effect: [INVOKE]}]}}}
      ]);
    const place = table.size ? w.place(table) : {section: w.dice.pick(SECTIONS)};
    return {
      add: {
        id: `r${w.made}`,
        title: w.text(),
        kind,
        ...place,
        ...more,
        fields: {[w.dice.pick(['ä', 'b', 'c', 'constructor', '__proto__'])]: w.text()}
      }
    };
  },
  set: (w, table) => ({
    set: {
      row: w.row(table),
      ...w.dice.pick([
        {title: w.text()}, {fields: {[w.dice.pick(['ä', 'b', 'c', 'toString'])]: w.text()}}, {unset: ['b']},
        {kind: 'ticket'}, {kind: 'row'}, {states: {}}, {states: {states: [{name: 'expanded'}, {name: 'h', height: 7}]}},
        {actions: {}}, {actions: {trailing: {actions: [{id: 'x'}]}}}
      ])
    }
  }),
  remove(w, table) {
    const rows = w.rows(table, 3);
    w.removed = [...w.removed.slice(-20), ...rows];
    return {remove: {rows, ...w.dice.pick([{}, {hint: 'fade'}])}};
  },
  move: (w, table) => ({move: {rows: w.rows(table, 4), ...w.place(table)}}),
  swap: (w, table) => ({swap: {a: w.row(table), b: w.row(table)}}),
  swipe: (w, table) => ({swipe: {row: w.row(table), edge: w.dice.pick(['leading', 'trailing', 'closed'])}}),
  expand: (w, table) => ({expand: {row: w.row(table), ...w.dice.pick([{toggle: true}, {to: '80'}, {to: '0.5'}])}}),
  expandAll: (w) => (w.dice.chance(0.3) ? {expandAll: {open: w.dice.chance(0.5)}} : null),
  edit: (w, table) => (table.editing || w.dice.chance(0.6) ? {edit: {on: !table.editing}} : null),
  section(w) {
    const id = w.dice.pick([...SECTIONS, 'none', 'nada']);
    return w.dice.pick([{section: {id, title: w.text()}}, {removeSection: {id}}]);
  },
  define(w) {
    const kind = {id: w.dice.pick(['row', 'ticket']), height: w.dice.pick([40, 60, 77.5])};
    const spare = `k${w.dice.below(3)}`;
    return {
      define: w.dice.pick([
        {kinds: [kind]}, {kinds: [{id: spare}]}, {drop: [spare]},
        {table: {expandPolicy: w.dice.pick(['independent', 'accordionSection'])}},
        {table: {motion: {lift: w.dice.pick([0.1, 0.2])}}}
      ])
    };
  },
  act: (w, table) => ({act: {row: w.row(table), action: w.dice.pick(['bump', 'page', 'gone', 'back', 'all'])}}),
  actOnItem(w, table) {
    const row = w.row(table, 'strip');
    const items = (table.row(row)?.items ?? []).filter((item) => item.kind);
    return items.length ? {act: {row, action: w.dice.pick(['serve', 'page']), item: w.dice.pick(items).id}} : null;
  },
  mark: (w, table) => ({mark: w.dice.pick([{}, {row: w.row(table, 'ticket')}])}),
  select(w, table) {
    const row = w.row(table, w.dice.pick(['ticket', 'strip']));
    const [item] = table.row(row)?.items ?? [];
    return {select: {row, ...(item ? {item: item.id} : {})}};
  },
  take: (w, table) => (table.invocations.size ? {take: {most: w.dice.below(2) + 1}} : null),
  retry: (w, table) => ({retry: {row: w.row(table, w.dice.pick(['row', 'ticket']))}}),
  ends(w, table, client) {
    const held = [...table.invocations.values()].filter((one) => one.holder === client);
    if (!held.length) return null;
    const {id} = w.dice.pick(held);
    return w.dice.pick([
      {finish: {invocation: id, done: true}}, {release: {invocation: id}},
      {finish: {invocation: id, failed: 'no paper'}}
    ]);
  },
  item(w, table) {
    const row = w.row(table, 'strip');
    const items = (table.row(row)?.items ?? []).map((item) => item.id);
    if (!items.length || w.dice.chance(0.4)) {
      w.made += 1;
      return {
        item: {
          row,
          add: {
            item: {
              id: `i${w.made}`,
              title: w.text(),
              fields: {'ä': '1'},
              ...w.dice.pick([{}, {tap: {effects: [INVOKE]}}, {kind: 'dish'}])
            },
            anchor: w.dice.pick([{first: true}, {last: true}])
          }
        }
      };
    }
    const item = w.dice.pick(items);
    return {
      item: {
        row,
        ...w.dice.pick([
          {set: {item, title: w.text(), fields: {b: w.text()}}},
          {set: {item, kind: 'dish'}},
          {set: {item, kind: ''}},
          {set: {item, unset: ['b'], tap: {effects: [INVOKE]}}},
          {set: {item, tap: {}}},
          {remove: {items: [item]}},
          {move: {items: [item], anchor: w.dice.pick([{first: true}, {after: w.dice.pick(items)}])}},
        ])
      }
    };
  },
  scroll(w, table) {
    const row = w.row(table, 'strip');
    const items = table.row(row)?.items ?? [];
    return items.length ? {scroll: {row, item: w.dice.pick(items).id, fraction: w.dice.pick([0, 0.25, 0.7])}} : null;
  },
  claim: (w, table) => w.dice.pick([
    {claim: {rows: w.rows(table, 2), note: w.text(), ...w.dice.pick([{}, {ttl: 600}])}},
    {unclaim: {rows: [w.row(table)]}},
    {snooze: {rows: w.rows(table, 2), ...w.dice.pick([{}, {forMs: 300, top: true}, {untilMs: 4102444800000}])}}
  ]),
  past: (w) =>
    w.dice.pick([{undo: {}}, {redo: {}}, ...(w.removed.length ? [{recall: {rows: [w.dice.pick(w.removed)]}}] : [])]),
};
