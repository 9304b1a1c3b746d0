// Finding rows: words, or a condition (docs/PREDICATES.md). And a table as a screen shows it that looks for some rows, or
// has them in another order. Pure.

import {Shown} from './order.js';
import {BadPredicate, rowPredicate} from './predicate.js';
import {beganMs, fieldOf} from './read.js';

/**
 * A text without its case, as people compare: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`, and `istanbul` is `İstanbul`,
 * whose small letter has a dot of its own.
 */
export function folded(text) {
  const lower = String(text).toLowerCase();
  if (!/[^\0-\x7f]/.test(lower)) return lower;
  // ẞ has no other capital letter, so it is small only at the end.
  return lower.toUpperCase().toLowerCase().replace(/ς/g, 'σ').replace(/i\u0307/g, 'i');
}

/**
 * The test whether a word fits a row. An id counts from its beginning: those that nobody chose are random letters and
 * figures, in which any short number is found somewhere. `key=word` wants a field to be that, `key~word` to have it;
 * `title`, `section` and `kind` are keys, too.
 */
function wordTest(word) {
  const [, name, sign, value] = /^([^=~]+)([=~])(.*)$/su.exec(word) ?? [];
  const needle = folded(name === undefined ? word : value);
  const isIn = (text) => folded(text).includes(needle);
  if (name === undefined) {
    return ({row}) => isIn(row.title ?? '') || folded(row.id).startsWith(needle)
      || Object.values(row.fields ?? {}).some(isIn) || (row.items ?? []).some((item) => isIn(item.title ?? ''));
  }
  const fits = sign === '=' ? (text) => folded(text) === needle : isIn;
  const key = folded(name);
  return ({row, section}) => {
    if (key === 'section' && section !== undefined) return fits(section);
    if (key === 'kind') return fits(row.kind ?? 'row');
    if (key === 'title' && fits(row.title ?? '')) return true;
    return Object.entries(row.fields ?? {}).some(([field, text]) => folded(field) === key && fits(text));
  };
}

/**
 * Reads what people typed: {test: gives the ids of the rows of a table that are wanted, at a clock's time; null: all are,
 * isTimed: whether they may be others although the table does not change, isCondition: whether the text is a condition, as
 * one with a sign of conditions is, and no words, fault: {at, key, values, text} or null}.
 */
export function readFind(text) {
  const wanted = text.trim();
  if (wanted === '') return {test: null, fault: null};
  if (['==', '!=', '!~', '<', '>'].some((sign) => wanted.includes(sign)) || wanted.startsWith('field.')) {
    try {
      const ids = rowPredicate(wanted);
      const test = (table, clock) => new Set(ids(table, clock));
      return {test, isTimed: ids.isTimed, isCondition: true, fault: null};
    } catch (error) {
      if (!(error instanceof BadPredicate)) throw error;
      // Places are counted in code points.
      return {test: null, fault: {at: error.offset, key: error.key, values: error.values, text: wanted}};
    }
  }
  // `table = 7` with blanks around the sign is the same.
  const tests = wanted.replace(/(\S)\s*([=~])\s*(?=\S)/gu, '$1$2').split(/\s+/).map(wordTest);
  const test = (table) => {
    const found = new Set();
    for (const {id, rows} of table.sections) {
      for (const row of rows)
        if (tests.every((fits) => fits({row, section: id}))) found.add(row.id);
    }
    return found;
  };
  return {test, fault: null};
}

/** An order of rows, by a key as `trestle show --sort` has it: `-age`, `title`, `field.x`. Null: that of the table. */
export function orderOf(key) {
  if (!key) return null;
  const isBack = key.startsWith('-');
  const name = isBack ? key.slice(1) : key;
  const value = (row, kinds) => {
    // The younger a row is, the less its age.
    if (name === 'age') return -(beganMs(row, kinds?.get(row.kind ?? 'row')) ?? 0);
    if (name === 'title') return folded(row.title ?? '');
    return fieldOf(row, name.replace(/^field\./, ''));
  };
  const compare = (a, b) => {
    if (a === b) return 0;
    // A row without a value stands at the end, either way.
    if (a === undefined || b === undefined) return (a === undefined ? 1 : -1) * (isBack ? -1 : 1);
    const [x, y] = [Number(a), Number(b)];
    if (a !== '' && b !== '' && Number.isFinite(x) && Number.isFinite(y)) return x - y;
    return folded(a) < folded(b) ? -1 : 1;
  };
  return (rows, kinds) => {
    const known = rows.map((row) => ({row, value: value(row, kinds)}));
    known.sort((a, b) => (isBack ? compare(b.value, a.value) : compare(a.value, b.value)));
    return known.map(({row}) => row);
  };
}

/**
 * A table of which a screen shows some rows, or all in another order. It follows the table by `refresh`. `clock` gives the
 * time for conditions.
 */
export class Sifted extends Shown {
  constructor(table, {test = null, order = null, clock = () => undefined}) { super(table, {test, order, clock}); }

  /** Pinned rows stay above the others. */
  ordered(rows) {
    const others = rows.filter((row) => !this.isPinned(row));
    return [...rows.filter((row) => this.isPinned(row)), ...this.order(others, this.kinds)];
  }

  /** The table has changed. Where some rows are looked for, sections without any are left out. */
  refresh() {
    const found = this.test ? this.test(this.table, this.clock()) : null;
    this.stamp += 1;
    this.entries = new Map();
    this.sections = [];
    for (const section of this.table.sections) {
      const rows = found ? section.rows.filter(({id}) => found.has(id)) : section.rows;
      if (found && rows.length === 0) continue;
      this.sections.push(this.filled(section, this.order ? this.ordered(rows) : rows));
    }
  }
}
