// A table as a wall shows it: the rows of a section that share a group stand together, on one card, at the place of the
// first of them. A row whose group has others in other sections only, has a card of its own. Pure.

import {groupKey} from './groups.js';
import {lowest, Shown} from './order.js';
import {fieldOf} from './read.js';

/** Whether some kind of a table groups its rows. */
export function gathers(table) {
  return [...table.kinds.values()].some((kind) => typeof kind.show?.group === 'string');
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * It follows the table by `refresh`. Nothing passes a pinned row: what stands above one is gathered for itself. A card is
 * {id, key: its group, name: what all its rows have in that field, section, index: among the `count` cards of its section,
 * rows}.
 */
export class Gathered extends Shown {
  /** The table has changed. */
  refresh() {
    this.stamp += 1;
    this.entries = new Map();
    this.cards = new Map();
    /** By row: its place in its section, as the table has it. */
    this.ranks = new Map();
    /** By section: {cards, pins: the ranks of its pinned rows}. */
    this.parts = new Map();
    /** By group: how many rows it has in all sections. */
    this.sizes = new Map();
    for (const {rows} of this.table.sections) {
      for (const row of rows) {
        const key = this.keyOf(row);
        if (key !== null) this.sizes.set(key, (this.sizes.get(key) ?? 0) + 1);
      }
    }
    this.sections = this.table.sections.map((section) => this.gather(section));
  }

  /** The group of a row by which it is gathered; null: none. */
  keyOf(row) { return !row || this.isPinned(row) ? null : groupKey(this, row); }

  gather(section) {
    const cards = [], pins = [];
    let open = new Map();
    section.rows.forEach((row, rank) => {
      this.ranks.set(row.id, rank);
      if (this.isPinned(row)) {
        pins.push(rank);
        open = new Map();
      }
      const key = this.keyOf(row);
      let card = key === null ? undefined : open.get(key);
      if (!card) {
        const id = key === null ? row.id : JSON.stringify([section.id, key, pins.length]);
        const name = key === null ? '' : String(fieldOf(row, this.kinds.get(row.kind ?? 'row').show.group));
        card = {id, key, name, section: section.id, index: cards.length, rows: []};
        cards.push(card);
        if (key !== null) open.set(key, card);
      }
      card.rows.push(row);
      this.cards.set(row.id, card);
    });
    for (const card of cards) card.count = cards.length;
    this.parts.set(section.id, {cards, pins});
    return this.filled(section, cards.flatMap((card) => card.rows));
  }

  /** The card of a row whose group has others, here or in another section; null: the row is alone. */
  cardOf(id) {
    const card = this.cards.get(id);
    return card && this.sizes.get(card.key) > 1 ? card : null;
  }

  /** Whether a row goes on with the card of the row above it. */
  isJoined(id) {
    const card = this.cards.get(id);
    return card !== undefined && card.rows[0].id !== id;
  }

  /** Whether a row is the first one on a card of its group. */
  isFirst(id) { return this.cardOf(id)?.rows[0].id === id; }

  /** The section of a place of the table, and the rank there; null: what it names is not shown. */
  rankOf({section, before, after, top}) {
    const near = before ?? after;
    if (near === undefined) return this.parts.has(section) ? {section, at: top ? -0.5 : Infinity} : null;
    const rank = this.ranks.get(near);
    if (rank === undefined) return null;
    return {section: this.sectionOf(near), at: rank + (before === undefined ? 0.5 : -0.5)};
  }

  /**
   * The cards of a section without a row, in the order in which they would stand; the ranks of their first rows; and among
   * these cards those of the row's own group.
   */
  without(id, section) {
    const rank = ({rows: [first]}) => this.ranks.get(first.id);
    const cards = this.parts.get(section)
                    .cards.map(({key, index, rows}) => ({key, index, rows: rows.filter((row) => row.id !== id)}))
                    .filter(({rows}) => rows.length > 0)
                    .sort((a, b) => rank(a) - rank(b));
    const key = this.keyOf(this.row(id));
    const own = key === null ? [] : cards.filter((card) => card.key === key);
    return {cards, firsts: cards.map(rank), own, ownFirsts: own.map(rank)};
  }

  /**
   * Where a row would be drawn if it went to a place of the table: {before} or {after} another row, and whether it is in
   * that row's card; {section}: that has no other rows. Null: the place is not shown. `known`: what `without` gave, by
   * section, for many questions about one row.
   */
  landing(place, id, known = new Map()) {
    const to = this.rankOf(place);
    if (!to) return null;
    const {section, at} = to;
    if (!known.has(section)) known.set(section, this.without(id, section));
    const {cards, firsts, own: all, ownFirsts} = known.get(section);
    const {pins} = this.parts.get(section);
    const pin = lowest(pins.length, (n) => pins[n] >= at);
    const from = pins[pin - 1] ?? -1, end = pins[pin] ?? Infinity;
    // Between two pinned rows its group has one card.
    const near = lowest(all.length, (n) => ownFirsts[n] >= from);
    const own = ownFirsts[near] < end ? all[near] : undefined;
    const further = lowest(cards.length, (n) => firsts[n] >= at);
    const next = cards[further], last = cards[further - 1];
    const above = own ? lowest(own.rows.length, (n) => this.ranks.get(own.rows[n].id) >= at) : 0;
    // The row leads its card away, to below a card that is still drawn below it.
    const isLed = next === own && own && last && last.index > own.index;
    if (own && !isLed && (above > 0 || next === own)) {
      const below = own.rows[above];
      return below ? {before: below.id, isIn: true} : {after: own.rows.at(-1).id, isIn: true};
    }
    if (next && !isLed) return {before: next.rows[0].id, isIn: false};
    return last ? {after: last.rows.at(-1).id, isIn: false} : {section};
  }

  /** The place of a row where it stands. */
  standing(id) {
    const section = this.sectionOf(id);
    const {rows} = this.table.sections.find((one) => one.id === section);
    const at = this.ranks.get(id);
    if (at > 0) return {after: rows[at - 1].id};
    return rows.length > 1 ? {before: rows[1].id} : {section, top: true};
  }

  /**
   * The place in the table for a row that is put beside another as they are drawn. It comes to stand beside the whole card
   * of another group; `isAbove` says of such a card on which side.
   */
  placeFor(place, id, isAbove) {
    const near = place.before ?? place.after;
    if (near === id) return this.standing(id);
    const card = this.cardOf(near);
    let found = place;
    if (card && card.key !== this.keyOf(this.row(id))) {
      const first = card.rows[0].id;
      found = isAbove(card) ? {before: first} : {after: first};
    }
    if (!this.row(id)) return found;
    const stands = this.standing(id);
    return same(this.landing(found, id), this.landing(stands, id)) ? stands : found;
  }

  /** The places at which a row would be drawn elsewhere: of those at which it would be at the same one, the first. */
  distinct(places, id) {
    const known = new Map(), found = new Map();
    const stands = this.standing(id), here = JSON.stringify(this.landing(stands, id, known));
    for (const place of places) {
      const seen = JSON.stringify(this.landing(place, id, known));
      if (!found.has(seen)) found.set(seen, seen === here ? stands : place);
    }
    return [...found.values()];
  }
}
