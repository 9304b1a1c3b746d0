// A replica of a table: what it holds, in its order, at a revision whose digest was compared.
//
// Pure: no clock, no network, no document. `Joiner` makes one of a snapshot's chunks, and
// `Table.opSteps` takes a diff. Both are made of small steps, so that a page stays responsive.

import {canon, definitionsHash, invocationHash} from './canonical.js';
import * as check from './check.js';
import {Wrong, append, hex, out} from './hash.js';
import {applyOp, sortByPress} from './ops.js';
import {Entry, Rows, Section} from './order.js';

export {Wrong} from './hash.js';

/** No table has more rows. */
const MOST_ROWS = 1_000_000;

/** The value that a map has under an id, which an op names. `Wrong`: there is none. */
function known(map, id, what) {
  const found = map.get(id);
  if (!found) throw new Wrong(`there is no such ${what}`);
  return found;
}

/** The change of a row, before anything was done to it. */
function begun(id, entry) {
  const row = entry?.row ?? null, from = entry?.block?.section.id ?? null;
  return {id, before: row, after: row, from, to: from, moved: false, hint: undefined, own: null};
}

/** The changes of a diff, to rows and to the rest: for animations, sounds and the live region. */
class Changes {
  constructor() {
    this.rows = new Map();
    this.what = new Set();
  }

  /** The change of a row, from its state when the diff first touched it. */
  of(id, entry) {
    let one = this.rows.get(id);
    if (!one) this.rows.set(id, one = begun(id, entry));
    return one;
  }
}

export class Table extends Rows {
  constructor(name = '') {
    super();
    this.name = name;
    this.history = '';
    this.epoch = '';
    this.revision = 0;
    /** The digest at `revision`, as the daemon says it and as it was computed here. */
    this.digest = '';
    this.kinds = new Map();
    this.settings = {digest: ''};
    this.editing = false;
    this.invocations = new Map();
    /** An invocation came in this diff: its press may be earlier than those of others. */
    this.isUnordered = false;
    this.sections = [];
    this.sectionById = new Map();
    this.definitions = null;
    this.time = 0;
    this.changes = null;
    this.selected = null;
    this.selectedKnown = false;
    /** Grows with each diff and each step back. */
    this.stamp = 0;
    /** A diff did not fit: what is here is nothing that the daemon had. */
    this.isSpoiled = false;
    /** False while a diff is applied and its digest is not compared yet. */
    this.isSettled = true;
  }

  kindOf(row) { return this.kinds.get(row.kind); }

  /** The selection: {row, item?}, or null. */
  get selection() {
    if (this.settings.selection !== 'shared') return null;
    if (!this.selectedKnown) {
      this.selected = null;
      for (const {row} of this.entries.values()) {
        if (row.selected) this.selected = {row: row.id, ...row.selected};
      }
      this.selectedKnown = true;
    }
    return this.selected;
  }

  // For the ops.

  section(id) { return known(this.sectionById, id, 'section'); }

  entry(id) { return known(this.entries, id, 'row'); }

  invocation(id) { return known(this.invocations, id, 'invocation'); }

  note(what) { this.changes?.what.add(what); }

  /** A copy of the row, in its place, that may be changed until the diff is done. */
  touch(id) {
    const entry = this.entry(id);
    entry.known = false;
    entry.block.touch();
    this.selectedKnown = false;
    const change = this.changes?.of(id, entry);
    if (change && change.own === entry.row) return entry.row;
    entry.row = {...entry.row};
    if (change) change.after = change.own = entry.row;
    return entry.row;
  }

  /** Other rows stand in the places of these, all of them at once: [[entry, row]]. */
  * replace(made) {
    const changes = this.changes && new Map();
    for (let n = 0; changes && n < made.length; n++) {
      const [entry, row] = made[n];
      const known = this.changes.rows.get(row.id) ?? begun(row.id, entry);
      changes.set(row.id, {...known, after: row, own: row});
      if (n % 256 === 255) yield 256;
    }
    for (const [entry, row] of made) {
      entry.row = row;
      entry.known = false;
      entry.block.touch();
    }
    this.selectedKnown = false;
    if (!changes) return;
    if (this.changes.rows.size === 0) this.changes.rows = changes;
    else
      for (const [id, change] of changes) this.changes.rows.set(id, change);
  }

  insert(row, place) {
    const entry = new Entry(row);
    const section = this.put([entry], place);
    this.entries.set(row.id, entry);
    this.selectedKnown = false;
    if (!this.changes) return;
    const change = this.changes.of(row.id);
    change.after = change.own = row;
    change.to = section.id;
    change.hint = typeof place.hint === 'string' ? place.hint : undefined;
  }

  remove(id, hint) {
    const entry = this.entry(id);
    if (this.changes) {
      const change = this.changes.of(id, entry);
      change.after = change.to = null;
      change.hint = typeof hint === 'string' ? hint : undefined;
    }
    entry.block.section.take(entry);
    this.entries.delete(id);
    this.selectedKnown = false;
  }

  /** The rows leave their places; then they stand, in this order, at the place. */
  move(ids, place) {
    const entries = ids.map((id) => this.entry(id));
    for (const entry of entries) {
      this.changes?.of(entry.row.id, entry);
      entry.block.section.take(entry);
    }
    const section = this.put(entries, place);
    for (const entry of entries) this.lands(entry, section);
  }

  swap(a, b) {
    const one = this.entry(a), other = this.entry(b);
    if (one === other) throw new Wrong('a row is swapped with itself');
    this.changes?.of(a, one);
    this.changes?.of(b, other);
    const here = one.block, there = other.block;
    const i = here.entries.indexOf(one), j = there.entries.indexOf(other);
    here.entries[i] = other;
    there.entries[j] = one;
    one.block = there;
    other.block = here;
    here.touch();
    there.touch();
    this.lands(one, there.section);
    this.lands(other, here.section);
  }

  lands(entry, section) {
    const id = entry.row.id;
    const change = this.changes?.of(id, entry);
    if (change) {
      change.moved = true;
      change.to = section.id;
    }
    if (this.time) this.touch(id).movedMs = this.time;
  }

  put(entries, place) {
    if (place.after !== undefined) {
      const before = this.entry(place.after);
      const block = before.block;
      if (!block) throw new Wrong('the row moves itself');
      const section = block.section;
      section.put(entries, block, block.entries.indexOf(before) + 1);
      return section;
    }
    const section = this.section(place.section);
    section.put(entries, null, 0);
    return section;
  }

  // Digests.

  /** Computes the digest, a block at a time: yields the number of rows that were hashed. */
  * digestSteps() {
    if (this.definitions === null) {
      definitionsHash(this.settings, this.kinds);
      this.definitions = {hi: out.hi, lo: out.lo};
    }
    let hi = 0, lo = 0;
    for (const section of this.sections) {
      yield* section.measure();
      append(hi, lo, section.hi, section.lo);
      hi = out.hi;
      lo = out.lo;
    }
    let ih = 0, il = 0;
    for (const one of this.invocations.values()) {
      invocationHash(one);
      il += out.lo;
      ih = (ih + out.hi + (il >= 4294967296 ? 1 : 0)) >>> 0;
      il >>>= 0;
    }
    canon.begin().number(this.sections.length).limbs(hi, lo).limbs(this.definitions.hi, this.definitions.lo);
    if (this.editing) canon.text('editing');
    if (this.invocations.size) {
      canon.text('invocations').number(this.invocations.size).limbs(ih, il);
    }
    canon.hash();
    return hex(out.hi, out.lo);
  }

  // Diffs.

  /**
   * The ops of a diff that fits, in steps: it is taken at once but for ops about all rows. Gives what
   * changed. Whoever calls it then compares the digest: `settle`.
   */
  * opSteps(diff) {
    check.object(diff, 'a diff');
    if (diff.base !== this.revision) throw new Wrong('the diff is for another revision');
    const time = diff.cause?.timeMs ?? 0;
    check.maybeWhole(time, 'a time');
    this.time = time;
    this.stamp += 1;
    this.isSettled = false;
    this.changes = new Changes();
    try {
      for (const op of check.list(diff.ops, 'ops')) {
        const steps = applyOp(this, op, diff.base + 1);
        if (!steps) continue;
        yield* steps;
        // A caller that has looked meanwhile has seen the table before.
        this.stamp += 1;
      }
    } catch (error) {
      if (error instanceof Wrong) throw error;
      throw new Wrong(`the diff does not fit: ${error.message}`);
    }
    this.orderInvocations();
    const changes = this.changes;
    this.changes = null;
    return {
      diff,
      revision: diff.base + 1,
      cause: check.isObject(diff.cause) ? diff.cause : {},
      rows: [...changes.rows.values()],
      what: changes.what
    };
  }

  /** After the ops: the invocations stand in their order again. */
  orderInvocations() {
    if (this.isUnordered) sortByPress(this.invocations);
    this.isUnordered = false;
  }

  /** The table is at the revision to which the diff leads, and its digest is as the diff says. */
  settle(diff, digest) {
    if (digest !== diff.digest) throw new Wrong('the digest is another one');
    this.revision = diff.base + 1;
    this.digest = digest;
    this.isSettled = true;
  }

  addSection(id, title, at = this.sections.length) {
    const section = new Section(id, title);
    this.sections.splice(at, 0, section);
    this.sectionById.set(id, section);
    return section;
  }

  push(section, row) {
    if (this.entries.has(row.id)) throw new Wrong('a row is there twice');
    if (this.entries.size >= MOST_ROWS) throw new Wrong('too many rows');
    const entry = new Entry(row);
    section.push(entry);
    this.entries.set(row.id, entry);
    return entry;
  }
}
