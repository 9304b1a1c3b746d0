/**
 * All sections of a screen as cards in a grid, for a wall: they stand in columns as high as the board, one beside the
 * other (flow.js), and are scrolled sideways where they do not fit. Rows of a group are one card. Offsets are the
 * layout's, as in a list.
 */
import {Gathered, gathers} from '../model/gathered.js';
import {CARD_HEAD, CardHeads, showAgain} from './cardheads.js';
import {el, setHidden, setText} from './dom.js';
import {columnAt, flow} from './flow.js';
import {landingAt} from './gaps.js';
import {icon} from './icons.js';
import {again, List} from './list.js';
import {isMirrored, word} from './words.js';

/** A card is no narrower than so many points; and wider than so many only where fewer columns are asked for. */
const LEAST = 200, MOST = 480;
const HEAD = 36;

export class Cards extends List {
  constructor(board, sections) {
    super(board, sections);
    this.columns = [];
    this.chosen = Infinity;
    this.isChoiceOld = false;
    this.leads = [];
    /** The table as it is drawn, where its kinds group rows; null: rows are drawn as they stand. */
    this.gathered = null;
    this.cardHeads = new CardHeads(this);
    this.element.classList.add('cards');
    this.back = this.pager('chevron.right', word('cards.earlier'), -1);
    this.on = this.pager('chevron.right', word('cards.later'), 1);
    this.pages = el('div', {class: 'pager', hidden: true}, this.back, this.on);
    this.element.addEventListener('wheel', (event) => this.wheeled(event), {passive: false});
  }

  pager(name, label, step) {
    const go = () => this.goTo(this.first + step * this.across);
    return el('button', {class: 'tool', 'aria-label': label, click: go}, icon(name, 20), el('span', {}));
  }

  get elements() { return [this.element, this.pages]; }

  get head() { return HEAD; }

  get stuckHead() { return 0; }

  /** How many columns fit side by side. */
  get fit() {
    const fit = Math.max(1, Math.floor(this.wide / this.scale / LEAST));
    return Math.min(this.board.settings.columns || fit, fit);
  }

  /** How many columns are side by side. */
  get across() { return Math.min(this.chosen, this.fit); }

  get room() { return this.wide / this.scale / this.across; }

  /** How far it is scrolled, from the side on which lines begin. */
  get along() { return Math.abs(this.element.scrollLeft); }

  set along(pixels) { this.element.scrollLeft = isMirrored() ? -pixels : pixels; }

  /** The index of the column at the edge where it begins. */
  get first() {
    const at = Math.floor((this.along + 1) / (this.room * this.scale));
    return Math.min(Math.max(0, at), Math.max(0, this.columns.length - 1));
  }

  get top() { return this.columns[this.first]?.from ?? 0; }

  get inView() {
    const last = Math.ceil((this.along + this.wide - 1) / (this.room * this.scale)) - 1;
    const column = this.columns[Math.min(Math.max(last, 0), this.columns.length - 1)];
    return column ? column.to - this.top : this.high / this.scale;
  }

  /** The pixels of the line that says how much is out of sight. */
  get pagesHigh() { return 48 * this.board.settings.sizes.around; }

  reset(table, isFirst) {
    this.gathered = gathers(table) ? new Gathered(table) : null;
    super.reset(this.gathered ?? table, isFirst);
  }

  update(changes) {
    this.gathered?.refresh();
    super.update(changes);
  }

  above(id) { return this.gathered?.isFirst(id) ? CARD_HEAD : 0; }

  headOf(id) {
    const card = this.gathered?.cardOf(id);
    return card ? this.cardHeads.of(card) : null;
  }

  /** A row that is alone is one of its section's cards; the others are rows of theirs. */
  placeOf(one) {
    const card = this.gathered?.cards.get(one.id);
    if (!card) return super.placeOf(one);
    const isJoined = this.gathered.cardOf(one.id) !== null;
    const at = card.rows.findIndex(({id}) => id === one.id), last = card.rows.length - 1;
    const [index, count] = isJoined ? [at, last + 1] : [card.index, card.count];
    return {...super.placeOf(one), index, count, isJoined, isEnd: at === last};
  }

  render(animated, isScroll) {
    this.cardHeads.forget();
    super.render(animated, isScroll);
  }

  drawHeads(heads, top, animated) {
    this.cardHeads.draw(animated);
    super.drawHeads(heads, top, animated);
  }

  owned(views) { return this.cardHeads.owned(views); }

  tick() {
    this.cardHeads.tick();
    super.tick();
  }

  makeRoom() {
    super.makeRoom();
    if (this.layout) this.cardHeads.putAll(true);
  }

  flowed(room) { return flow(this.layout, room, HEAD, this.gathered, CARD_HEAD); }

  /**
   * It takes as few columns as all cards fit in: then they are wide, and less of them is cut. Where not all can be seen
   * there are as many as fit. While a finger is on a row nothing changes. The rows of the board decide it, so screens of
   * one size show the same.
   */
  choose() {
    this.isChoiceOld = this.isHeld;
    if (this.isChoiceOld) return;
    this.setAcross(this.fit);
    this.widen();
  }

  /** Takes fewer columns than fit, if all cards fit in them. */
  widen() {
    const {fit} = this, room = this.high / this.scale;
    // Wider cards are lower, but not by half.
    if (this.flowed(room).length > 2 * fit) return;
    for (let count = Math.ceil(this.wide / this.scale / MOST); count < fit; count++) {
      this.setAcross(count);
      if (this.flowed(room).length <= count) return;
    }
    this.setAcross(fit);
  }

  /** Whether a finger is on a row, or a row is lifted. */
  get isHeld() { return Boolean(this.board.drag) || [...this.views.values()].some((view) => view.held > 0); }

  /** When the finger has gone, the columns are chosen that it kept from being chosen. */
  get isOutdated() { return (this.isChoiceOld && !this.isHeld) || super.isOutdated; }

  setAcross(count) {
    this.chosen = count;
    this.width = this.room;
    this.layout.resize(this.width);
    // Columns are counted by heights as they are: by estimates rows would be left out.
    this.layout.measure(Infinity);
  }

  size() {
    this.sized = this.scale;
    this.choose();
    let room = this.high / this.scale;
    this.columns = this.flowed(room);
    if (this.columns.length > this.across) {
      // The line that says how much is out of sight stands below the cards, never on one.
      room -= this.pagesHigh / this.scale;
      this.columns = this.flowed(room);
    }
    const tallest = Math.max(0, ...this.columns.map((one) => one.lead + one.to - one.from));
    const {style} = this.spacer;
    style.width = `${this.columns.length * this.room * this.scale}px`;
    style.height = `${Math.max(tallest, room - 0.1) * this.scale}px`;
    this.stage.style.setProperty('--card', `${this.room * this.scale}px`);
  }

  resize() {
    super.resize();
    if (!this.layout) return;
    this.size();
    this.render(false);
  }

  columnOf(y) { return columnAt(this.columns, y); }

  isBelow(y, above) { return this.columnOf(y) === this.columnOf(above); }

  spot(y, index = this.columnOf(y)) {
    const column = this.columns[index] ?? {from: 0, lead: 0};
    const down = (column.lead + y - column.from) * this.scale;
    const across = index * this.room * this.scale;
    return `translate(${isMirrored() ? -across : across}px, ${down}px)`;
  }

  put(view, animated = false) {
    const {place} = view;
    // A row that a finger is on stays where it is.
    if (!place || (view.held > 0 && view.stands)) return;
    const y = place.y + this.lean(place.y, view.id);
    const {classList} = view.element;
    classList.toggle('joined', Boolean(place.isJoined));
    classList.toggle('end', Boolean(place.isEnd));
    const isLifted = this.gaps.some((gap) => gap.line !== null && gap.ids.includes(view.id));
    this.stand(view, y, animated, place.height, this.columnOf(isLifted ? y : place.y));
  }

  stand(thing, ...more) {
    const isElsewhere = super.stand(thing, ...more);
    if (isElsewhere && thing.place) this.shiftedAt = performance.now() + this.wait * 1000;
  }

  shift(delta) { this.scrollTo(this.top + delta); }

  /** It is scrolled by whole columns: the one that was seen first stays, whatever is in it. */
  hold() { this.size(); }

  recentre() {}

  rebase() {}

  scrollTo(y) { this.goTo(this.columnOf(y)); }

  /** Shows the columns from this one on. */
  goTo(index) {
    const last = Math.max(0, this.columns.length - this.across);
    this.along = Math.min(Math.max(0, index), last) * this.room * this.scale;
    this.renderSoon();
  }

  bring(y) {
    const index = this.columnOf(y);
    if (index < this.first) this.goTo(index);
    else if (index >= this.first + this.across) this.goTo(index - this.across + 1);
    // Only where a row is higher than the board is there anything above or below.
    const {lead, from} = this.columns[index] ?? {lead: 0, from: y};
    const down = (lead + y - from) * this.scale, {scrollTop} = this.element;
    if (down < scrollTop || down > scrollTop + this.high - 44) this.element.scrollTop = down - HEAD * this.scale;
    this.render(false);
  }

  wheeled(event) {
    if (event.ctrlKey || event.deltaX !== 0 || this.spacer.clientHeight > this.high + 1) return;
    event.preventDefault();
    this.along = Math.max(0, this.along + event.deltaY);
  }

  /** Above what goes on in another column its heading stands once more; and it is said how much is out of sight. */
  drawStuck() {
    setHidden(this.stuck, true);
    const {first, across} = this;
    const seen = this.columns.slice(first, first + across + 1).map((column, n) => ({column, index: first + n}));
    const wanted = seen.filter(({column}) => column.head);
    // In a kiosk the board's freshness stands over the last column.
    const corner = first + across - 1;
    const made = () => ({element: this.stage.appendChild(el('div', {class: 'section', 'aria-hidden': 'true'}))});
    showAgain(this.leads, wanted, made, ({element}, {column, index}) => {
      const head = this.layout.table.sections.find((one) => one.id === column.head.section);
      const late = this.board.alerts.lateSaid(column.head.section);
      again(element, {...column.head, count: head?.count ?? column.head.count, late});
      element.style.transform = this.spot(column.from - column.lead, index);
      element.classList.toggle('corner', index === corner);
    });
    for (const head of this.heads.values())
      head.element.classList.toggle('corner', head.column === corner && head.y === this.columns[corner]?.from);
    this.cardHeads.drawAgain(seen);
    this.drawPager(first, first + across);
  }

  drawPager(first, end) {
    const rows = (from, to) => this.layout.visible(from, to - from).length;
    const before = first > 0 ? rows(0, this.columns[first].from) : 0;
    const after = end < this.columns.length ? rows(this.columns[end].from, this.layout.contentHeight) : 0;
    for (const [button, many] of [[this.back, before], [this.on, after]]) {
      setHidden(button, many === 0);
      setText(button.lastChild, word('cards.more', {count: many}));
    }
    setHidden(this.pages, before + after === 0);
  }

  pointOf(y) {
    const {left, right, top} = this.element.getBoundingClientRect();
    const index = this.columnOf(y);
    const column = this.columns[index];
    const wide = this.room * this.scale;
    return {
      left: isMirrored() ? right - (index + 1) * wide + this.along : left + index * wide - this.along,
      top: top + (column.lead + y - column.from) * this.scale - this.element.scrollTop,
    };
  }

  ends(x) {
    const {left, right} = this.element.getBoundingClientRect();
    return {from: left, to: right, at: x, scroll: 'scrollLeft'};
  }

  placeAt(x, y, id) {
    const {left, right, top} = this.element.getBoundingClientRect();
    const at = ((isMirrored() ? right - x : x - left) + this.along) / (this.room * this.scale);
    const index = Math.min(Math.max(0, Math.floor(at)), this.columns.length - 1);
    const column = this.columns[index];
    if (!column) return null;
    const down = (y - top + this.element.scrollTop) / this.scale - column.lead - (this.layout.heightOf(id) ?? 0) / 2;
    const own = this.layout.offsetOf(id);
    const from = own !== null && this.columnOf(own) === index ? own : null;
    const end = column.to - (from === null ? 0 : this.layout.heightOf(id)) - 0.01;
    const t = Math.min(Math.max(column.from + down, column.from), end);
    const found = landingAt(this.layout, id, t, HEAD, from);
    if (!found || !this.gathered) return found;
    return {place: this.gathered.placeFor(found.place, id, (card) => t < this.middleOf(card, id, from))};
  }

  /** The middle of a card, where a row has left its place at `from`. */
  middleOf({rows}, id, from) {
    const {layout} = this;
    const last = rows.at(-1).id, top = layout.offsetOf(rows[0].id) - CARD_HEAD;
    const middle = (top + layout.offsetOf(last) + layout.heightOf(last)) / 2;
    return from !== null && top > from ? middle - layout.heightOf(id) : middle;
  }

  /** Where the row would be drawn; at the end of a card it stays in that card's column. */
  lineOf(place, id) {
    const to = place.before === id ? null : this.gathered?.landing(place, id);
    if (!to) return super.lineOf(place);
    const {before, after, isIn} = to;
    if (before !== undefined) return this.layout.offsetOf(before) - (isIn ? 0 : this.above(before));
    if (after === undefined) return super.lineOf({section: to.section, top: true});
    return super.lineOf({after}) - (isIn ? 0.01 : 0);
  }
}
