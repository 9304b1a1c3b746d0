// The API of a session on two fixed tables, without a network: for work on the screen.

import {runAll, Joiner} from '../model/join.js';
import {groupOf} from '../model/read.js';
import * as tables from './demo-tables.js';

function refusal(code, message) {
  return {ok: false, error: {code, message}};
}

/** The op's place of a command's anchor; rows in `without` are passed over. */
function placeOf(table, to, without = []) {
  if (to.after !== undefined) return {after: to.after};
  const section = to.before !== undefined ? table.sectionOf(to.before)
    : to.section ?? (without.length ? table.sectionOf(without[0]) : 'main');
  const rows = (table.sectionById.get(section)?.rows ?? [])
    .filter((row) => !without.includes(row.id));
  if (to.top) return {section};
  const at = to.before === undefined ? rows.length : rows.findIndex((row) => row.id === to.before);
  return at > 0 ? {after: rows[at - 1].id} : {section};
}

/** The ops that an action's effects are, as far as a demonstration needs them. */
function effectOps(table, row, effects) {
  const ops = [];
  for (const effect of Array.isArray(effects) ? effects : []) {
    if (effect.remove) ops.push({remove: {row: row.id}});
    else if (effect.set) ops.push({set: {row: row.id, ...effect.set}});
    else if (effect.expand) ops.push({expand: {row: row.id, state: 'expanded'}});
    else if (effect.move) {
      ops.push({move: {rows: [row.id], ...placeOf(table, effect.move, [row.id])}});
    }
  }
  return ops;
}

const COMMANDS = {
  move: (table, c) => [{move: {rows: c.rows, ...placeOf(table, c, c.rows)}}],
  swap: (_, c) => [{swap: c}],
  remove: (_, c) => c.rows.map((row) => ({remove: {row, hint: c.hint}})),
  set: (_, c) => [{set: c}],
  swipe(table, c) {
    const open = c.edge === 'closed' ? [] : [...table.entries.values()]
      .filter(({row}) => row.id !== c.row && (row.swipe ?? 'closed') !== 'closed');
    return [...open.map(({row}) => ({swipe: {row: row.id, edge: 'closed'}})), {swipe: c}];
  },
  edit: (_, c) => [{edit: c}],
  select: (_, c) => [{select: c}],
  add(table, c) {
    const row = {kind: 'row', createdMs: Date.now(), ...c, id: c.id ?? `demo-${Date.now()}`};
    const to = c.top || c.before || c.after ? c : {...c, bottom: true};
    return [{insert: {row, ...placeOf(table, to)}}];
  },
  expand(table, c) {
    const row = table.row(c.row);
    const names = (table.kindOf(row)?.states ?? []).map((state) => state.name);
    const next = names[(names.indexOf(row.expand ?? 'collapsed') + 1) % names.length];
    return [{expand: {row: c.row, state: c.to ?? next}}];
  },
  act(table, c) {
    const row = table.row(c.row);
    const actions = ['leading', 'trailing']
      .flatMap((edge) => groupOf(row, table.kindOf(row), edge)?.actions ?? []);
    const action = actions.find((one) => one.id === c.action);
    if (!action) throw new Error('there is no such action');
    const close = (row.swipe ?? 'closed') === 'closed' ? []
      : [{swipe: {row: row.id, edge: 'closed'}}];
    return [...close, ...effectOps(table, row, action.effect)];
  },
};

class DemoBoard {
  constructor(session, name) {
    const joiner = new Joiner(name);
    runAll(joiner.add(tables[name]));
    this.session = session;
    this.name = name;
    this.table = runAll(joiner.verify());
    this.presence = {viewers: [{client: 'demo', name: 'demo'}], leases: []};
    this.pending = [];
    this.outcomes = [];
    this.listeners = {diffs: new Set(), reset: new Set(), ended: new Set()};
  }

  freshness() {
    return {state: 'demo', sinceMs: 0, why: ''};
  }

  async send(command, more = {}) {
    await new Promise((resolve) => { setTimeout(resolve, 15); });
    const commands = more.batch ?? [command];
    try {
      const ops = commands.flatMap((one) => {
        const [[verb, body]] = Object.entries(one);
        if (!Object.hasOwn(COMMANDS, verb)) throw new Error(`the demo does not know ${verb}`);
        return COMMANDS[verb](this.table, body);
      });
      this.take(Object.keys(commands[0])[0], ops);
      return {ok: true, revision: this.table.revision, rows: []};
    } catch (error) {
      return refusal('noSuchRow', error.message);
    }
  }

  take(verb, ops) {
    const cause = {client: 'demo', name: 'demo', verb, timeMs: Date.now()};
    const diff = {base: this.table.revision, cause, ops};
    const changed = this.table.applyOps(diff);
    this.table.settle({...diff, digest: this.table.computeDigest()}, this.table.computeDigest());
    for (const f of this.listeners.diffs) f([changed]);
    this.session.tell({kind: 'table', table: this.name});
  }

  async lift(rows) {
    if (rows.some((id) => !this.table.row(id))) return refusal('noSuchRow', 'The row has gone.');
    const lease = {lease: `L${Date.now()}`, holder: 'demo', rows, mine: true};
    let over;
    const ended = new Promise((resolve) => { over = resolve; });
    const change = (leases) => {
      this.presence = {...this.presence, leases};
      this.session.tell({kind: 'presence', table: this.name});
    };
    const drag = {rows, lease: lease.lease, ended, active: true,
      hover: (place) => change([{...lease, ...place}]),
      drop: async (place) => {
        if (!drag.active) return refusal('noSuchLease', 'It has ended.');
        drag.active = false;
        change([]);
        const reply = await this.send({move: {rows, ...place}});
        over({dropped: reply.ok, reply});
        return reply;
      },
      cancel: () => {
        drag.active = false;
        change([]);
        over({dropped: false});
      }};
    change([lease]);
    return {ok: true, drag};
  }

  undo() { return Promise.resolve(refusal('nothingToUndo', 'The demo keeps no history.')); }
  redo() { return this.undo(); }
  recall() { return this.undo(); }
  history() { return Promise.resolve({ok: true, changes: {changes: []}}); }
  who() { return Promise.resolve({ok: true, who: this.presence}); }
  dismiss() {}
  close() {}

  onDiffs(f) { return listen(this.listeners.diffs, f); }
  onReset(f) { return listen(this.listeners.reset, f); }
  onEnded(f) { return listen(this.listeners.ended, f); }
}

function listen(set, f) {
  set.add(f);
  return () => set.delete(f);
}

/** A session with the tables `kitchen` and `menu`. */
export function openDemo() {
  const listeners = new Set();
  const boards = new Map();
  const session = {
    device: {device: 'demo', role: 'operator', tables: ['*'], prefix: 'demo-', hello: {limits: {}}},
    connection: 'open',
    ended: null,
    newAssets: false,
    tell: (event) => { for (const f of listeners) f(event); },
    onChange: (f) => listen(listeners, f),
    tables: async () => ({ok: true, tables: {tables: ['kitchen', 'menu'].map((table) => {
      const made = session.follow(table).table;
      return {table, revision: made.revision, rows: made.size, sections: made.sections.length};
    })}}),
    ask: async () => refusal('unknownVerb', 'The demo answers no questions.'),
    follow(name) {
      if (!boards.has(name)) boards.set(name, new DemoBoard(session, name));
      return boards.get(name);
    },
    isMine: (cause) => cause.client === 'demo',
    woke() {},
    close() {},
  };
  return session;
}
