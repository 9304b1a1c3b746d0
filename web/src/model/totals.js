// How much there is of each thing on a board, all day: by dishes in titles, or by a field. Pure.

import {fieldOf} from './read.js';

/** The dishes of a title, each with its number: `2 × fries, 1 × soup, no salt`. What has no number belongs to the one before. */
export function dishesOf(title) {
  const parts =
    title.split(/\s*[,;+\n]\s*/).map((part) => /^(\d{1,6})\s*(?:[×*]|x(?=\s))\s*(.+)$/u.exec(part)).filter(Boolean);
  return parts.length > 0 ? parts.map(([, count, name]) => [name.trim(), Number(count)]) : [[title.trim(), 1]];
}

/** [{name, count}], the most first, of some rows. `by`: a field; '': dishes, as often as a field `qty` says. */
export function totalsOf(rows, by = '') {
  const counts = new Map();
  const add = (name, count) => counts.set(name, (counts.get(name) ?? 0) + count);
  for (const row of rows) {
    const qty = Number(fieldOf(row, 'qty'));
    const times = Number.isInteger(qty) && qty > 0 ? qty : 1;
    if (by) add(fieldOf(row, by) || '–', 1);
    else if (row.title)
      for (const [name, count] of dishesOf(row.title)) add(name, count * times);
  }
  return [...counts]
    .map(([name, count]) => ({name, count}))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
