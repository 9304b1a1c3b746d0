// The order of rows: sections of blocks of some 64 rows. A diff touches a block or two, so that its
// digest costs as much in a table of 100,000 rows as in a small one.

import {canon, rowHash} from './canonical.js';
import {Wrong, append, mulMod, addMod, out, power} from './hash.js';

/** So many rows a block is filled with; it is split at twice as many. */
export const BLOCK = 64;

/** The first index at which `test` holds, of a list in which it holds from some index on. */
export function lowest(count, test) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A row's place, and its hash while that is known. */
export class Entry {
  constructor(row) {
    this.row = row;
    this.block = null;
    this.hi = 0;
    this.lo = 0;
    this.known = false;
  }
}

/** Rows that follow one another in a section, and the value of their sequence. */
class Block {
  constructor(section) {
    this.section = section;
    this.entries = [];
    this.hi = 0;
    this.lo = 0;
    this.known = false;
    /** Grows with each change here: whoever sums up a block sees that its sum is old. */
    this.stamp = 0;
  }

  /** A row here is about to change, or their order. */
  touch() {
    this.stamp += 1;
    this.known = false;
    this.section.known = false;
    this.section.list = null;
  }

  /** Yields now and then how many rows were hashed: the first ones take long, before they are compiled. */
  * measure() {
    let hi = 0, lo = 0, count = 0;
    for (const entry of this.entries) {
      if (!entry.known) {
        count += 1;
        if (count % 16 === 0) yield 16;
        rowHash(entry.row);
        entry.hi = out.hi;
        entry.lo = out.lo;
        entry.known = true;
      }
      append(hi, lo, entry.hi, entry.lo);
      hi = out.hi;
      lo = out.lo;
    }
    this.hi = hi;
    this.lo = lo;
    this.known = true;
  }
}

/** A section: its rows in order. */
export class Section {
  constructor(id, title) {
    this.id = id;
    this.title = title;
    this.blocks = [];
    this.count = 0;
    this.hi = 0;
    this.lo = 0;
    this.known = false;
    this.list = null;
  }

  /** The rows in order: an array that is made anew only after something changed here. */
  get rows() {
    if (!this.list) {
      this.list = new Array(this.count);
      let at = 0;
      for (const block of this.blocks) {
        for (const entry of block.entries) this.list[at++] = entry.row;
      }
    }
    return this.list;
  }

  /** Behind all others: for a table that is being joined. */
  push(entry) {
    let block = this.blocks[this.blocks.length - 1];
    if (!block || block.entries.length >= BLOCK) {
      block = new Block(this);
      this.blocks.push(block);
    }
    block.entries.push(entry);
    entry.block = block;
    this.count += 1;
    block.touch();
  }

  /** The entries stand, in this order, at an index of a block (the first block: null). */
  put(entries, given, at) {
    let block = given;
    if (!block) {
      if (this.blocks.length === 0) this.blocks.push(new Block(this));
      block = this.blocks[0];
    }
    block.entries.splice(at, 0, ...entries);
    for (const entry of entries) entry.block = block;
    this.count += entries.length;
    block.touch();
    if (block.entries.length > 2 * BLOCK) this.split(block);
  }

  split(block) {
    const rest = block.entries.splice(BLOCK);
    const pieces = [];
    for (let from = 0; from < rest.length; from += BLOCK) {
      const piece = new Block(this);
      piece.entries = rest.slice(from, from + BLOCK);
      for (const entry of piece.entries) entry.block = piece;
      pieces.push(piece);
    }
    this.blocks.splice(this.blocks.indexOf(block) + 1, 0, ...pieces);
  }

  take(entry) {
    const block = entry.block;
    block.entries.splice(block.entries.indexOf(entry), 1);
    block.touch();
    this.count -= 1;
    if (block.entries.length === 0) this.blocks.splice(this.blocks.indexOf(block), 1);
    entry.block = null;
  }

  /** Where the entry stands in the section, from 0. */
  indexOf(entry) {
    let before = 0;
    for (const block of this.blocks) {
      if (block === entry.block) return before + block.entries.indexOf(entry);
      before += block.entries.length;
    }
    throw new Wrong('the row is in another section');
  }

  /** The section's hash, of blocks that were touched. Yields after each of those how many rows. */
  * measure() {
    if (this.known) return;
    let hi = 0, lo = 0;
    for (const block of this.blocks) {
      if (!block.known) {
        yield* block.measure();
        yield block.entries.length % 16;
      }
      const shift = power(block.entries.length);
      mulMod(hi, lo, shift.hi, shift.lo);
      addMod(out.hi, out.lo, block.hi, block.lo);
      hi = out.hi;
      lo = out.lo;
    }
    canon.begin().text(this.id).text(this.title).number(this.count).limbs(hi, lo).hash();
    this.hi = out.hi;
    this.lo = out.lo;
    this.known = true;
  }
}

/** Rows by their ids, in their sections: those of a table, or those of it that a screen shows. */
export class Rows {
  /** By the id of a row: its entry. */
  entries = new Map();

  get size() { return this.entries.size; }

  /** The row with an id, or undefined. It is never changed in place. */
  row(id) { return this.entries.get(id)?.row; }

  /** The id of the section in which a row stands, or undefined. */
  sectionOf(id) { return this.entries.get(id)?.block.section.id; }

  /** Where a row stands in its section, from 0; -1 if it is not there. */
  indexOf(id) {
    const entry = this.entries.get(id);
    return entry ? entry.block.section.indexOf(entry) : -1;
  }
}

/** The rows of a table as a screen shows it: some of them, or all in another order. `refresh` follows the table. */
export class Shown extends Rows {
  constructor(table, more = {}) {
    super();
    Object.assign(this, {table, ...more});
    this.stamp = 0;
    this.refresh();
  }

  get kinds() { return this.table.kinds; }
  get settings() { return this.table.settings; }
  get editing() { return this.table.editing; }

  isPinned(row) { return this.kinds.get(row.kind)?.pinned === true; }

  /** A section with these rows. */
  filled({id, title}, rows) {
    const made = new Section(id, title);
    for (const row of rows) {
      const entry = new Entry(row);
      made.push(entry);
      this.entries.set(row.id, entry);
    }
    return made;
  }
}
