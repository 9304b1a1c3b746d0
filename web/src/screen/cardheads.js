/**
 * Heads of cards that have several rows of a group: its value, how much of it is ready, and how old the oldest of its rows
 * is. What the head says of all its rows, none of them says again.
 */
import {lineParts} from '../layout/rowface.js';
import {textWidth} from '../layout/text.js';
import {ageOf, clockOf, faceOf} from './content.js';
import {el, setAttribute, setText} from './dom.js';
import {ageSaid, word} from './words.js';

/** The height of a head, in points; and the room at its sides, and between its texts. */
export const CARD_HEAD = 22;
const SIDE = 12, GAP = 8;
const DOT = ' · ';
/** Rows that are nearly as old as the oldest of their card do not say their age again. */
const NEARLY_MS = 60_000;

let count = 0;

/** What a head says: {name, parts, age}. */
class Said {
  constructor({name, parts, age, quiet}) {
    Object.assign(this, {name, parts, age});
    this.quiet = new Set([...parts, ...quiet]);
    /** A text that is another one when rows have to say something else. */
    this.key = [...this.quiet].join('\n');
  }

  /** Whether a row need not say this part of its line. */
  says(part) { return this.quiet.has(part); }

  saysAge(ms) { return this.age !== null && this.age.ms - ms < NEARLY_MS; }
}

export class CardHeads {
  constructor(list) {
    this.list = list;
    /** By card. */
    this.heads = new Map();
    this.known = new Map();
    /** Heads that stand once more, above what goes on in another column. */
    this.again = [];
  }

  /** The rows, the time, or the room is another. */
  forget() { this.known.clear(); }

  of(card) {
    if (!this.known.has(card.id)) this.known.set(card.id, this.said(card));
    return this.known.get(card.id);
  }

  kind(row) { return this.list.board.table.kinds.get(row.kind); }

  /** The parts that fit are those that count first: what has no room here stays in the rows. */
  said({name, rows, section}) {
    const {board, width} = this.list;
    const now = board.now(), clock = clockOf(now, board.table);
    const age = this.oldest(rows, section, now);
    const [first, ...others] = rows.map((row) => faceOf(row, this.kind(row), now, board.table).line);
    const common = new Set(first.filter((text) => others.every((line) => line.includes(text))));
    const parts = lineParts(rows[0], this.kind(rows[0]), clock).filter(({text}) => common.has(text));
    let room = width - 2 * SIDE - (age ? textWidth(age.text, 13, 'point') * 1.08 + 2 + GAP : 0);
    const wide = textWidth(name, 16, 'point') + 2;
    const quiet = wide <= room ? parts.filter((one) => one.isName).map(({text}) => text) : [];
    room -= wide + GAP;
    const rest = parts.filter((one) => !one.isName);
    const chosen = new Set();
    for (const one of [...rest.filter((part) => part.isCount), ...rest.filter((part) => !part.isCount)]) {
      const more = textWidth(chosen.size > 0 ? DOT + one.text : one.text, 13, 'point') + 1;
      if (chosen.has(one.text) || more > room) continue;
      room -= more;
      chosen.add(one.text);
    }
    return new Said({name, parts: rest.map(({text}) => text).filter((text) => chosen.delete(text)), age, quiet});
  }

  /** The age of the oldest row, as urgent as the most urgent; null: none has an age here. */
  oldest(rows, section, now) {
    const found = rows.filter((row) => !row.sleep)
                    .map((row) => ageOf(row, this.kind(row), now, section))
                    .filter((age) => age?.text);
    if (found.length === 0) return null;
    const ms = Math.max(...found.map((age) => age.ms));
    const level = ['late', 'warn'].find((one) => found.some((age) => age.level === one)) ?? '';
    return {ms, level, text: ageSaid(Math.floor(ms / 1000))};
  }

  /** Rows were drawn: each card of which one is in the document has its head. */
  draw(animated) {
    const {list} = this;
    const cards = new Map();
    for (const view of list.views.values()) {
      const card = view.leaving || !view.place ? null : list.gathered?.cardOf(view.id);
      if (card) cards.set(card.id, card);
    }
    for (const [id, head] of this.heads) {
      if (cards.has(id)) continue;
      head.element.remove();
      this.heads.delete(id);
    }
    for (const [id, card] of cards) {
      const isThere = this.heads.has(id);
      if (!isThere) this.heads.set(id, this.made());
      const head = this.heads.get(id);
      head.card = card;
      this.fill(head);
      head.y = list.layout.offsetOf(card.rows[0].id) - CARD_HEAD;
      this.put(head, animated && isThere);
    }
  }

  made() {
    const name = el('h3', {dir: 'auto'}), parts = el('span', {class: 'parts', dir: 'auto'}), age = el('span', {});
    const rows = el('div', {role: 'list'});
    count += 1;
    const element = el('div', {class: 'card-head', role: 'listitem', id: `card-${count}`}, name, parts, age, rows);
    this.list.stage.append(element);
    return {element, name, parts, age, rows};
  }

  fill(head) {
    const {card} = head;
    const said = this.of(card);
    fillTexts(head, said);
    const age = said.age?.level === 'late' ? word('row.late', {age: said.age.text}) : said.age?.text;
    setAttribute(head.element, 'aria-label', [said.name, ...said.parts, ...age ? [age] : []].join(', ').slice(0, 600));
    setAttribute(head.element, 'aria-posinset', card.index + 1);
    setAttribute(head.element, 'aria-setsize', card.count);
    setAttribute(head.rows, 'aria-label', said.name);
  }

  put(head, animated) {
    const {list} = this;
    list.stand(head, head.y + list.lean(head.y), animated, CARD_HEAD, list.columnOf(head.y));
  }

  putAll(animated) {
    for (const head of this.heads.values()) this.put(head, animated);
  }

  /** The ids of the elements that a section's list has: a card's head, whose list has its rows, or a row that is alone. */
  owned(views) {
    const byCard = new Map();
    for (const view of views) {
      const head = this.heads.get(this.list.gathered?.cardOf(view.id)?.id);
      const id = (head ?? view).element.id;
      if (!byCard.has(id)) byCard.set(id, {head, ids: []});
      byCard.get(id).ids.push(view.element.id);
    }
    for (const {head, ids} of byCard.values())
      if (head) setAttribute(head.rows, 'aria-owns', ids.join(' '));
    return [...byCard.keys()];
  }

  tick() {
    this.forget();
    for (const head of this.heads.values()) this.fill(head);
  }

  /** Above what goes on in another column the head of its card stands once more. `seen`: [{column, index}]. */
  drawAgain(seen) {
    const {list} = this;
    const wanted = seen.filter(({column}) => column.card !== null);
    while (this.again.length < wanted.length) {
      const head = this.made();
      for (const name of ['role', 'id']) head.element.removeAttribute(name);
      head.name.replaceWith(head.name = el('b', {dir: 'auto'}));
      head.rows.remove();
      setAttribute(head.element, 'aria-hidden', 'true');
      this.again.push(head);
    }
    this.again.forEach((head, n) => {
      head.element.hidden = n >= wanted.length;
      if (head.element.hidden) return;
      const {column, index} = wanted[n];
      fillTexts(head, this.of(list.gathered.cardOf(column.card)));
      head.element.style.height = `${CARD_HEAD * list.scale}px`;
      head.element.style.transform = list.spot(column.from - CARD_HEAD, index);
    });
  }
}

function fillTexts({name, parts, age}, said) {
  setText(name, said.name);
  setText(parts, said.parts.join(DOT));
  setText(age, said.age?.text ?? '');
  age.className = `age ${said.age?.level ?? ''}`;
}
