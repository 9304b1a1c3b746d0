/**
 * Rows that belong together: those whose kinds name the same field in `show.group`, and that have the same value there, in
 * all sections. The twin of TablePredicate/Groups.swift.
 */
import {fieldOf, madeOnce} from './read.js';

const known = new WeakMap();

/** The groups of a table at its present revision. */
function groupsOf(table) {
  let found = known.get(table);
  if (!found || found.revision !== table.revision) {
    found = {revision: table.revision, rows: null, values: new Map(), second: 0};
    known.set(table, found);
  }
  return found;
}

/** The name of a row's group; null: it stands alone. */
export function groupKey(table, row) {
  const field = table.kinds?.get(row.kind ?? 'row')?.show?.group;
  const value = typeof field === 'string' ? fieldOf(row, field) : undefined;
  return value === undefined || value === '' ? null : `${field.length}:${field}${value}`;
}

function rowsByGroup(table) {
  const all = new Map();
  for (const section of table.sections) {
    let index = 0;
    for (const row of section.rows) {
      const key = groupKey(table, row);
      if (key !== null) madeOnce(all, key, () => []).push({row, section: section.id, index});
      index += 1;
    }
  }
  return all;
}

/** The rows of the group of `scope.row` as scopes, itself too; it alone, if it has no value of that field. */
export function groupScopes(scope) {
  const {table, clock} = scope;
  const key = groupKey(table, scope.row), groups = groupsOf(table);
  if (key === null) return [scope];
  groups.rows ??= rowsByGroup(table);
  return (groups.rows.get(key) ?? []).map((one) => ({...one, table, clock}));
}

/** The result of `find`, which is the same for all rows of a group: found once in a second for each `node`. */
export function onceForGroup(scope, node, find) {
  const {table, clock} = scope;
  const key = groupKey(table, scope.row), groups = groupsOf(table);
  if (key === null) return find();
  const second = Math.floor((clock?.nowMs ?? 0) / 1000);
  if (groups.second !== second) Object.assign(groups, {second, values: new Map()});
  return madeOnce(madeOnce(groups.values, node, () => new Map()), key, find);
}
