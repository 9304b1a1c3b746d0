// The ops of a diff (docs/PROTOCOL.md, section 7). Each is checked, then applied to the table. One
// that does not fit throws `Wrong`: the replica is wrong.
//
// A row, its maps and its lists are never changed in place: they are copied first, so that a viewer
// may keep what a row was.

import * as check from './check.js';
import {Wrong} from './hash.js';

const OWN_PERFORMED = 32;
const ITEMS_PERFORMED = 256;

/** A copy of a map of texts without some keys and with others, whatever their names are. */
function merged(fields, unset, more) {
  const gone = new Set(check.list(unset, 'unset'));
  const map = new Map(Object.entries(fields ?? {}).filter(([key]) => !gone.has(key)));
  check.fields(more);
  for (const key of Object.keys(more ?? {})) map.set(key, more[key]);
  return Object.fromEntries(map);
}

/** Sets the title, the kind and the fields that an op gives to a row or an item. */
function setContent(thing, {title, kind, unset, fields}) {
  check.maybeText(title, 'a title');
  check.maybeText(kind, 'a kind');
  if (title !== undefined) thing.title = title;
  if (kind !== undefined) thing.kind = kind;
  if (unset || fields) thing.fields = merged(thing.fields, unset, fields);
}

/** The index of an item; `Wrong` if the strip has none of that id. */
function itemIndex(items, id) {
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw new Wrong('there is no such item');
  return index;
}

/** Invocations stand in the order of their presses: by revision, then by place in the batch. */
export function sortByPress(invocations) {
  const all = [...invocations].map(([id, one]) => ({id, one, press: id.split('.').map(Number)}));
  all.sort(({press: a}, {press: b}) => a[0] - b[0] || a[1] - b[1]);
  invocations.clear();
  for (const {id, one} of all) invocations.set(id, one);
}

/** The row has a new version. */
function changed(table, row, revision) {
  row.version = revision;
  if (table.time) row.changedMs = table.time;
}

function onlyPending(row) {
  if (row.performed) row.performed = row.performed.filter((one) => one.state === 'pending');
}

/** The first of a list that may go is left out. */
function without(performed, mine, states) {
  const index = performed.findIndex((one) => mine(one) && states.includes(one.state));
  if (index >= 0) performed.splice(index, 1);
}

function perform(row, performance) {
  const performed = (row.performed ?? []).slice();
  const at = performed.findIndex((one) => one.action === performance.action && one.item === performance.item);
  if (at >= 0) performed[at] = performance;
  else performed.push(performance);
  const own = (one) => one.item === undefined;
  const ofItems = (one) => one.item !== undefined;
  if (performed.filter(own).length > OWN_PERFORMED) without(performed, own, ['done', 'failed']);
  if (performed.filter(ofItems).length > ITEMS_PERFORMED) without(performed, ofItems, ['failed']);
  row.performed = performed;
}

/** The row of a strip whose items are about to change, with a list of its own. */
function strip(table, op, revision) {
  const row = table.touch(op.row);
  changed(table, row, revision);
  onlyPending(row);
  row.items = (row.items ?? []).slice();
  return row;
}

/** An op that sets a member of a row to what stands under a name in it; it takes the member away if nothing does. */
function keeps(member, checked, name = member) {
  return (table, op) => {
    checked(op[name], name);
    const row = table.touch(op.row);
    if (op[name]) row[member] = op[name];
    else delete row[member];
  };
}

/** An invocation is another one now, or there is a new one. */
function keepInvocation(table, one) {
  table.invocations.set(one.id, one);
  table.note('invocations');
}

const OPS = {
  insert(table, op, revision) {
    const row = {...check.row(op.row)};
    if (table.entries.has(row.id)) throw new Wrong('the row is there already');
    row.version = revision;
    table.insert(row, op);
  },

  remove(table, op) {
    table.remove(op.row, op.hint);
  },

  move(table, op) {
    const ids = check.list(op.rows, 'rows');
    if (new Set(ids).size !== ids.length) throw new Wrong('a row is moved twice');
    table.move(ids, op);
  },

  set(table, op, revision) {
    const row = table.touch(op.row);
    changed(table, row, revision);
    setContent(row, op);
    if (op.actions !== undefined && op.actions !== null) {
      check.actions(op.actions);
      if (op.actions.leading || op.actions.trailing) {
        check.digest(op.actions.digest);
        row.actions = op.actions;
      } else {
        delete row.actions;
      }
    }
    if (op.states !== undefined && op.states !== null) {
      check.states(op.states.states, 'states');
      row.states = op.states.states ?? [];
    }
    onlyPending(row);
  },

  swipe(table, op) {
    check.edge(check.text(op.edge, 'an edge'), 'an edge');
    table.touch(op.row).swipe = op.edge;
  },

  expand(table, op) {
    table.touch(op.row).expand = check.text(op.state, 'a state');
  },

  swap(table, op) {
    table.swap(op.a, op.b);
  },

  insertSection(table, op) {
    check.maybeText(op.title, 'a title');
    if (table.sectionById.has(check.id(op.id, 'a section'))) {
      throw new Wrong('the section is there already');
    }
    const at = op.after === undefined ? 0 : table.sections.indexOf(table.section(op.after)) + 1;
    table.addSection(op.id, op.title ?? '', at);
    table.note('sections');
  },

  removeSection(table, op) {
    const section = table.section(op.id);
    if (section.count > 0) throw new Wrong('the section is not empty');
    table.sections.splice(table.sections.indexOf(section), 1);
    table.sectionById.delete(op.id);
    table.note('sections');
  },

  setSection(table, op) {
    check.maybeText(op.title, 'a title');
    const section = table.section(op.id);
    section.title = op.title ?? '';
    section.known = false;
    table.note('sections');
  },

  define(table, op) {
    const kinds = new Map(table.kinds);
    for (const kind of check.list(op.kinds, 'kinds')) kinds.set(check.kind(kind).id, kind);
    for (const id of check.list(op.drop, 'drop')) {
      if (!kinds.delete(id)) throw new Wrong('there is no such kind');
    }
    if (op.settings) table.settings = check.settings(op.settings);
    table.kinds = kinds;
    table.definitions = null;
    table.note('definitions');
  },

  perform(table, op, revision) {
    check.performance(op.performance);
    const row = table.touch(op.row);
    changed(table, row, revision);
    perform(row, op.performance);
  },

  invoke(table, op) {
    const one = check.invocation(op.invocation);
    if (table.invocations.has(one.id) || !table.entries.has(one.row)) {
      throw new Wrong('the invocation is there already, or its row is not');
    }
    keepInvocation(table, one);
  },

  take(table, op) {
    const one = table.invocation(op.invocation);
    const holder = check.id(op.holder, 'a holder');
    keepInvocation(table, {...one, holder, attempts: (one.attempts ?? 0) + 1});
  },

  release(table, op) {
    const {holder, ...one} = table.invocation(op.invocation);
    if (holder === undefined) throw new Wrong('nobody holds the invocation');
    keepInvocation(table, one);
  },

  rest(table, op) {
    let one = table.invocation(op.invocation);
    if (op.failure !== undefined) {
      const {holder, ...waiting} = one;
      // An attempt that no handler took counts too.
      const attempts = (one.attempts ?? 0) + (holder === undefined ? 1 : 0);
      one = {...waiting, attempts, failure: check.failure(op.failure)};
    } else {
      if (!one.failure || one.failure.over) throw new Wrong('the invocation does not rest');
      one = {...one, failure: {...one.failure, over: true}};
    }
    keepInvocation(table, one);
  },

  finish(table, op) {
    const one = table.invocation(op.invocation);
    check.maybeText(op.failed, 'a reason');
    table.invocations.delete(one.id);
    table.note('invocations');
    const pending = table.row(one.row)?.performed?.find(
      (each) => each.state === 'pending' && each.invocation === one.id);
    if (!pending) return;
    const ended = op.done ? {state: 'done'} : {state: 'failed', reason: op.failed ?? ''};
    const item = pending.item === undefined ? {} : {item: pending.item};
    perform(table.touch(one.row), {action: pending.action, ...item, ...ended});
  },

  edit(table, op) {
    table.editing = op.on === true;
    table.note('editing');
  },

  * expandAll(table, op) {
    const state = op.open ? 'expanded' : 'collapsed';
    const has = (states) => states?.some((one) => one.name === state) ?? false;
    const kinds = new Map([...table.kinds].map(([id, kind]) => [id, has(kind.states)]));
    // Made one after another, and put in place at once: what is seen meanwhile is the table before.
    const made = [];
    let count = 0;
    for (const entry of table.entries.values()) {
      const row = entry.row;
      if (row.expand !== state && (row.states?.length ? has(row.states) : kinds.get(row.kind))) {
        made.push([entry, {...row, expand: state}]);
      }
      count += 1;
      if (count % 256 === 0) yield 256;
    }
    yield* table.replace(made);
  },

  insertItem(table, op, revision) {
    check.item(op.item);
    const row = strip(table, op, revision);
    if (row.items.some((item) => item.id === op.item.id)) {
      throw new Wrong('the item is there already');
    }
    const at = op.after === undefined ? 0 : itemIndex(row.items, op.after) + 1;
    row.items.splice(at, 0, op.item);
  },

  removeItem(table, op, revision) {
    const row = strip(table, op, revision);
    row.items.splice(itemIndex(row.items, op.item), 1);
  },

  moveItems(table, op, revision) {
    const row = strip(table, op, revision);
    const moved = check.list(op.items, 'items')
      .map((id) => row.items.splice(itemIndex(row.items, id), 1)[0]);
    const at = op.after === undefined ? 0 : itemIndex(row.items, op.after) + 1;
    row.items.splice(at, 0, ...moved);
  },

  setItem(table, op, revision) {
    const row = strip(table, op, revision);
    const at = itemIndex(row.items, op.item);
    const item = {...row.items[at]};
    setContent(item, op);
    if (op.tap) {
      if (check.list(op.tap.effects, 'effects').length) {
        check.tap(op.tap);
        item.tap = op.tap;
      } else {
        delete item.tap;
      }
    }
    row.items[at] = item;
  },

  scroll(table, op) {
    const row = table.touch(op.row);
    if (op.item === undefined) delete row.scroll;
    else row.scroll = {item: op.item, fraction: op.fraction ?? 0};
    check.scroll(row.scroll);
  },

  select(table, op) {
    table.entry(op.row);
  },

  mark: keeps('selected', check.selected),
  came: keeps('cameFrom', check.maybeText, 'from'),
  claim: keeps('claim', check.claim),
  sleep: keeps('sleep', check.sleep),

  restore(table, op, revision) {
    check.list(op.performed, 'performed').forEach(check.performance);
    check.maybeWhole(op.changedMs, 'a time');
    check.maybeWhole(op.movedMs, 'a time');
    check.maybeWhole(op.version, 'a version');
    const row = table.touch(op.row);
    row.version = revision;
    row.performed = op.performed ?? [];
    row.changedMs = op.changedMs ?? 0;
    row.movedMs = op.movedMs ?? 0;
  },

  setInvocation(table, op) {
    const id = check.id(op.id, 'an invocation');
    const one = op.invocation;
    if (one) {
      check.invocation(one);
      // It may be an earlier press than others. They are put in order once, after the ops: a diff
      // may bring back as many as its batch had, and thousands may wait.
      if (!table.invocations.has(one.id)) table.isUnordered = true;
      table.invocations.set(one.id, one);
    } else {
      table.invocations.delete(id);
    }
    table.note('invocations');
  },
};

/** The verbs of all ops that this page knows. */
export const VERBS = Object.freeze(Object.keys(OPS));

/**
 * One op is applied; `revision` is the one that the diff leads to. Where it is about all rows, it gives
 * steps, and is applied once they have come to their end.
 */
export function applyOp(table, op, revision) {
  check.object(op, 'an op');
  const verbs = Object.keys(op);
  if (verbs.length !== 1 || !Object.hasOwn(OPS, verbs[0])) {
    throw new Wrong(`an op that this page does not know: ${verbs.join(', ').slice(0, 60)}`);
  }
  return OPS[verbs[0]](table, check.object(op[verbs[0]], 'an op'), revision);
}
