// How a row is read. A field may have any name, `constructor` or `__proto__` too: so never by
// `.name`.

/** The value of a row's or an item's field, or undefined. */
export function fieldOf(thing, key) {
  const fields = thing.fields;
  return fields && typeof key === 'string' && Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The moment since which the age of a row counts: its making or, if its kind says so, its last move. */
export function beganMs(row, kind) {
  return kind?.ages?.since === 'moved' && row.movedMs ? row.movedMs : row.createdMs;
}

/** The group of actions at an edge: the row's own there, else its kind's; null: no actions. */
export function groupOf(row, kind, edge) {
  const group = row.actions?.[edge] ?? kind?.[edge];
  return group && Array.isArray(group.actions) && group.actions.length ? group : null;
}

/** The states that a row goes through: its own, or its kind's. */
export function statesOf(row, kind) { return row.states?.length ? row.states : kind?.states ?? []; }

/** The value of a key in a map. Where it has none, one is made, and stays there. */
export function madeOnce(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}
