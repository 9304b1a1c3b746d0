// Where the rows of a table are: sums of heights by the blocks of the replica, so that a diff costs
// what it touched. Expanded rows are estimated until they are seen, or `measure` came to them.

import {lowest} from '../model/order.js';
import {UNITS, heightUnits} from './numbers.js';
import {estimator, isMeasured, kindHeight, rowUnits} from './rows.js';

/** Of so many widths at most it is kept what was measured. */
const WIDTHS = 32;
/** Rows that are looked at when all blocks are summed up. Others are taken for closed ones until `measure` comes to them. */
const LOOKED_AT = 1000;

/** Where a section begins, and how high it is with its head. */
function spanOf({section: {id, title, count}, top, units}) {
  return {section: id, title, count, y: top / UNITS, height: units / UNITS};
}

export class TableLayout {
  /**
   * `sections`: the ids of those that are laid out (all); `head`: height above each (0); `shown`: a row as the viewer
   * shows it, if it opens rows for itself; `above`: the height of what stands above a row and belongs to it (0).
   */
  constructor(table, {width, profile = 'point', sections, head = 0, shown = (row) => row, above = () => 0}) {
    this.shown = shown;
    this.above = above;
    this.profile = profile;
    this.width = width;
    this.only = sections ? new Set(sections) : null;
    this.head = Math.round(head * UNITS);
    /** How often the sums of blocks were made anew: rows may stand elsewhere since. */
    this.corrections = 0;
    this.reset(table);
  }

  /** Another replica stands in the place of this one. */
  reset(table) {
    this.table = table;
    this.kinds = table.kinds;
    /** The height of collapsed rows, by kind; and the one that kinds say, whatever stands in their rows. */
    this.collapsed = new Map();
    this.closed = new Map();
    /** What is known of each width, the latest last. */
    this.widths = new Map();
    this.takeWidth();
  }

  /** What was measured at another width is kept: cards try several of them at each diff. */
  resize(width) {
    if (width === this.width) return;
    this.width = width;
    this.takeWidth();
  }

  takeWidth() {
    const known =
      this.widths.get(this.width) ?? {blocks: new WeakMap(), measured: new WeakMap(), estimators: new Map()};
    this.widths.delete(this.width);
    this.widths.set(this.width, known);
    if (this.widths.size > WIDTHS) this.widths.delete(this.widths.keys().next().value);
    /** The keys are blocks, with {stamp, units, pending}, and expanded rows, with their measured height. */
    this.blocks = known.blocks;
    this.measured = known.measured;
    /** The function that estimates expanded rows, by kind. */
    this.estimators = known.estimators;
    this.sections = null;
  }

  /** After a diff. Questions find out by themselves what has changed; this does it at once. */
  update() { return this.sums(); }

  /** The viewer opens or closes a row for itself. */
  forget(id) {
    const entry = this.table.entries.get(id);
    if (!entry) return;
    for (const {blocks} of this.widths.values()) blocks.delete(entry.block);
    this.sections = null;
  }

  /** The height of what stands above a row, in units. */
  unitsAbove(row) { return Math.round(this.above(row.id) * UNITS); }

  /** The height of a row in units; one that depends on its texts is measured. */
  unitsOf(row) {
    const kind = this.table.kinds.get(row.kind);
    const measured = isMeasured(row, kind);
    if (!measured && (row.expand === undefined || row.expand === 'collapsed')) return this.collapsedUnits(row);
    if (!measured) return rowUnits(row, kind, this.width, this.profile);
    const known = this.measured.get(row);
    if (known !== undefined) return known;
    const units = rowUnits(row, kind, this.width, this.profile);
    this.measured.set(row, units);
    return units;
  }

  estimatedUnits(row) {
    let estimate = this.estimators.get(row.kind);
    if (!estimate) {
      estimate = estimator(this.table.kinds.get(row.kind), this.width, this.profile);
      this.estimators.set(row.kind, estimate);
    }
    return estimate(row);
  }

  collapsedUnits(row) {
    let units = this.collapsed.get(row.kind);
    if (units === undefined) {
      units = rowUnits(row, this.table.kinds.get(row.kind), this.width, this.profile);
      this.collapsed.set(row.kind, units);
    }
    return units;
  }

  /** A block's sum. `exact`: its expanded rows are measured now. */
  blockOf(block, exact = false) {
    const known = this.blocks.get(block);
    if (known && known.stamp === block.stamp && !(exact && known.pending)) return known;
    const made = exact || this.room > 0 ? this.lookedAt(block, exact) : this.taken(block);
    this.blocks.set(block, made);
    const isSame = known?.stamp === made.stamp;
    if (isSame) this.left -= known.pending - made.pending;
    // A block that is as high as was estimated moves nothing.
    if (isSame && known.units === made.units) return made;
    this.sections = null;
    this.corrections += 1;
    return made;
  }

  lookedAt(block, exact) {
    const made = {stamp: block.stamp, units: 0, pending: 0};
    this.room -= block.entries.length;
    for (const entry of block.entries) {
      const row = this.shown(entry.row);
      const isEstimated = !exact && isMeasured(row, this.table.kinds.get(row.kind)) && !this.measured.has(row);
      made.units += this.unitsAbove(row);
      made.units += isEstimated ? this.estimatedUnits(row) : this.unitsOf(row);
      if (isEstimated) made.pending += 1;
    }
    return made;
  }

  /** A block of a large table: as high as if its rows were closed, and had nothing above them. */
  taken({stamp, entries}) {
    let units = 0;
    for (const {row} of entries) units += this.closedUnits(row.kind);
    return {stamp, units, pending: entries.length};
  }

  closedUnits(kind) {
    let units = this.closed.get(kind);
    if (units === undefined) this.closed.set(kind, units = heightUnits(kindHeight(this.kinds.get(kind))));
    return units;
  }

  /** The sections that are laid out: [{section, top, units, starts}], brought up to date. */
  sums() {
    if (this.table.kinds !== this.kinds) this.reset(this.table);
    if (this.sections && this.stamp === this.table.stamp) return this.sections;
    this.room = LOOKED_AT;
    let top = 0, left = 0;
    const sections = [];
    const estimated = [];
    for (const section of this.table.sections) {
      if (this.only && !this.only.has(section.id)) continue;
      const starts = new Float64Array(section.blocks.length);
      let units = this.head;
      section.blocks.forEach((block, n) => {
        const sum = this.blockOf(block);
        starts[n] = units;
        units += sum.units;
        if (sum.pending === 0) return;
        left += sum.pending;
        estimated.push(block);
      });
      sections.push({section, top, units, starts});
      top += units;
    }
    this.sections = sections;
    this.estimated = estimated.reverse();
    this.left = left;
    this.total = top;
    this.stamp = this.table.stamp;
    return sections;
  }

  /** Height of all, in points, with what is only estimated. */
  get contentHeight() {
    this.sums();
    return this.total / UNITS;
  }

  /** Measures up to so many rows that are only estimated, from the top; gives how many are left. */
  measure(most) {
    this.sums();
    const {estimated} = this;
    for (let room = most; room > 0 && estimated.length > 0;) {
      const block = estimated.pop();
      room -= this.blockOf(block).pending;
      this.blockOf(block, true);
    }
    return this.left;
  }

  /** Whether something between two offsets is only estimated. */
  isEstimated(y, height) {
    const from = y * UNITS, to = (y + height) * UNITS;
    for (const {section, top, units, starts} of this.sums()) {
      if (top + units <= from) continue;
      if (top >= to) break;
      const {blocks} = section;
      for (let n = Math.max(0, lowest(blocks.length, (one) => top + starts[one] > from) - 1);
        n < blocks.length && top + starts[n] < to; n++) {
        if (this.blockOf(blocks[n]).pending > 0) return true;
      }
    }
    return false;
  }

  /** Where a row is; its block and those between it and the section's top as they are known. */
  find(id) {
    const entry = this.table.entries.get(id);
    if (!entry) return null;
    const block = entry.block;
    const sum = this.sums().find((one) => one.section === block.section);
    if (!sum) return null;
    this.blockOf(block, true);
    const now = this.sums().find((one) => one.section === block.section);
    let units = now.top + now.starts[block.section.blocks.indexOf(block)];
    for (const one of block.entries) {
      units += this.unitsAbove(one.row);
      if (one === entry) break;
      units += this.unitsOf(this.shown(one.row));
    }
    return {row: this.shown(entry.row), section: block.section.id, units};
  }

  /** Offset of a row's upper edge, in points; null: it is not there. */
  offsetOf(id) {
    const found = this.find(id);
    return found ? found.units / UNITS : null;
  }

  /** Height of a row in points; null: it is not there. */
  heightOf(id) {
    const row = this.table.row(id);
    return row ? this.unitsOf(this.shown(row)) / UNITS : null;
  }

  /** The rows that are seen between two offsets, or what stands above them, measured. */
  visible(y, height) {
    for (let round = 0;; round++) {
      const {rows, moved} = this.seen(Math.max(0, y) * UNITS, (y + height) * UNITS);
      if (!moved || round === 32) return rows;
    }
  }

  /**
   * The rows from one unit to another; `moved`: something was measured, and offsets are others
   * now.
   */
  seen(from, to) {
    const rows = [];
    let moved = false;
    for (const {section, top, units, starts} of this.sums()) {
      if (top + units <= from) continue;
      if (top >= to) break;
      const blocks = section.blocks;
      const first = Math.max(0, lowest(blocks.length, (n) => top + starts[n] > from) - 1);
      let at = top + (starts[first] ?? this.head), index = 0;
      for (let n = 0; n < first; n++) index += blocks[n].entries.length;
      for (let n = first; n < blocks.length && at < to; n++) {
        const before = this.blockOf(blocks[n]).units;
        moved ||= this.blockOf(blocks[n], true).units !== before;
        at = this.rowsOf(blocks[n], {at, index, from, to}, rows);
        index += blocks[n].entries.length;
      }
    }
    return {rows, moved};
  }

  rowsOf(block, {at, index, from, to}, rows) {
    let y = at, n = index;
    for (const entry of block.entries) {
      const row = this.shown(entry.row);
      const units = this.unitsOf(row), above = this.unitsAbove(row);
      y += above;
      if (y + units > from && y - above < to) {
        rows.push({
          id: row.id,
          row,
          section: block.section.id,
          index: n,
          y: y / UNITS,
          above: above / UNITS,
          height: units / UNITS,
          state: row.expand ?? 'collapsed'
        });
      }
      y += units;
      n += 1;
    }
    return y;
  }

  /** The heads of the sections of which something is seen between two offsets. */
  heads(y, height) {
    const from = y * UNITS, to = (y + height) * UNITS;
    return this.sums().filter(({top, units}) => top + units > from && top < to).map(spanOf);
  }

  /** All sections: where they begin, and how high they are with their heads. */
  get spans() { return this.sums().map(spanOf); }

  /** The row at an offset; null: none. */
  rowAt(y) { return this.visible(y, 1 / UNITS)[0] ?? null; }

  /** The anchor at an offset: the first row that is seen there, and its neighbours. */
  anchor(y) {
    // Between two rows there may be heads of sections, also of empty ones.
    const first = [1 / UNITS, 200, 5000, 1e6]
                    .map((height) => () => this.visible(y, height)[0])
                    .reduce((found, look) => found ?? look(), undefined);
    if (!first) return null;
    const lists = this.sums().map(({section}) => section.rows);
    const list = this.sums().findIndex(({section}) => section.id === first.section);
    return {id: first.id, below: y - first.y, lists, list, index: first.index};
  }

  /**
   * The offset to scroll to, so that what was held on to stands where it stood. Where the row has
   * gone, the next takes its place, though no further up than that its end is at the screen's top.
   */
  restore(anchor) {
    if (!anchor) return 0;
    const held = this.offsetOf(anchor.id);
    if (held !== null) return held + anchor.below;
    let from = anchor.index + 1;
    for (let list = anchor.list; list < anchor.lists.length; list++, from = 0) {
      const rows = anchor.lists[list];
      for (let n = from; n < rows.length; n++) {
        const y = this.offsetOf(rows[n].id);
        if (y !== null) return y + Math.min(anchor.below, this.heightOf(rows[n].id));
      }
    }
    for (let list = anchor.list; list >= 0; list--) {
      const rows = anchor.lists[list];
      for (let n = list === anchor.list ? anchor.index - 1 : rows.length - 1; n >= 0; n--) {
        const y = this.offsetOf(rows[n].id);
        if (y !== null) return y + this.heightOf(rows[n].id);
      }
    }
    return 0;
  }
}
