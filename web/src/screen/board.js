/** A board: the table that is followed, the columns that show it, and what is said about it. */
import {Actions} from './actions.js';
import {Alerts} from './alerts.js';
import {Cards} from './cards.js';
import {columnCount, partition} from './columns.js';
import {el} from './dom.js';
import {drawGhosts, RowDrag} from './drag.js';
import {Editor} from './editor.js';
import {Find} from './find.js';
import {Freshness} from './fresh.js';
import {Gestures} from './gestures.js';
import {Head} from './head.js';
import {Keys} from './keys.js';
import {forgetKnown, keepKnown, knownOf} from './known.js';
import {List} from './list.js';
import {Marks} from './marks.js';
import {motionOf} from '../layout/motion.js';
import {News, sentenceOf} from './news.js';
import {blank} from './blank.js';
import {Notices} from './notices.js';
import {Opened} from './opened.js';
import {endSheets} from './sheet.js';
import {Tiles} from './tiles.js';
import {Totals} from './totals.js';
import {PUT_DOWN, takenBy} from './says.js';
import {word} from './words.js';

const MOST_ROWS = 80;
const MOST_CARDS = 1000;
/** The roles that may change rows, and those that may also make sections. The others look. */
const CHANGES = new Set(['operator', 'editor', 'admin']);
const DEFINES = new Set(['editor', 'admin']);
/** So long the page waits for the table before it shows what it knew last. */
const WAITS_MS = 2000;
/** How often ages are drawn, and by how much earlier or later a heartbeat may be that they are drawn with. */
const SECOND_MS = 1000, JITTER_MS = 150;

export class Board {
  constructor(session, name, settings) {
    this.session = session;
    this.name = name;
    this.settings = settings;
    this.lists = [];
    this.drawing = 0;
    /** How rows have just come, by row, as hints say. */
    this.came = new Map();
    this.own = new Opened(this);
    /** Changes that were applied to the table and are not drawn yet. */
    this.changes = [];
    /** The drag of this screen. */
    this.drag = null;
    this.ghosts = new Map();
    /** The selection of this screen, where each has its own: {row, item}. */
    this.chosen = null;
    /** The table as this device knew it last, until it is heard; null: it is not shown. */
    this.known = null;
    /** Edit mode of this screen: it is nobody else's, and ends with the page. */
    this.isEditing = false;
    this.editor = new Editor(this);
    this.columns = el('main', {class: 'columns', 'aria-label': word('board', {board: name})});
    this.columns.addEventListener('click', (event) => {
      if (event.detail > 0 && this.table && !event.target.closest('.row, button')) this.actions.closeOpened();
    });
    /** The table as this screen shows it, where it shows some rows or another order; null: it shows all as they stand. */
    this.sifted = null;
    this.newsBar = new News();
    this.find = new Find(this);
    this.marks = new Marks(this);
    this.tiles = new Tiles(this);
    this.totals = new Totals(this);
    this.actions = new Actions(this);
    this.alerts = new Alerts(this);
    this.head = new Head(this);
    this.fresh = new Freshness(this);
    this.notices = new Notices(this);
    this.line = el('div', {class: 'landing', hidden: true, 'aria-hidden': 'true'});
    this.element = el('div', {id: 'app'}, this.head.element, this.fresh.banner, this.notices.element, this.find.element,
      this.columns, this.newsBar.foot, this.newsBar.polite);
    this.keys = new Keys(this);
    this.gestures = new Gestures(this.columns, {
      find: (target, event) => this.touched(target, event),
      hold: () => (this.table ? motionOf(this.table.settings).longPress * 1000 : 500),
      busy: () => this.fresh.offer(),
    });
    this.revisions = [];
    this.seconds = 0;
  }

  /** Begins to follow the table. */
  start(place) {
    place.replaceWith(this.element);
    this.follow = this.session.follow(this.name);
    this.follow.onDiffs((changes) => this.changed(changes));
    this.follow.onReset(() => this.reset());
    this.session.onChange((event) => this.event(event));
    // Colours of rows are held against those of the theme.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    this.watch = new ResizeObserver(() => this.resized());
    this.watch.observe(this.columns);
    this.passes();
    // Keys are for the rows as the table has them.
    addEventListener('keydown', () => this.catchUp(), true);
    this.reset();
    this.fresh.start();
    setTimeout(() => this.showKnown(), WAITS_MS);
    addEventListener('pagehide', () => this.keep());
  }

  get table() { return this.follow?.table ?? this.known; }

  /** Nothing is heard: what was known last is shown. */
  showKnown() {
    const {state} = this.follow.freshness();
    if (this.table || ['absent', 'forbidden'].includes(state)) return;
    this.known = knownOf(this.name);
    if (this.known) this.reset();
  }

  /** For a page that is opened while no server answers. A device that was let go keeps nothing. */
  keep() {
    const {table} = this.follow;
    if (this.session.ended || this.session.closed) return;
    if (!table || table.revision === this.keptRevision || !table.isSettled) return;
    this.keptRevision = table.revision;
    keepKnown(this.name, table, Date.now());
  }

  /** The board is gone, or this device may not see it any more. */
  forget() {
    forgetKnown();
    if (!this.known) return;
    this.known = null;
    this.reset();
  }

  /** The rows of the table that this screen shows, in its order. */
  get shownTable() { return this.sifted ?? this.table; }

  /** Shows only some rows, or another order. */
  sift() {
    if (!this.table) return;
    this.keys.remember();
    this.sifted = this.find.sifted(this.table);
    this.drawing += 1;
    this.arrange();
    this.keys.restore(true);
    this.head.draw();
  }

  get scale() { return this.settings.pixels; }

  /** The daemon's time, by which rows age. */
  now() { return this.session.now ? this.session.now() : Date.now(); }

  /** Whether this device may change anything: the gateway decides, this only says it in time. */
  get mayChange() {
    if (this.known) return false;
    const role = this.session.device?.role;
    return role === undefined || CHANGES.has(role);
  }

  /** Whether this device may make sections, which others can only fill. */
  get mayDefine() {
    const role = this.session.device?.role;
    return role === undefined || DEFINES.has(role);
  }

  /** Whether no row can be open here: this screen edits, or nobody may act. */
  get isStill() { return this.isEditing || this.table?.editing === true; }

  // Events

  event({kind, table}) {
    if (table && table !== this.name) return;
    if (kind === 'presence') this.presence();
    if (kind === 'outcome') this.actions.outcomes();
    if (kind === 'connection' && this.session.connection === 'waiting') this.showKnown();
    if (kind === 'freshness' && ['absent', 'forbidden'].includes(this.follow.freshness().state)) this.forget();
    if (kind === 'ended') {
      this.forget();
      endSheets();
      this.settings.ended?.(this.session.ended);
    }
    if (kind === 'device') this.met();
    if (kind === 'clock') {
      // The time has become another, as by the first heartbeat: nothing has become late by that.
      this.alerts.forget();
      this.tick();
    }
    this.head.draw();
    this.fresh.draw();
    this.notices.draw();
    // A heartbeat is drawn anyway. With it goes what passes with time, in the same frame.
    if (kind === 'freshness' && performance.now() - this.passedAt > SECOND_MS - JITTER_MS) this.passes();
  }

  /** Ages count seconds; what else passes with time has less haste. */
  passes() {
    clearTimeout(this.clock);
    const {state} = this.follow.freshness(), {proof} = this.follow.follower;
    const waits = state === 'live' && Math.abs(proof.heartbeatMs - SECOND_MS) < JITTER_MS;
    this.clock = setTimeout(() => this.passes(), SECOND_MS + (waits ? JITTER_MS : 0));
    this.passedAt = performance.now();
    if (++this.seconds % 5 === 0) this.tick();
    else this.age();
  }

  /** This device may do more or less than before. */
  met() {
    if (this.isEditing && !this.mayChange) {
      this.edit(false);
      this.whisper(word('edit.ended'));
    } else this.redraw();
  }

  /** A table as a whole: from a snapshot, or none. */
  reset() {
    if (this.follow?.table) this.known = null;
    const {table} = this;
    this.changes = [];
    this.editor.ask();
    this.sifted = table ? this.find.sifted(table) : null;
    if (!table) this.show([this.blank], []);
    else {
      this.drawing += 1;
      this.marks.follow();
      this.keys.remember();
      this.goneMeanwhile();
      this.actions.follow();
      this.own.follow();
      this.arrange();
      this.keys.restore();
      this.alerts.reset(table);
      this.actions.offerDraft();
    }
    this.head.draw();
    this.fresh.draw();
    this.notices.draw();
    this.settle();
  }

  /** Edit mode of this screen. No command is sent: what its controls do is done by ordinary ones. */
  edit(on) {
    // It ends while the table is away, too.
    if (this.isEditing === on || (on && !this.table)) return;
    this.isEditing = on;
    if (this.table) this.actions.follow();
    this.redraw();
    for (const list of this.lists)
      for (const id of list.views.keys()) this.actions.refollow(id);
    this.head.draw();
    this.notices.draw();
    this.say(word(on ? 'edit.on' : 'edit.off'));
  }

  /**
   * Sections into columns. A column that is there already takes its new sections: so its elements stay in the
   * document, and a finger may be on one of them. `taken`: who took the row that a finger is on, if that is known;
   * null: this page did.
   */
  arrange(taken) {
    const {table} = this;
    const ids = this.shownSections;
    const count = this.columnCount(ids);
    const parts = this.hasCards ? [ids] : partition(ids, count);
    this.budget = Math.floor(MOST_ROWS / Math.max(1, parts.length));
    this.empty = this.isEmpty;
    const isFirst = this.lists.length === 0;
    if (this.empty) this.show([this.blank], [], taken);
    else if (this.settings.view === 'totals') this.show([this.totals.element], []);
    else {
      const Kind = this.hasCards ? Cards : List;
      const lists = parts.map(
        (part, index) => (this.lists[index]?.constructor === Kind ? this.lists[index] : new Kind(this, part)));
      this.show(lists.flatMap((list) => list.elements), lists);
      lists.forEach((list, index) => {
        list.sections = parts[index];
        list.reset(this.shownTable, isFirst);
      });
    }
    this.overlayAll();
    this.totals.draw();
  }

  /** Shows these columns, or what is said in their place. What a finger holds in others is put back. */
  show(elements, lists, taken = takenBy()) {
    const gone = this.lists.filter((list) => !lists.includes(list));
    const isTaken = this.table && this.empty;
    let why = this.table ? PUT_DOWN.columns : PUT_DOWN.gone;
    if (isTaken) why = taken === takenBy() ? PUT_DOWN.taken : taken && {text: taken};
    const {bar} = this.newsBar;
    const hasEnded = this.gestures.endOn((thing) => gone.includes(thing.list), why);
    // The row that would say so goes, too. A drag has said it.
    if (isTaken && taken && hasEnded && this.newsBar.bar === bar) this.news(taken, {kind: 'refused'});
    this.lists = lists;
    for (const old of [...this.columns.children])
      if (old !== this.line && !elements.includes(old)) old.remove();
    for (const one of elements)
      if (!one.isConnected) this.columns.append(one);
    if (!this.line.isConnected) this.columns.prepend(this.line);
  }

  /** Whether there is no row to show. */
  get isEmpty() { return this.shownTable.sections.every(({id, count}) => count === 0 || !this.settings.shows(id)); }

  /** The ids of the sections that this screen shows, in order. */
  get shownSections() { return this.shownTable.sections.map((one) => one.id).filter((id) => this.settings.shows(id)); }

  /** Whether rows are cards in a grid. So many that nobody would look through them are columns all the same. */
  get hasCards() {
    const {settings, shownTable} = this;
    const most = this.lists[0] instanceof Cards ? 2 * MOST_CARDS : MOST_CARDS;
    return settings.hasCards && shownTable.size <= most;
  }

  columnCount(ids) {
    if (this.hasCards) return 1;
    return columnCount(this.columns.clientWidth / this.scale, ids.length, this.settings.columns);
  }

  /** The section to which a row goes where nothing says another: of those that this screen shows, or is to show. */
  get home() {
    // One that a search shows nothing of is there nevertheless.
    const all = (this.table?.sections ?? []).map(({id}) => id);
    return this.shownSections[0] ?? all.find((id) => this.settings.shows(id)) ?? this.settings.section[0] ?? 'main';
  }

  /** The text in the place of columns. It is another element only when it says something else. */
  get blank() {
    const made = blank(this);
    const there = this.columns.querySelector('.blank');
    return there?.textContent === made.textContent ? there : made;
  }

  /** Rows that are no longer there, as the whole table says, though a finger is on them. */
  goneMeanwhile() {
    for (const list of this.lists) {
      for (const view of list.underFingers().keys()) {
        if (!view.leaving && !this.table.row(view.id)) this.leave(view, word('refusal.noSuchRow'));
      }
    }
  }

  /** Diffs were applied. They are drawn at once, but once in a frame however many come. */
  changed(changes) {
    this.changes.push(...changes);
    if (!this.frame) this.draw();
  }

  draw() {
    const again = () => {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.frameTimer);
      this.frame = 0;
      if (this.changes.length > 0) this.draw();
    };
    this.frame = requestAnimationFrame(again);
    // A page that is not seen has no frames.
    this.frameTimer = setTimeout(again, 200);
    this.catchUp();
  }

  /** Draws what was applied: before whatever asks where rows are. */
  catchUp() {
    if (this.changes.length === 0) return;
    const {changes} = this;
    this.changes = [];
    this.drawChanges(changes);
  }

  drawChanges(changes) {
    if (!this.table) return;
    const before = this.sifted?.sections.map(({id}) => id).join('\n');
    this.sifted?.refresh();
    const isSame = this.sifted?.sections.map(({id}) => id).join('\n') === before;
    const shape = !isSame || changes.some((one) => one.what.has('sections') || one.what.has('definitions'));
    const came = changes.flatMap((one) => one.rows).filter((row) => row.after && (!row.before || row.moved));
    this.came = new Map(came.map((row) => [row.id, (row.before ? null : row.hint) ?? 'automatic']));
    this.keys.remember();
    const taken = this.gone(changes);
    const shut = this.actions.follow();
    this.own.follow();
    const isOther = this.lists.length > 0 && this.hasCards !== this.lists[0] instanceof Cards;
    if (shape || isOther || this.empty !== this.isEmpty) {
      this.drawing += 1;
      this.arrange(taken);
    } else {
      if (changes.some((one) => one.what.has('editing'))) this.drawing += 1;
      for (const list of this.lists) list.update(changes);
    }
    for (const id of shut) this.actions.refollow(id);
    this.keys.restore(changes.every(({cause}) => this.mine(cause)));
    this.editor.changed(changes);
    this.alerts.changed(changes);
    this.actions.ended(changes);
    this.marks.follow();
    this.find.draw();
    this.totals.draw();
    for (const one of changes) {
      this.actions.remember(one);
      this.announce(one);
    }
    this.came.clear();
    this.head.draw();
    this.notices.draw();
    this.settle();
    this.overlayAll();
  }

  /** These rows are open otherwise on this screen. */
  reopened(rows) {
    this.catchUp();
    for (const list of this.lists) {
      for (const {id} of rows) list.layout.forget(id);
      list.update([]);
    }
    this.overlayAll();
  }

  /** Rows that go while a finger is on them say who took them. Gives what the last says; null: this page did it. */
  gone(changes) {
    let said;
    for (const changed of changes) {
      for (const one of changed.rows) {
        if (one.after || !one.before) continue;
        const view = this.viewOf(one.id);
        if (!view || view.held === 0) continue;
        said = null;
        if (this.mine(changed.cause)) continue;
        said = takenBy(changed.cause);
        this.leave(view, said);
      }
    }
    return said;
  }

  /** The row stays where the finger is, and says why it is no more. */
  leave(view, sentence) {
    view.fixed ??= view.place.y - view.list.top;
    view.leave(sentence);
  }

  /** Those who hear the board are told what others did. */
  announce(changed) {
    if (this.mine(changed.cause)) return;
    const sentence = sentenceOf(changed, this.table);
    if (!sentence) return;
    // Taps do something again from now on: that is shown, too. The beginning has a notice.
    if (changed.what.has('editing') && !this.table.editing) this.whisper(sentence);
    else this.newsBar.say(sentence);
  }

  /** Whether this page did it: other pages of this device are others. */
  mine(cause) { return this.session.isMine(cause); }

  /** Waits until a revision is shown here, or some seconds. */
  shown(revision) {
    if (!revision || !this.table || this.table.revision >= revision) return Promise.resolve();
    return new Promise((done) => {
      const one = {revision, done};
      this.revisions.push(one);
      setTimeout(done, 3000);
    });
  }

  settle() {
    const at = this.table?.revision ?? 0;
    this.revisions = this.revisions.filter((one) => {
      if (one.revision > at) return true;
      one.done();
      return false;
    });
  }

  presence() {
    this.catchUp();
    this.redrawRows();
    // Those that somebody lifts close meanwhile.
    for (const id of this.actions.open.keys()) this.actions.refollow(id);
    this.overlayAll();
    this.head.draw();
  }

  redrawRows() {
    for (const list of this.lists)
      for (const view of list.views.values()) view.redraw();
  }

  redraw() {
    this.catchUp();
    this.drawing += 1;
    for (const list of this.lists) list.render(false);
  }

  /** A switch of this screen was turned: all is drawn anew. */
  settled() {
    this.drawing += 1;
    this.settings.measure(this.columns.clientWidth);
    if (this.table) this.arrange();
    if (this.settings.sounds) this.alerts.unlock();
    // The heading and the notices go by the settings, too.
    this.head.draw();
    this.notices.draw();
    this.marks.follow();
  }

  age() {
    if (document.hidden) return;
    this.find.look();
    for (const list of this.lists) list.tick();
  }

  tick() {
    this.catchUp();
    this.age();
    this.keep();
    this.alerts.look();
    this.head.draw();
    this.notices.draw();
  }

  resized() {
    this.settings.measure(this.columns.clientWidth);
    if (!this.table) return;
    this.catchUp();
    this.keys.remember();
    if (this.columnCount(this.shownSections) !== this.lists.length && !this.empty) this.arrange();
    else
      for (const list of this.lists) list.resize();
    this.keys.restore();
  }

  // Views on the screen

  viewOf(id) {
    for (const list of this.lists) {
      const view = list.views.get(id);
      if (view) return view;
    }
    return null;
  }

  listOf(id) { return this.lists.find((list) => (list.layout?.offsetOf(id) ?? null) !== null) ?? null; }

  listAt(x, y) {
    return this.lists.find((list) => {
      const box = list.element.getBoundingClientRect();
      return x >= box.left && x < box.right && y >= box.top - 40 && y < box.bottom + 40;
    }) ?? null;
  }

  leaseOf(id) { return this.follow?.presence.leases.find((one) => one.rows.includes(id)) ?? null; }

  isChosen(row) {
    const {table} = this;
    if (table.settings.selection === 'shared') return row.selected ? {item: row.selected.item} : null;
    if (table.settings.selection === 'viewer' && this.chosen?.row === row.id) return this.chosen;
    return null;
  }

  /** Whether keys of this screen have lifted it. */
  isLifted(id) { return this.keys.lifted?.id === id; }

  canMove(row) {
    const kind = this.table?.kinds.get(row.kind);
    return Boolean(kind) && kind.canMove !== false && !kind.pinned && this.mayChange && !this.sifted?.order;
  }

  isThere(id, found) {
    const section = this.table.sectionOf(id);
    const rows = this.table.sections.find((one) => one.id === section)?.rows ?? [];
    const at = rows.findIndex((row) => row.id === id);
    const {before, after} = found.place;
    return before === id || after === id || (before !== undefined && rows[at + 1]?.id === before)
      || (after !== undefined && rows[at - 1]?.id === after)
      || (found.place.section === section && (found.place.top ? at === 0 : at === rows.length - 1));
  }

  /** The line that says where a drag of this screen would end. */
  landing(list, found) {
    this.line.hidden = !found;
    if (!found) return;
    if (this.line.parentElement !== list.stage) list.stage.append(this.line);
    this.line.style.transform = list.spot(found.y);
    this.line.classList.toggle('gap', found.height !== undefined);
    this.line.style.height = found.height === undefined ? '' : `${found.height * list.scale}px`;
    this.landingAt = found;
  }

  /** A row is dragged here, has come to another place, or is put down (null): rows make room for it. */
  dragged(drag) {
    this.catchUp();
    this.drag = drag;
    for (const list of this.lists) list.makeRoom();
    const gap = drag?.place ? drag.list?.gaps[0] : null;
    this.landing(drag?.list, gap ? {place: drag.place.place, y: gap.top, height: gap.height} : null);
  }

  overlay(list) {
    if (!this.follow) return;
    const kept = this.ghosts.get(list) ?? new Map();
    this.ghosts.set(list, kept);
    list.makeRoom();
    drawGhosts(list, kept);
    if (!this.line.hidden && this.line.parentElement === list.stage && this.landingAt) {
      this.line.style.transform = list.spot(this.landingAt.y);
    }
  }

  overlayAll() {
    for (const list of [...this.ghosts.keys()])
      if (!this.lists.includes(list)) this.ghosts.delete(list);
    for (const list of this.lists)
      if (list.layout) this.overlay(list);
  }

  // Fingers

  touched(target, event) {
    const element = target.closest('.row');
    const view = element?.view;
    if (!view || view.leaving || !view.row) return null;
    view.held += 1;
    const strip = target.closest('[data-strip]') ? view.strip : null;
    const grip = Boolean(target.closest('[data-grip]'));
    const free = () => this.table && this.mayChange && !this.leaseOf(view.id);
    return {
      element,
      grip,
      list: view.list,
      swipe: (x, dx) => {
        if (strip && strip.scrolls(dx)) return strip.begin(x);
        if (!free() || this.isStill) return null;
        element.style.transition = 'none';
        const act = view.swipe.begin(x / this.scale);
        return {move: (at) => act.move(at / this.scale), release: act.release, cancel: act.cancel};
      },
      lift: (at) => (free() && this.canMove(view.row) && view.id ? new RowDrag(this, view, at) : null),
      released: () => {
        view.held = Math.max(0, view.held - 1);
        this.letGo(view);
      },
      type: event.pointerType,
    };
  }

  /** No finger is on the row any more: it goes where it belongs, or away. */
  letGo(view) {
    if (view.held > 0 || !view.id) return;
    if (view.leaving) {
      setTimeout(() => {
        if (view.id && view.leaving) view.list.drop(view);
        view.list.renderSoon();
      }, 900);
      return;
    }
    view.fixed = null;
    if (view.row && this.table && !view.swipe.held) view.followSwipe(view.row, false);
    view.list.renderSoon(true);
  }

  /** Whether a tap is to be believed: not just after rows have moved under the finger. */
  quiet(list, event) { return event?.detail > 0 && performance.now() - list.shiftedAt < 300; }

  // Requests of rows: see actions.js

  press(view, action, edge, event) {
    if (!this.quiet(view.list, event)) this.actions.press(view, action, edge);
  }
  fullSwipe(view, edge) {
    if (!view.leaving) this.actions.fullSwipe(view, edge);
  }
  opened(view, edge) {
    if (!view.leaving) this.actions.opened(view, edge);
  }
  control(view, plus, event) {
    if (!this.quiet(view.list, event)) this.actions.control(view, plus);
  }
  say(sentence) { this.newsBar.say(sentence); }
  whisper(sentence) { this.newsBar.whisper(sentence); }
  news(sentence, options) { this.newsBar.show(sentence, options); }
  refused(error) { this.actions.refused(error); }

  armed(view, armed) {
    view.element.classList.toggle('armed', armed);
    if (armed) {
      const group = this.actions.group(view.row, view.swipe.edge);
      this.say(word('armed', {action: group?.actions[0].title ?? group?.actions[0].id}));
    }
  }
}
