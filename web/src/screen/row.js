/** One row on the screen: its element, which it keeps while a finger is on it, and what is drawn in it. */
import {motionOf} from '../layout/motion.js';
import {changesWithTime, countsText} from '../layout/rowface.js';
import {stripLayout} from '../layout/strip.js';
import {groupOf} from '../model/read.js';
import {saysAge} from './cardheads.js';
import {actionTitle, ageOf, claimSaid, drawWords, faceOf, SIDE, subtitle} from './content.js';
import {el, setAttribute, setText} from './dom.js';
import {Buttons} from './faces.js';
import {icon} from './icons.js';
import {reasonSaid} from './says.js';
import {StripView} from './strips.js';
import {Swipe} from './swipe.js';
import {nextSaid, triedAgain} from './tried.js';
import {ageSaid, isMirrored, startSide, word} from './words.js';

/** What stands out is drawn no smaller than this part of its size while the row is open. */
const LEAST_STANDING = 0.3;
let count = 0;

export class RowView {
  /** `board` knows the table and what to do; `list` places the row. */
  constructor(board, list) {
    this.board = board;
    this.list = list;
    this.id = null;
    this.row = null;
    this.held = 0;
    this.fixed = null;
    this.leaving = false;
    this.bar = el('span', {class: 'bar'});
    this.words = el('div', {class: 'words'});
    /** In the left margin: whether the row is open. */
    this.chevron = el('span', {class: 'chevron', 'aria-hidden': 'true'});
    this.check = el('span', {class: 'check', hidden: true, 'aria-hidden': 'true'}, icon('checkmark', 14));
    this.more = el('button', {class: 'more', tabindex: '-1', 'aria-haspopup': 'dialog'});
    this.more.addEventListener('click', (event) => {
      event.stopPropagation();
      // A press of a button does what it says, besides closing what was open. Keys and readers close what they are at.
      if (event.detail > 0) board.actions.closeOpened(this.id);
      board.actions.menu(this);
    });
    this.tile = el('span', {class: 'tile', hidden: true, 'aria-hidden': 'true'});
    this.slide = el('div', {class: 'slide'}, this.words, this.tile, this.bar, this.chevron, this.check, this.more);
    this.buttons = new Buttons((action, edge, event) => board.press(this, action, edge, event),
      (action) => this.row && board.actions.barred(action, this.row));
    count += 1;
    this.element =
      el('div', {class: 'row', role: 'listitem', tabindex: '-1', id: `row-${count}`}, this.buttons.element, this.slide);
    this.element.view = this;
    this.swipe = new Swipe({
      context: (edge) => this.context(edge),
      width: () => this.width,
      most: () => this.mostPull,
      full: (edge) => Boolean(groupOf(this.row, this.kind, edge)?.fullSwipe),
      draw: () => this.drawPull(),
      armed: (armed) => board.armed(this, armed),
      perform: (edge) => board.fullSwipe(this, edge),
      settled: (edge) => board.opened(this, edge),
    });
    this.slide.addEventListener('click', (event) => board.actions.tap(this, event));
  }

  get kind() { return this.board.table?.kinds.get(this.row?.kind) ?? null; }

  get scale() { return this.list.scale; }

  /** Takes another row: nothing of the one before stays. */
  assign(row) {
    this.id = row.id;
    this.row = null;
    this.drawn = '';
    this.fixed = null;
    this.leaving = false;
    this.swipe.clear();
    this.buttons.clear();
    this.strip?.remove();
    this.strip = null;
    this.element.className = 'row';
    this.element.style.transition = 'none';
    this.stands = '';
    this.slide.style.transform = '';
    this.element.dataset.row = row.id;
  }

  /** The input of the swipe's layout; null: nothing can be swiped there. */
  context(edge) {
    const {table} = this.board;
    if (!this.row || !table || this.board.isStill || !groupOf(this.row, this.kind, edge)) return null;
    return {
      table,
      row: this.row,
      edge,
      height: this.height,
      width: this.width,
      profile: 'point',
      nowMs: this.board.now(),
      pull: this.swipe?.pull ?? 0,
    };
  }

  /** Draws what changed. `place`: {index, count, y, height, state}; widths and heights in points. */
  draw(row, place, width) {
    const {board} = this;
    const kind = board.table.kinds.get(row.kind);
    const age = kind?.ages || row.sleep ? this.age(row, kind) : null;
    const lease = board.leaseOf(row.id);
    const editing = board.isEditing;
    const chosen = board.isChosen(row);
    const head = this.list.headOf(row.id);
    const isAgeSaid = Boolean(age?.text) && !row.sleep && saysAge(head, age.ms);
    const lifted = board.isLifted(row.id);
    const key = [
      width, place.height, age?.text.split(':')[0], age?.level, lease?.holder, lease?.mine, editing,
      chosen?.item ?? chosen, this.scale, board.drawing, lifted, board.marks?.has(row.id), board.tiles?.of(row.id),
      this.second(kind), countsText(board.table, row, kind), head?.key, isAgeSaid, ...this.nextAttempts(row).values()
    ].join('|');
    this.place = place;
    this.width = width;
    this.height = place.height;
    // Others come and go, and nothing else of this row is another one.
    setAttribute(this.element, 'aria-posinset', place.index + 1);
    setAttribute(this.element, 'aria-setsize', place.count);
    if (this.row === row && key === this.drawn) {
      this.sayAge(age?.text ?? '');
      return;
    }
    const before = this.row;
    this.row = row;
    this.drawn = key;
    this.level = age?.level ?? '';
    this.ageText = age?.text ?? '';
    this.drawStrip(row, kind, width, place.height, chosen, editing);
    const list = this.element.classList;
    list.toggle('theirs', Boolean(lease && !lease.mine));
    list.toggle('chosen', Boolean(chosen) && !chosen.item);
    list.toggle('lifted', lifted);
    setAttribute(this.element, 'aria-current', chosen ? 'true' : null);
    list.toggle('marked', Boolean(board.marks?.has(row.id)));
    this.titleMiddle = drawWords(this.words, row, kind, {
      nowMs: board.now(),
      table: board.table,
      width,
      height: place.height,
      scale: this.scale,
      age: age?.text && !isAgeSaid ? age : null,
      head,
      lease: lease && !lease.mine ? lease.holder : null,
      lifted,
      next: this.nextAttempts(row),
      editing,
      hasStrip: Boolean(this.strip),
      stripTitle: this.strip?.y > 20,
      more: !editing,
      control: this.control(kind) !== 'none',
      grip: board.canMove(row),
    });
    this.drawMarks(row, kind, editing);
    this.describe(row, age, lease);
    if (before && before.swipe !== row.swipe || !before) this.followSwipe(row, !before);
    if (this.swipe.pull > 0 || this.swipe.edge) this.drawPull();
  }

  /** Draws it again where it stands, if there is a row. */
  redraw() {
    if (this.row && !this.leaving) this.draw(this.row, this.place, this.width);
  }

  /** In edit mode its items make room for the controls at both sides. */
  drawStrip(row, kind, width, height, chosen, editing) {
    const wanted = kind?.strip && (row.items ?? []).length > 0 && this.height > 0;
    if (!wanted) {
      this.strip?.remove();
      this.strip = null;
      return;
    }
    const scroll = this.board.actions.scrollOf(row);
    const margin = Math.min(kind.margins?.text ?? 20, width / 2);
    const left = editing && this.control(kind) !== 'none' ? Math.max(0, SIDE - margin) : 0;
    const room = width - left - (editing && this.board.canMove(row) ? SIDE : 0);
    const layout = stripLayout({table: this.board.table, row, width: room, height, profile: 'point', scroll});
    if (!layout) return;
    if (!this.strip) {
      this.strip = new StripView(this);
      this.slide.insertBefore(this.strip.element, this.bar);
    }
    this.strip.draw(layout, row, chosen?.item, scroll, left);
  }

  /** The control of edit mode at the left. */
  control(kind) {
    const style = kind?.editingStyle ?? 'delete';
    if (style === 'delete' && kind?.canDelete === false) return 'none';
    return style;
  }

  drawMarks(row, kind, editing) {
    const first = Math.min(this.height, kind?.height ?? this.height);
    const s = this.scale;
    this.bar.className = `bar ${this.level}`;
    this.bar.hidden = !this.level;
    const states = (row.states ?? []).length || (kind?.states ?? []).length;
    const open = (row.expand ?? 'collapsed') !== 'collapsed';
    const isMarked = Boolean(this.board.marks?.has(row.id));
    this.check.hidden = !isMarked;
    const tile = this.board.tiles?.of(row.id);
    this.tile.hidden = !tile;
    setText(this.tile, String(tile ?? ''));
    this.check.style.top = `${(this.middle(row, first) - 7) * s}px`;
    this.chevron.hidden = editing || isMarked || Boolean(tile) || states < 2 || (kind?.margins?.text ?? 20) < 14;
    this.chevron.style[startSide()] = `${4 * s}px`;
    this.chevron.style.top = `${(this.middle(row, first) - 5.5) * s}px`;
    this.chevron.style.transitionDuration = `${this.motion.expand}s`;
    this.chevron.style.transform = open ? `rotate(${isMirrored() ? -90 : 90}deg)` : '';
    this.more.hidden = editing;
    const high = this.strip && this.strip.y > 20 ? 36 * s : first * s;
    this.more.style.height = `${Math.max(high, Math.min(44, this.height * s))}px`;
    setAttribute(this.more, 'aria-label', word('row.actions', {row: row.title || row.id}));
    this.drawEditing(row, kind, editing, first * s);
  }

  /** The second by which the texts of a row change by themselves. */
  second(kind) { return changesWithTime(kind) ? Math.floor(this.board.now() / 1000) : 0; }

  /** The sentences about the next attempts of actions that have failed, by action. */
  nextAttempts(row) {
    const said = new Map();
    for (const one of row.performed ?? []) {
      const again = one.item ? undefined : triedAgain(one, this.board.table);
      if (again) said.set(one.action, nextSaid(again));
    }
    return said;
  }

  /** The middle of the title's line. */
  middle(row, first) {
    if (this.titleMiddle !== undefined) return this.titleMiddle;
    const two = (row.expand ?? 'collapsed') === 'collapsed' && first >= 46
      && subtitle(row, faceOf(row, this.kind, this.board.now(), this.board.table), this.list.headOf(row.id)).text
        !== '';
    return two && !this.strip ? first / 2 - 10 : this.strip ? Math.min(18, first / 2) : first / 2;
  }

  /** The controls of edit mode. They stay while they fit: a finger may be on one. */
  drawEditing(row, kind, editing, height) {
    const style = editing ? this.control(kind) : 'none';
    const hasGrip = editing && this.board.canMove(row);
    const name = row.title || row.id;
    const key = [style, hasGrip, height].join('|');
    if (this.controls !== key) this.makeControls(style, hasGrip, height);
    this.controls = key;
    if (this.remove) {
      setAttribute(this.remove, 'aria-label', word(style === 'insert' ? 'row.insert' : 'row.delete', {row: name}));
    }
    if (this.gripElement) setAttribute(this.gripElement, 'aria-label', word('row.move', {row: name}));
  }

  makeControls(style, hasGrip, height) {
    this.remove?.remove();
    this.gripElement?.remove();
    const made = (properties, does, drawn) => this.slide.appendChild(el('button', {
      tabindex: '-1',
      style: {height: `${height}px`},
      click: (event) => {
        event.stopPropagation();
        does(event);
      },
      ...properties,
    },
      drawn));
    const plus = style === 'insert';
    this.remove = style === 'none' ?
      null :
      made({class: plus ? 'control plus' : 'control'}, (event) => this.board.control(this, plus, event),
        el('i', {}, icon(plus ? 'plus' : 'minus', 18)));
    this.gripElement = hasGrip ?
      made({class: 'grip', 'data-grip': ''}, () => this.board.actions.menu(this, 'move'), icon('grip', 24)) :
      null;
  }

  describe(row, age, lease) {
    const open = row.expand ?? 'collapsed';
    const face = faceOf(row, this.kind, this.board.now(), this.board.table);
    const parts = [face.title || row.id, ...face.emphasised.map(({text}) => text)];
    const below = subtitle(row, face);
    if (below.failed) parts.push(word('row.failed', {why: below.text}));
    for (const one of row.performed ?? [])
      if (one.state === 'pending' && !one.item) {
        const again = triedAgain(one, this.board.table);
        const action = actionTitle(row, this.kind, one.action);
        parts.push(again ?
            word('row.tried', {action, why: reasonSaid(again.failure.reason ?? ''), next: nextSaid(again)}) :
            word('row.underWay', {action}));
      }
    parts.push(...face.details.map(({key, value}) => `${key} ${value}`));
    if (age?.text) parts.push(age.level === 'late' ? word('row.late', {age: age.text}) : age.text);
    if (open !== 'collapsed') parts.push(open === 'expanded' ? word('row.open') : word('row.shownAs', {state: open}));
    if (lease && !lease.mine) parts.push(word('pill.moves', {who: lease.holder}));
    if (this.board.isLifted(row.id)) parts.push(word('pill.lifted'));
    if (this.board.marks?.has(row.id)) parts.push(word('row.marked'));
    const tile = this.board.tiles?.of(row.id);
    if (tile) parts.push(word('row.number', {number: tile}));
    if (row.claim) parts.push(claimSaid(row.claim));
    setAttribute(this.element, 'aria-label', parts.join(', ').slice(0, 600));
  }

  /** The table says how far the row is open; a finger on it goes first, and one that keys have lifted is closed. */
  followSwipe(row, first) {
    const wanted = this.board.isLifted(row.id) ? null : this.board.actions.openEdge(row);
    if (this.swipe.held || this.swipe.performing) return;
    if (wanted === null && !this.swipe.isOpen) return;
    if (first && wanted) {
      this.swipe.edge = wanted;
      this.swipe.pull = this.swipe.rest(wanted);
      this.drawPull();
    } else this.swipe.settle(wanted, 0, true);
  }

  /** How far the row may be open at rest, so that what stands out has room for its least size. */
  get mostPull() {
    const boxes = [...this.words.querySelectorAll('.stands')];
    return Math.min(Infinity, ...boxes.map(({place}) => this.width - place.left - 4 - LEAST_STANDING * place.width));
  }

  drawPull() {
    const {swipe} = this;
    const s = this.scale;
    const sign = swipe.edge === 'leading' ? 1 : -1;
    this.slide.style.transform = swipe.pull ? `translateX(${sign * swipe.pull * s}px)` : '';
    // An emphasised text stays in sight, as large as there is room beside the buttons.
    const goesOut = (sign < 0) !== isMirrored();
    for (const one of this.words.querySelectorAll('.stands')) {
      const part =
        Math.max(LEAST_STANDING, Math.min(1, (this.width - swipe.pull - one.place.left - 4) / one.place.width));
      one.style.transform = swipe.pull ? `translateX(${goesOut ? -sign * swipe.pull * s : 0}px) scale(${part})` : '';
    }
    this.element.classList.toggle('pulled', swipe.pull > 0);
    const context = swipe.edge && swipe.pull > 0 ? this.context(swipe.edge) : null;
    // An element that goes away must not take the focus with it.
    if (!context && this.buttons.element.contains(document.activeElement)) this.element.focus({preventScroll: true});
    this.buttons.element.hidden = !context;
    this.element.style.background = '';
    if (context) {
      this.buttons.draw({...context, pull: swipe.pull}, swipe.armed, s);
      this.focusable(this.element.contains(document.activeElement));
    }
  }

  /** Only the row that has the focus has stops of its own for Tab. */
  focusable(on) {
    const open = this.swipe.edge !== null && this.swipe.pull > 0;
    setAttribute(this.more, 'tabindex', on ? '0' : '-1');
    for (const {button} of this.buttons.kept) setAttribute(button, 'tabindex', on && open ? '0' : '-1');
    for (const one of [this.remove, this.gripElement])
      if (one) setAttribute(one, 'tabindex', on ? '0' : '-1');
  }

  /** How old the row is, in words; without any where it has no age. */
  age(row, kind) {
    const {ms, level, text} = ageOf(row, kind, this.board.now(), this.board.table.sectionOf(row.id));
    return {ms, level, text: row.sleep ? text : text && ageSaid(Math.floor(ms / 1000))};
  }

  /** Between minutes only this text changes: so a board of many rows costs little each second. */
  sayAge(text) {
    if (text === this.ageText) return;
    this.ageText = text;
    if (!this.aged?.classList.contains('age') || !this.words.contains(this.aged))
      this.aged = this.words.querySelector('.age');
    if (this.aged) setText(this.aged, text);
  }

  /** The age passes without a diff. */
  tick() {
    if (!this.row || this.leaving) return;
    // Guards may say something else by now.
    if (this.swipe.pull > 0) this.drawPull();
    const {kind} = this;
    if (!kind?.ages && !changesWithTime(kind)) return;
    const age = kind.ages ? this.age(this.row, kind) : null;
    const isSameMinute = age?.level === this.level && age.text.split(':')[0] === this.ageText.split(':')[0];
    // To find out whether all else is as it was costs more than the text.
    if (isSameMinute && !changesWithTime(kind)) this.sayAge(age.text);
    else this.draw(this.row, this.place, this.width);
  }

  /** The row has gone, though a finger is on it: it stays where it was, and says who took it. */
  leave(sentence) {
    this.leaving = true;
    this.element.classList.add('shown-leaving');
    this.swipe.held = false;
    this.slide.style.transform = '';
    this.buttons.element.hidden = true;
    this.note = el('div', {class: 'gone-note'});
    setText(this.note, sentence);
    this.slide.append(this.note);
    setAttribute(this.element, 'aria-hidden', 'true');
  }

  /** The row has gone from here; its element is seen for a moment longer, and is nobody's. */
  depart() {
    this.leaving = true;
    this.id = null;
    this.element.classList.add('goes');
    delete this.element.dataset.row;
    setAttribute(this.element, 'aria-hidden', 'true');
  }

  /** Ready for another row. */
  recycle() {
    this.note?.remove();
    this.note = null;
    setAttribute(this.element, 'aria-hidden', null);
    setAttribute(this.element, 'tabindex', '-1');
    this.focusable(false);
    this.id = null;
    this.row = null;
  }

  get motion() { return motionOf(this.board.table.settings); }
}
