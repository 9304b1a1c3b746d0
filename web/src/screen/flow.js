/**
 * Rows one below the other, in columns of one height side by side: what has no room in a column goes on at the top of
 * the next one. So no row is below the fold. A heading stands above the first row of its section, and once more above
 * what goes on in another column.
 */

/**
 * The columns in which what a layout has stands, in order: `from` and `to` are offsets of the layout; `lead` is the room
 * of the heading that stands above once more, and `head` what it says (null: none).
 */
export function flow(layout, room, lead) {
  const columns = [];
  const open = (from, head) => columns.push({from, to: from, lead: head ? lead : 0, head});
  const add = (from, height, head) => {
    const last = columns.at(-1);
    if (!last || (last.to > last.from && last.lead + from + height - last.from > room + 0.001)) open(from, head);
    columns.at(-1).to = from + height;
  };
  // All are measured: then sections are where they are said to be.
  const rows = layout.visible(0, layout.contentHeight);
  let next = 0;
  for (const span of layout.spans) {
    const first = rows[next]?.section === span.section ? rows[next] : null;
    add(span.y, first ? first.y + first.height - span.y : span.height, null);
    if (!first) continue;
    for (next += 1; rows[next]?.section === span.section; next += 1) add(rows[next].y, rows[next].height, span);
  }
  return columns;
}

/** The index of the column in which an offset is. What is at the end of one is at the top of the next. */
export function columnAt(columns, y) {
  let low = 0, high = columns.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (columns[middle].from <= y + 0.001) low = middle;
    else high = middle - 1;
  }
  return low;
}
