/**
 * Cards one below the other, in columns of one height side by side: what has no room in a column goes on at the top of
 * the next one. So no row is below the fold. A heading stands above the first card of its section, and once more above
 * what goes on in another column. The rows of a card stay together, unless it is higher than a column.
 */

import {lowest} from '../model/order.js';

/** The rows of a section, card by card. */
function cardsOf(rows, isJoined) {
  const cards = [];
  for (const row of rows) {
    if (cards.length > 0 && isJoined(row.id)) cards.at(-1).push(row);
    else cards.push([row]);
  }
  return cards;
}

/**
 * The columns in which what a layout has stands, in order: `from` and `to` are offsets of the layout; `lead` is the room
 * of what stands above once more, `head` the section's heading there and `card` the first row of a card that goes on there
 * (null: none). `gathered` says which rows are on one card, and `cardHead` how high its head is.
 */
export function flow(layout, room, lead, gathered = null, cardHead = 0) {
  const columns = [];
  const add = (from, height, head, card = null) => {
    const last = columns.at(-1);
    if (!last || (last.to > last.from && last.lead + from + height - last.from > room + 0.001)) {
      const again = (head ? lead : 0) + (card === null ? 0 : cardHead);
      columns.push({from, to: from, lead: again, head, card});
    }
    columns.at(-1).to = from + height;
  };
  // All are measured: then sections are where they are said to be.
  const rows = layout.visible(0, layout.contentHeight);
  let next = 0;
  for (const span of layout.spans) {
    const start = next;
    while (rows[next]?.section === span.section) next += 1;
    const cards = cardsOf(rows.slice(start, next), (id) => gathered?.isJoined(id) ?? false);
    if (cards.length === 0) add(span.y, span.height, null);
    cards.forEach((card, index) => {
      const [first] = card;
      const last = card.at(-1), from = index === 0 ? span.y : first.y - first.above;
      const head = index === 0 ? null : span;
      const height = last.y + last.height - from;
      if ((head ? lead : 0) + height <= room + 0.001) {
        add(from, height, head);
        return;
      }
      add(from, first.y + first.height - from, head);
      for (const row of card.slice(1)) add(row.y, row.height, span, row.id);
    });
  }
  return columns;
}

/** The index of the column in which an offset is. What is at the end of one is at the top of the next. */
export function columnAt(columns, y) {
  return Math.max(0, lowest(columns.length, (n) => columns[n].from > y + 0.001) - 1);
}
