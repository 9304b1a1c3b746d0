/** The board by keys, as in the terminal's viewer; and where the focus is. */
import {ages} from '../layout/motion.js';
import {statesOf} from '../model/read.js';
import {showKeys} from './dialogs.js';
import {setAttribute} from './dom.js';
import {readAsLatin} from './latin.js';
import {rowMenu} from './menus.js';
import {isPinned, placesIn} from './places.js';
import {putDownSaid, refusalSaid} from './says.js';
import {QUIET_MS} from './tiles.js';
import {pauseSheet, snoozeOrWake} from './work.js';
import {word} from './words.js';

const MOVES = {
  ArrowDown: 'down',
  j: 'down',
  ArrowUp: 'up',
  k: 'up',
  Home: 'first',
  g: 'first',
  End: 'last',
  G: 'last',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
  ']': 'nextSection',
  '[': 'previousSection',
};

/** The keys that do something to the board, also while no row has the focus. */
const OF_BOARD = {
  u: ({actions}) => actions.undo(),
  U: ({actions}) => actions.redo(),
  r: ({actions}) => actions.recallList(),
  a: (board, keys, row) => board.actions.add(row ? board.table.sectionOf(row.id) : board.home),
  E: ({actions}) => actions.edit(),
  p: (board) => pauseSheet(board),
  '+': ({actions}) => actions.openAll(true),
  '-': ({actions}) => actions.openAll(false),
  n: (board, keys) => keys.nextLate(),
  '#': ({totals}) => totals.open(),
  '/': ({find}) => find.open(),
  '?': () => showKeys(),
  Escape: (board, keys) => keys.escape(keys.view),
};

/** The keys that do something to the row that has the focus, beside the digits. */
const OF_ROW = {
  ArrowRight: (keys, view) => keys.across(view, 1),
  l: (keys, view) => keys.across(view, 1),
  ArrowLeft: (keys, view) => keys.across(view, -1),
  h: (keys, view) => keys.across(view, -1),
  Enter: (keys, view, row) => keys.enter(view, row),
  ' ': ({board}, view, row) => {
    if (statesOf(row, board.table.kinds.get(row.kind)).length > 1) board.actions.expand(row);
  },
  t: (keys, view, row) => keys.tap(view, row),
  c: ({board}, view, row) => board.actions.claim(row),
  s: ({board}, view, row) => snoozeOrWake(board, row),
  e: ({board}, view, row) => board.actions.change(row),
  '.': ({board}, view, row) => rowMenu(board, row),
  m: (keys, view, row) => keys.lift(row),
  v: (keys, view, row) => {
    if (keys.board.marks.canMark(row)) keys.board.marks.toggle(row.id);
    keys.go('down');
  },
  x: (keys, view) => keys.control(view, 'delete'),
  Delete: (keys, view) => keys.control(view, 'delete'),
  i: (keys, view) => keys.control(view, 'insert'),
  Insert: (keys, view) => keys.control(view, 'insert'),
};
const isOfRow = (key) => Object.hasOwn(OF_ROW, key) || /^[1-9]$/.test(key);
/** Keys that change a row. While rows are marked they are about those, and the sheet shows what can be done to them. */
const OF_MARKED = /^([hlcsmx.1-9]|ArrowRight|ArrowLeft|Delete)$/;
/** Keys that change something, for everybody or in the way to do so. */
const OPENS = /^[ +-]$/;
const CHANGES = /^([uUraeEp+ tcsvmxi1-9-]|Delete|Insert)$/;
/** Keys that do something once however long they are held, else it would be done to row after row. Moves go on. */
const ONCE = /^(.|Arrow(Left|Right)|Enter|Delete|Insert|Escape)$/u;
/** How far the moves carry a lifted row. Those to sections are not counted in places. */
const STEPS = {
  down: 1,
  up: -1,
  pageDown: 5,
  pageUp: -5,
  first: -1e9,
  last: 1e9
};
/** After so many rows that are late, no more are looked for. */
const MOST_LATE = 2000;

/** Whether two places are the same can be told by this. */
const same = (place) => JSON.stringify(place ?? null);

export class Keys {
  constructor(board) {
    this.board = board;
    this.id = null;
    this.lifted = null;
    /** The row that is a stop for Tab. */
    this.stopped = null;
    addEventListener('keydown', (event) => {
      readAsLatin(event);
      board.tiles?.readAsBar(event);
    }, true);
    board.columns.addEventListener('keydown', (event) => this.key(event));
    board.columns.addEventListener('focusin', (event) => this.focused(event));
    board.columns.addEventListener('focusout', (event) => {
      event.target.closest?.('.row')?.view?.focusable(false);
      setTimeout(() => this.left());
    });
    addEventListener('blur', () => this.putBack());
    addEventListener('keydown', (event) => {
      const {target} = event;
      if (board.columns.contains(target) || document.querySelector('dialog[open]')) return;
      // A button of the head takes its own keys. Those that go to rows go there from everywhere.
      const isAll = MOVES[event.key] || board.tiles?.has(event.key);
      const goes = isAll && !target.closest?.('input, textarea, select');
      if (target === document.body || goes) this.key(event);
    });
  }

  // The focus

  focused(event) {
    const view = event.target.closest('.row')?.view;
    if (!view?.id) return;
    this.id = view.id;
    // Somebody has chosen this one.
    this.jumpedAt = undefined;
    this.stop(view);
    view.focusable(true);
  }

  /** One row of the board is a stop for Tab. */
  stop(view) {
    if (this.stopped && this.stopped !== view) setAttribute(this.stopped.element, 'tabindex', '-1');
    this.stopped = view;
    setAttribute(view.element, 'tabindex', '0');
  }

  /** After rows were drawn: Tab comes to the row that had the focus last, or else to the first that is seen. */
  keepStop() {
    const {lists} = this.board;
    const own = this.view;
    if (own && !own.leaving) {
      this.stop(own);
      return;
    }
    const old = this.stopped;
    if (old && lists.includes(old.list) && old.list.isSeen(old) && old.element.tabIndex === 0) return;
    for (const list of lists) {
      const first = list.firstSeen();
      if (first) {
        this.stop(first);
        return;
      }
    }
  }

  /** Keys go elsewhere now, as to a dialog: what is lifted must not stay locked for everybody. */
  left() {
    const now = document.activeElement;
    if (now && now !== document.body && !this.board.columns.contains(now)) this.putBack();
  }

  /** Before rows are drawn anew: whether the focus is on one. */
  remember() {
    this.hadFocus = this.board.columns.contains(document.activeElement);
    this.wasAtRow = this.isAtRow;
  }

  /** After that: the focus is on its row, which may have another element now, or on the one that took its place. */
  restore(isOurs = false) {
    if (this.id === null) return;
    const table = this.drawn;
    if (this.lifted) this.keepTarget();
    if (table.row(this.id) && this.sections(table).some(({id}) => id === table.sectionOf(this.id))) {
      this.place = {section: table.sectionOf(this.id), index: table.indexOf(this.id)};
      if (this.wasAtRow && !this.isAtRow) this.view?.element.focus({preventScroll: true});
      return;
    }
    const at = this.place;
    const rows = at ? table.sections.find((one) => one.id === at.section)?.rows ?? [] : [];
    const next = rows[Math.min(at?.index ?? 0, rows.length - 1)] ?? this.order()[0];
    if (next) this.focusOn(next.id, this.hadFocus);
    else this.id = null;
    if (!isOurs) this.jumpedAt = performance.now();
  }

  focusOn(id, really) {
    const table = this.drawn;
    this.id = id;
    this.place = {section: table?.sectionOf(id), index: table?.indexOf(id)};
    const list = this.board.listOf(id);
    if (!list) return;
    if (really) list.reveal(id);
    const view = list.views.get(id);
    if (!view) return;
    this.stop(view);
    if (really) view.element.focus({preventScroll: true});
  }

  get view() { return this.id ? this.board.viewOf(this.id) : null; }

  /** The part of the table that this screen shows. */
  get table() { return this.board.sifted ?? this.board.table; }

  /** Rows as cards have them: those of a group together. Null: they are drawn as they stand. */
  get gathered() { return this.board.lists[0]?.gathered ?? null; }

  /** That part in the order in which it is drawn. */
  get drawn() { return this.gathered ?? this.table; }

  /** The sections that this screen shows, in order. */
  sections(table = this.table) {
    const shown = new Set(this.board.lists.flatMap((list) => list.sections));
    return (table?.sections ?? []).filter((one) => shown.has(one.id));
  }

  /** All rows that this screen shows, in the order in which they are drawn. */
  order() { return this.sections(this.drawn).flatMap((one) => one.rows); }

  /** The keys are for rows again: for that which had the focus last, or else the first. */
  toRows() {
    const rows = this.order();
    const row = rows.find((one) => one.id === this.id) ?? rows[0];
    if (row) this.focusOn(row.id, true);
    else document.activeElement?.blur();
  }

  // The keys

  key(event) {
    const {board} = this;
    if (event.ctrlKey || event.altKey || event.metaKey || !board.table) return;
    if (event.target.closest?.('button') && (event.key === 'Enter' || event.key === ' ')) return;
    if (event.repeat && ONCE.test(event.key) && !MOVES[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (this.lifted ? this.liftedKey(event) : this.plainKey(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Gives whether the key is one of the board's. */
  plainKey({key, repeat}) {
    const {board} = this;
    const row = this.id ? board.table.row(this.id) : null;
    if (board.mayChange && board.tiles?.has(key)) {
      if (!repeat) board.tiles.key(key);
    } else if (MOVES[key]) this.go(MOVES[key]);
    else if (!board.mayChange && CHANGES.test(key) && !(board.own.isOwn && OPENS.test(key)))
      board.news(word('onlyLooks'));
    else if (Object.hasOwn(OF_BOARD, key)) OF_BOARD[key](board, this, row);
    else if (row && isOfRow(key)) this.rowKey(key, row);
    else return false;
    return true;
  }

  /** Whether a row has the focus, or something in it. */
  get isAtRow() { return Boolean(document.activeElement?.closest?.('.row')); }

  rowKey(key, row) {
    const {board, view} = this;
    const hasJumped = performance.now() - this.jumpedAt < QUIET_MS;
    // The browser has scrolled to the row that got the focus, and rows are drawn there in the next frame only.
    if (this.isAtRow && view && !view.list.isSeen(view)) view.list.render(false);
    // Nobody sees which row it would be done to: the key brings it into sight, and the focus to it.
    if (!this.isAtRow || !view?.list.isSeen(view)) this.focusOn(row.id, true);
    // Others have just taken the row that had the focus: the key may have been meant for that one.
    else if (hasJumped && (CHANGES.test(key) || key === 'Enter')) board.whisper(word('tiles.moved'));
    else if (board.marks.size > 0 && OF_MARKED.test(key)) board.marks.menu();
    else if (Object.hasOwn(OF_ROW, key)) OF_ROW[key](this, view, row);
    else this.digit(view, row, Number(key));
  }

  go(how) {
    const rows = this.order();
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.id === this.id);
    const list = this.board.listOf(this.id) ?? this.board.lists[0];
    const page = Math.max(1, Math.floor(list.high / list.scale / 76) - 1);
    const section = (row) => this.board.table.sectionOf(row.id);
    const steps = {down: 1, up: -1, first: -at, last: rows.length - 1 - at, pageDown: page, pageUp: -page};
    let to = at + steps[how];
    // Nothing had the focus yet: it begins with the row that Tab would come to.
    if (at < 0 && how !== 'last') to = how === 'first' ? 0 : rows.findIndex((row) => row.id === this.stopped?.id);
    else if (how === 'nextSection') {
      const next = rows.findIndex((row, index) => index > at && section(row) !== section(rows[at]));
      to = next < 0 ? at : next;
    } else if (how === 'previousSection') {
      const start = rows.findIndex((row) => section(row) === section(rows[at]));
      const before = rows[start - 1];
      to = at > start || !before ? start : rows.findIndex((row) => section(row) === section(before));
    }
    this.focusOn(rows[Math.min(Math.max(to, 0), rows.length - 1)].id, true);
  }

  /** Opens the edge that a swipe in this direction opens, then goes from action to action. */
  across(view, step) {
    if (view.strip && !view.swipe.isOpen && view.strip.mark(step)) {
      const item = view.strip.layout.items.find((one) => one.id === view.strip.marked);
      this.board.say(item?.item?.title || view.strip.marked);
      return;
    }
    const inEdge = view.swipe.isOpen ? view.swipe.edge : null;
    if (!inEdge) {
      const edge = step > 0 ? 'leading' : 'trailing';
      if (!this.board.mayChange) this.board.news(word('onlyLooks'));
      else if (this.board.isStill) this.board.news(this.stillSaid);
      else if (this.board.actions.group(view.row, edge)) this.board.opened(view, edge);
      return;
    }
    const buttons = view.buttons.kept.map((one) => one.button).filter((one) => !one.hidden);
    const ordered = inEdge === 'trailing' ? [...buttons].reverse() : buttons;
    const now = ordered.indexOf(document.activeElement);
    const next = now < 0 ? (step > 0 ? 0 : ordered.length - 1) : now + step;
    if (ordered[next]) ordered[next].focus({preventScroll: true});
    else {
      view.element.focus({preventScroll: true});
      this.board.opened(view, null);
    }
  }

  /** In a strip an item is tapped, never the blank around them. */
  tap(view, row) {
    const item = view.strip?.marked ?? undefined;
    if (item === undefined && view.kind?.strip) this.board.news(word('keys.item'));
    else this.board.actions.select(row, item);
  }

  enter(view, row) {
    if (view.strip?.marked) this.board.actions.select(row, view.strip.marked);
    else if (view.swipe.isOpen) this.board.opened(view, null);
    else this.board.actions.tapRow(row);
  }

  /** The action with this number, of the edge that is open: what is not shown is not done. */
  digit(view, row, number) {
    const {board} = this;
    const edge = board.actions.openEdge(row);
    const actions = (edge && board.actions.group(row, edge)?.actions) ?? [];
    const found = actions[number - 1];
    if (found) board.press(view, found.id, edge);
    else if (board.isStill) board.news(this.stillSaid);
    else if (!edge) board.news(word('keys.swipe'));
    else board.news(word('keys.actions', {count: actions.length}));
  }

  /** Only what the row's control shows. */
  control(view, style) {
    const {board} = this;
    const isPlus = style === 'insert';
    if (!board.isEditing) board.news(word('keys.editMode'));
    else if (view.control(view.kind) === style) board.actions.control(view, isPlus);
    else board.news(word(isPlus ? 'keys.noInsert' : 'keys.noDelete'));
  }

  /** Why no row can be open at present. */
  get stillSaid() {
    if (this.board.table.editing) return refusalSaid({code: 'editing'});
    return word('keys.done');
  }

  escape(view) {
    this.board.newsBar.hide();
    if (view?.strip?.marked) view.strip.unmark();
    else if (view?.swipe.isOpen) {
      view.element.focus({preventScroll: true});
      this.board.opened(view, null);
    } else if (this.board.marks.size > 0) this.board.marks.clear();
    else if (this.board.find.isOpen) this.board.find.close();
  }

  /** From one row that is late to the next, and after them those that will soon be. */
  nextLate() {
    const {board} = this;
    const found = {late: [], warn: []};
    const now = board.now();
    for (const row of this.order()) {
      const kind = board.table.kinds.get(row.kind);
      if (kind?.ages) found[ages(row, kind, now, board.table.sectionOf(row.id)).level]?.push(row.id);
      if (found.late.length > MOST_LATE) break;
    }
    const all = [...found.late, ...found.warn];
    const next = all[(all.indexOf(this.id) + 1) % all.length];
    if (next === undefined) board.news(word('keys.noneLate'));
    else this.focusOn(next, true);
  }

  // Moving by keys

  lift(row) {
    if (!this.board.canMove(row)) {
      this.board.news(word('refusal.cannotMove'));
      return;
    }
    // Something in it may have the focus, and Tab and Enter are for the row now.
    this.focusOn(row.id, true);
    const lifted = {id: row.id, target: null, drag: null, over: false};
    this.lifted = lifted;
    this.drawLifted(row.id);
    this.drawLanding();
    this.board.say(word('keys.lifted', {row: row.title || row.id}));
    // If it is put down before the answer is there, that waits for the answer: a lease has one end.
    lifted.asked = this.board.follow.lift([row.id]).then((answer) => {
      const isHeld = this.lifted === lifted;
      if (!answer.ok) {
        this.board.refused(answer.error);
        if (isHeld) this.putDown();
        return;
      }
      lifted.drag = answer.drag;
      if (lifted.over) answer.drag.cancel();
      else if (isHeld && lifted.target) answer.drag.hover(lifted.target);
      answer.drag.ended.then((end) => {
        if (this.lifted !== lifted) return;
        this.board.news(putDownSaid(end?.saying), {kind: 'refused'});
        this.putDown();
      });
    });
  }

  liftedKey(event) {
    const {key} = event;
    const move = key === 'Tab' ? (event.shiftKey ? 'previousSection' : 'nextSection') : MOVES[key];
    if (move === 'nextSection') this.aimAtSection(1);
    else if (move === 'previousSection') this.aimAtSection(-1);
    else if (move) this.aim(STEPS[move]);
    else if (key === 'Enter' || key === ' ' || key === 'm') this.drop();
    else if (key === 'Escape') this.putBack();
    // Such as Shift, and F5: they are not the board's.
    else if (key.length > 1 && !isOfRow(key)) return false;
    else this.board.news(word('keys.putDown'));
    return true;
  }

  /**
   * Where the lifted row can be put: a list of each section, which begins with the place at its top. Where it would
   * pass a pinned row it may not go.
   */
  places() {
    const {id} = this.lifted;
    const isFixed = (row) => isPinned(this.board.table, row);
    return this.sections().map((section) => {
      const places = placesIn(section, id, isFixed);
      return this.gathered?.distinct(places, id) ?? places;
    });
  }

  /** Where the lifted row stands, as a place. */
  stand() {
    const {id} = this.lifted;
    const section = this.sections().find((one) => one.rows.some((row) => row.id === id));
    if (!section) return null;
    const {rows} = section;
    const at = rows.findIndex((row) => row.id === id);
    if (at > 0) return {after: rows[at - 1].id};
    return rows.length > 1 ? {before: rows[1].id} : {section: section.id, top: true};
  }

  /** A place further, or back. */
  aim(step) { this.aimAt((tops, from) => from + step); }

  /** To the beginning of the next section; back first to the beginning of this one. */
  aimAtSection(step) {
    this.aimAt((tops, from) => {
      const next = step > 0 ? tops.find((index) => index > from) : tops.filter((index) => index < from).at(-1);
      return next ?? from;
    });
  }

  /**
   * The place of which `choose(tops, from)` gives the index; `tops` are those at which sections begin. Others may have
   * added and removed rows since: the place of now is looked for. If its section has gone, it is where the row stands.
   */
  aimAt(choose) {
    const {lifted, board} = this;
    const parts = this.places();
    const places = parts.flat();
    let before = 0;
    const tops = parts.map((part) => (before += part.length) - part.length);
    const indexOf = (wanted) => places.findIndex((place) => same(place) === same(wanted));
    let from = indexOf(lifted.target ?? this.stand());
    const part = this.sections().findIndex((one) => one.id === lifted.section);
    // The row beside it has gone. Behind it is now behind the one before it; a section's top is its top still.
    if (from < 0 && part >= 0) from = tops[part] + Math.min(Math.max(lifted.index - 1, 0), parts[part].length - 1);
    else if (from < 0) from = Math.max(indexOf(this.stand()), 0);
    const to = Math.min(Math.max(choose(tops, from), 0), places.length - 1);
    lifted.target = places[to];
    if (!lifted.target) return;
    const top = tops.findLastIndex((index) => index <= to);
    lifted.section = this.sections()[top].id;
    lifted.index = to - tops[top];
    const {list, y} = this.drawLanding();
    const near = lifted.target.after ?? lifted.target.before;
    // On cards the row that the place names can be in another column than the line.
    if (y !== null && (list.gathered !== undefined || near === undefined)) list.bring(y, 1);
    else if (near !== undefined) list?.reveal(near);
    lifted.drag?.hover(lifted.target);
    board.say(this.placeSaid(lifted.target));
  }

  /** After a change: if what the place is beside has gone, or its section, there is another (B6). */
  keepTarget() {
    const {lifted, board} = this;
    const {section, before, after} = lifted.target ?? {};
    const near = after ?? before;
    const isThere = near === undefined ? section === undefined || this.hasSection(section) : board.table.row(near);
    if (isThere) {
      this.drawLanding();
      return;
    }
    if (!this.hasSection(lifted.section)) board.refused({code: 'noSuchSection'});
    this.aimAt((tops, from) => from);
  }

  hasSection(id) { return this.sections().some((one) => one.id === id); }

  placeSaid({section, before, after}) {
    const {table} = this.board;
    if (section !== undefined) {
      return word('place.into', {section: table.sections.find((one) => one.id === section)?.title || section});
    }
    const id = after ?? before;
    return word(after !== undefined ? 'place.after' : 'place.before', {row: table.row(id)?.title || id});
  }

  /** A row that is lifted looks so, from the first moment on and until it is put down. Meanwhile it is closed. */
  drawLifted(id) {
    const view = this.board.viewOf(id);
    if (!view?.row || view.leaving || !this.board.table) return;
    view.draw(view.row, view.place, view.width);
    view.followSwipe(view.row, false);
  }

  /** The line at the place, which at first is where the row stands. Gives {list: its column, y: its offset there}. */
  drawLanding() {
    const {board} = this;
    const stand = this.stand();
    const target = this.lifted.target ?? stand;
    if (!target) {
      board.landing(null, null);
      return {list: null, y: null};
    }
    // As a place that is beside the row before or after it. The line is above the row itself.
    const at = same(target) === same(stand) ? {before: this.lifted.id} : target;
    const near = at.after ?? at.before;
    const list = near === undefined ? board.lists.find((one) => one.sections.includes(at.section)) : board.listOf(near);
    const y = list?.lineOf(at, this.lifted.id) ?? null;
    board.landing(list, y === null ? null : {y, place: target});
    return {list, y};
  }

  async drop() {
    const {lifted, board} = this;
    const row = board.table.row(lifted.id);
    const isMoved = lifted.target && same(lifted.target) !== same(this.stand());
    this.putDown();
    await lifted.asked;
    if (!lifted.drag) return;
    if (!isMoved || !row) {
      lifted.drag.cancel();
      board.say(word('drag.back'));
      return;
    }
    const reply = await board.actions.moved(lifted.drag.drop(lifted.target), row);
    if (reply.ok) this.focusOn(lifted.id, true);
  }

  /** Everything is as before, also if the lease comes only now. */
  putBack() {
    const {lifted} = this;
    if (!lifted) return;
    lifted.over = true;
    lifted.drag?.cancel();
    this.board.say(word('drag.back'));
    this.putDown();
  }

  putDown() {
    const {id} = this.lifted ?? {};
    this.lifted = null;
    this.board.landing(null, null);
    if (id !== undefined) this.drawLifted(id);
  }
}
