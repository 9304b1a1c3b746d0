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

export function isPinned(table, row) { return table.kinds.get(row.kind)?.pinned === true; }

/** At most so many rows of a list, with as many before a place as behind it. */
export function near(rows, at, most) {
  const start = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  return rows.slice(start, start + most);
}
