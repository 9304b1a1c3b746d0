/**
 * Heads of cards that have several rows of a group: its value, how much of it is ready, and how old the oldest of its rows
 * is. What the head says of all its rows, none of them says again.
 */
import {changesWithTime, countsText, lineParts} from '../layout/rowface.js';
import {textWidth} from '../layout/text.js';
import {madeOnce} from '../model/read.js';
import {ageOf, boldWidth, clockOf} from './content.js';
import {el, keepOnly, setAttribute, setText} from './dom.js';
import {ageSaid, word} from './words.js';

/** The height of a head, in points; and the room at its sides, and between its texts. */
export const CARD_HEAD = 22;
const SIDE = 12, GAP = 8;
const DOT = ' · ';
/** Rows that are nearly as old as the oldest of their card do not say their age again. */
const NEARLY_MS = 60_000;

let count = 0;

/**
 * The parts that all lines have: they say the same of the same. One whose text a line has twice is none of them, as rows
 * leave out what a head says by its text.
 */
function commonParts(lines) {
  const isSame = (part, one) => part.text === one.text && JSON.stringify(part.names) === JSON.stringify(one.names);
  const isOnce = (part, line) => line.filter(({text}) => text === part.text).length === 1;
  return lines[0].filter((part) => lines.every((line) => isOnce(part, line) && line.some((one) => isSame(part, one))));
}

/** Whether a head says the age of a row of its card. */
export const saysAge = (head, ms) => head !== null && head.age !== null && head.age.ms - ms < NEARLY_MS;

export class CardHeads {
  constructor(list) {
    this.list = list;
    /** By card. */
    this.heads = new Map();
    this.known = new Map();
    /** By card: its texts, and from what they were made. */
    this.texts = new Map();
    /** Heads that stand once more, above what goes on in another column. */
    this.again = [];
    this.goingOn = [];
  }

  /** The rows, the time, or the room may be others. */
  forget() { this.known.clear(); }

  of(card) { return madeOnce(this.known, card.id, () => this.said(card)); }

  kind(row) { return this.list.board.table.kinds.get(row.kind); }

  /**
   * The texts of a card's head: {name, parts: of lines, age: {ms, level, text} or null, quiet: the texts that its rows need
   * not say, key: another one when rows have to say something else}.
   */
  said(card) {
    const {board, width} = this.list;
    const {rows} = card, now = board.now();
    const age = this.oldest(card, now);
    // An age that counts is as wide as before.
    const wide = age ? age.text.replace(/\d/g, '0') : '';
    const made = [
      width, wide, board.drawing,
      ...rows.map((row) => `${countsText(board.table, row, this.kind(row))} ${this.second(row, now)}`)
    ].join('\n');
    const before = this.texts.get(card.id);
    const isSame =
      before?.made === made && before.rows.length === rows.length && before.rows.every((row, n) => row === rows[n]);
    const texts = isSame ? before : {...this.textsOf(card, wide, clockOf(now, board.table)), made, rows};
    this.texts.set(card.id, texts);
    return {...texts, age};
  }

  second(row, now) { return changesWithTime(this.kind(row)) ? Math.floor(now / 1000) : ''; }

  /** The parts that fit beside the name and the age, those that count first. What has no room stays in the rows. */
  textsOf({name, rows}, age, clock) {
    const parts = commonParts(rows.map((row) => lineParts(row, this.kind(row), clock)));
    let room = this.list.width - 2 * SIDE - (age ? textWidth(age, 13, 'point') * 1.08 + 2 + GAP : 0);
    const wide = boldWidth(name, 15) + 1;
    const named = wide <= room ? parts.filter((one) => one.isName).map(({text}) => text) : [];
    room -= wide + GAP;
    const rest = parts.filter((one) => !one.isName);
    const chosen = new Set();
    for (const one of [...rest.filter((part) => part.isCount), ...rest.filter((part) => !part.isCount)]) {
      const more = textWidth(chosen.size > 0 ? DOT + one.text : one.text, 13, 'point') + 1;
      if (more > room) continue;
      room -= more;
      chosen.add(one.text);
    }
    const quiet = new Set([...named, ...chosen]);
    const said = rest.map(({text}) => text).filter((text) => chosen.has(text));
    return {name, parts: said, quiet, key: [...quiet].join('\n')};
  }

  /** The age of the oldest row, as urgent as the most urgent; null: none has an age here. */
  oldest({rows, section}, now) {
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
      // The layout may not have its rows yet, or have them no more.
      if (card && list.layout.offsetOf(card.rows[0].id) !== null) cards.set(card.id, card);
    }
    keepOnly(this.heads, cards, (head) => head.element);
    for (const id of this.texts.keys())
      if (!cards.has(id)) this.texts.delete(id);
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
    const age = said.age?.level === 'late' ? word('row.late', {age: said.age.text}) : said.age?.text;
    const label = [said.name, ...said.parts, ...age ? [age] : []].join(', ').slice(0, 600);
    const drawn = [label, said.age?.level, card.index, card.count].join('\n');
    if (head.drawn === drawn) return;
    head.drawn = drawn;
    fillTexts(head, said);
    setAttribute(head.element, 'aria-label', label);
    setAttribute(head.element, 'aria-posinset', card.index + 1);
    setAttribute(head.element, 'aria-setsize', card.count);
    setAttribute(head.rows, 'aria-label', said.name);
  }

  put(head, animated) {
    const {list} = this;
    list.stand(head, head.y + list.lean(head.y), animated, CARD_HEAD, list.columnOf(head.y));
    head.element.classList.toggle('elsewhere', !this.isOverRows(head));
  }

  /** Whether rows stand below a head: all of its card may be lifted, and be drawn elsewhere or not at all. */
  isOverRows({card, y}) { return this.stands(card.rows, y + this.list.lean(y) + CARD_HEAD); }

  /** Whether rows go on in a column, where they begin at its upper edge. */
  isGoingOn({card, from, to}) {
    const {layout, gathered} = this.list;
    const isHere = (y) => y >= from - 0.001 && y < to - 0.001;
    return this.stands(gathered.cardOf(card).rows.filter(({id}) => isHere(layout.offsetOf(id))), from);
  }

  /** Whether one of these rows is not lifted, or would land at this offset. */
  stands(rows, top) {
    const {layout, gaps} = this.list;
    return rows.some(({id}) => {
      const gap = gaps.find(({ids}) => ids.includes(id)), at = layout.offsetOf(id);
      return !gap || (gap.line !== null && Math.abs(at + this.list.lean(at, id) - top) < 1);
    });
  }

  putAll(animated) {
    for (const head of this.heads.values()) this.put(head, animated);
    this.drawAgain(this.goingOn);
  }

  /** The ids of the elements that a section's list has: a card's head, whose list has its rows, or a row that is alone. */
  owned(views) {
    const byCard = new Map();
    for (const view of views) {
      const head = this.heads.get(this.list.gathered?.cardOf(view.id)?.id);
      const id = (head ?? view).element.id;
      madeOnce(byCard, id, () => ({head, ids: []})).ids.push(view.element.id);
    }
    for (const {head, ids} of byCard.values())
      if (head) setAttribute(head.rows, 'aria-owns', ids.join(' '));
    return [...byCard.keys()];
  }

  tick() {
    this.forget();
    for (const head of this.heads.values()) this.fill(head);
    this.drawAgain(this.goingOn);
  }

  /** Above what goes on in another column the head of its card stands once more. `seen`: [{column, index}]. */
  drawAgain(seen) {
    const {list} = this;
    this.goingOn = seen;
    const wanted = seen.filter(({column}) => column.card !== null && this.isGoingOn(column));
    const made = () => {
      const head = this.made();
      for (const name of ['role', 'id']) head.element.removeAttribute(name);
      head.name.replaceWith(head.name = el('b', {dir: 'auto'}));
      head.rows.remove();
      setAttribute(head.element, 'aria-hidden', 'true');
      return head;
    };
    showAgain(this.again, wanted, made, (head, {column, index}) => {
      fillTexts(head, this.of(list.gathered.cardOf(column.card)));
      head.element.style.height = `${CARD_HEAD * list.scale}px`;
      head.element.style.transform = list.spot(column.from - CARD_HEAD, index);
    });
  }
}

/** Fills and shows as many of the elements that were made, {element}, as are wanted, and hides the others. */
export function showAgain(all, wanted, made, fill) {
  while (all.length < wanted.length) all.push(made());
  all.forEach((one, n) => {
    one.element.hidden = n >= wanted.length;
    if (!one.element.hidden) fill(one, wanted[n]);
  });
}

function fillTexts({name, parts, age}, said) {
  setText(name, said.name);
  setText(parts, said.parts.join(DOT));
  setText(age, said.age?.text ?? '');
  setAttribute(age, 'class', `age ${said.age?.level ?? ''}`);
}
