/** Where a row may go within its section: nothing passes a pinned row. */

/**
 * For the row at `at` in its section's rows: the rows from `from` to before `to` are those that it may change places
 * with. `top`, `bottom`: whether it may go to the section's ends, which are inside of the rows that are pinned there.
 */
export function spanOf(rows, at, isPinned) {
  let from = at;
  while (from > 0 && !isPinned(rows[from - 1])) from -= 1;
  let to = at + 1;
  while (to < rows.length && !isPinned(rows[to])) to += 1;
  return {
    from,
    to,
    top: at > from && rows.slice(0, from).every(isPinned),
    bottom: at < to - 1 && rows.slice(to).every(isPinned),
  };
}

/**
 * Where a row from elsewhere may come to stand: inside of the rows that are pinned at the section's ends, or below
 * them if all are pinned.
 */
export function insideOf(rows, isPinned) {
  const isFree = (row) => !isPinned(row);
  const from = rows.findIndex(isFree);
  return from < 0 ? {from: rows.length, to: rows.length} : {from, to: rows.findLastIndex(isFree) + 1};
}

/** The places for a row in a section of a table, from the top on: it can be put there without passing a pinned row. */
export function placesIn({id: section, rows}, id, isPinned) {
  const at = rows.findIndex((row) => row.id === id);
  const {from, to} = at < 0 ? insideOf(rows, isPinned) : spanOf(rows, at, isPinned);
  const first = rows.find((row) => row.id !== id);
  let top = {section, top: true};
  if (from > 0) top = {after: rows[from - 1].id};
  else if (first) top = {before: first.id};
  return [top, ...rows.slice(from, to).filter((row) => row.id !== id).map((row) => ({after: row.id}))];
}

/**
 * The places one step up and one step down from where a row is drawn, {up, down}; undefined: there is none. `gathered`:
 * rows as cards have them, where a place further in the table may be the same one on the screen; null: `rows` are drawn as
 * they stand.
 */
export function stepsOf(rows, gathered, id, isPinned) {
  if (!gathered?.row(id)) {
    const at = rows.findIndex((row) => row.id === id);
    const {from, to} = spanOf(rows, at, isPinned);
    return {
      up: at > from ? {before: rows[at - 1].id} : undefined,
      down: at < to - 1 ? {after: rows[at + 1].id} : undefined,
    };
  }
  const own = gathered.table.sections.find((one) => one.id === gathered.sectionOf(id));
  const places = gathered.distinct(placesIn(own, id, isPinned), id);
  const stands = JSON.stringify(gathered.standing(id));
  const here = places.findIndex((place) => JSON.stringify(place) === stands);
  return {up: places[here - 1], down: places[here + 1]};
}

export function isPinned(table, row) { return table.kinds.get(row.kind)?.pinned === true; }

/** At most so many rows of a list, with as many before a place as behind it. */
export function near(rows, at, most) {
  const start = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  return rows.slice(start, start + most);
}
