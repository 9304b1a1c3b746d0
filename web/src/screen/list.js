/**
 * A column: some sections of the table, of which only what is seen is in the document. Offsets are the
 * layout's, in points; rows stand relative to a base near what is seen, since a browser's elements cannot
 * be as high as a table of a million rows.
 */
import {TableLayout} from '../layout/table.js';
import {motionOf} from '../layout/motion.js';
import {madeOnce} from '../model/read.js';
import {el, setAttribute, setHidden, setText} from './dom.js';
import {gapsOf, landingAt} from './gaps.js';
import {icon} from './icons.js';
import {comes, goes, isReduced} from './motion.js';
import {RowView} from './row.js';
import {number, word} from './words.js';

const MOST = 8_000_000;
const FOOT = 96;
/** Points above and below what is seen in which rows are drawn, too. */
const NEAR = 500;
/** Milliseconds in one frame for rows that come into the document, so that no frame is a pause on a slow tablet. */
const TURN_MS = 10;
/** Rows that are measured at once; and milliseconds for others in one task, ahead of the scroll. */
const MEASURED_AT_ONCE = 64;
const MEASURE_MS = 4;

export class List {
  constructor(board, sections) {
    this.board = board;
    this.sections = sections;
    this.views = new Map();
    this.pool = [];
    this.heads = new Map();
    /** Elements of rows that have left their place: they are shown until they are out of sight. */
    this.departed = new Set();
    this.gaps = [];
    this.gapsDrawn = false;
    /** Seconds before rows close a place that another one is still leaving. */
    this.wait = 0;
    this.base = 0;
    this.origin = 0;
    this.shiftedAt = -1000;
    this.stuck = el('div', {class: 'section stuck', 'aria-hidden': 'true', hidden: true});
    this.stage = el('div', {class: 'stage'});
    this.spacer = el('div', {class: 'spacer'}, this.stage);
    this.element = el('div', {class: 'column', tabindex: '-1'}, this.stuck, this.spacer);
    this.element.list = this;
    this.element.addEventListener('scroll', () => this.scrolled(), {passive: true});
    this.element.addEventListener('scrollend', () => this.ended(), {passive: true});
    this.width = 320;
    /** The size of the element, in pixels. */
    this.high = 600;
    this.wide = 320;
    /** The offsets that were in sight when rows were drawn last: to ask the element would lay it out. */
    this.drawnTop = this.drawnEnd = 0;
    /** The stamp of the table at that time, and the corrections of the layout. */
    this.drawnStamp = this.drawnCorrections = undefined;
  }

  get scale() { return this.board.scale; }

  /** The height of a section's heading. */
  get head() { return 44; }

  /** How much of the upper edge the heading covers that stays there. */
  get stuckHead() { return 34; }

  /** The height of what stands above a row and belongs to it. */
  above() { return 0; }

  /** Gives what the head of its card says of a row; null: nothing. */
  headOf() { return null; }

  /** The elements of the board that are this column's. */
  get elements() { return [this.element]; }

  /** How rows and headings go to another place: all of them alike. */
  get moves() {
    const {expand} = motionOf(this.board.table?.settings);
    if (expand === 0) return 'none';
    const how = `${expand}s cubic-bezier(0.3, 0.7, 0.3, 1) ${isReduced() ? 0 : this.wait}s`;
    return `transform ${how}, height ${how}`;
  }

  /** The offset of the layout at the upper edge. */
  get top() { return this.origin + this.element.scrollTop / this.scale; }

  /** How much of the layout is in sight, from there on. */
  get inView() { return this.high / this.scale; }

  /** The width of a row. */
  get room() { return Math.max(160, this.wide / this.scale); }

  /** Asks the element how large it is. */
  ask() {
    this.wide = this.element.clientWidth;
    this.high = this.element.clientHeight;
  }

  /** The anchor of the scroll; null: the list is at its top, and stays there. */
  get held() { return this.layout && this.top > 2 ? this.anchor ?? null : null; }

  /**
   * Takes the table as a whole: nothing is animated. `isFirst`: there was nothing on the screen. A row that a
   * finger is on keeps its element, and stays under the finger.
   */
  reset(table, isFirst = false) {
    const top = this.held;
    const under = this.underFingers();
    const seen = this.inSight();
    this.ask();
    this.width = this.room;
    this.layout = new TableLayout(table, {
      width: this.width,
      profile: 'point',
      sections: this.sections,
      head: this.head,
      shown: (row) => this.board.own.shown(row),
      above: (id) => this.above(id),
    });
    for (const view of [...this.views.values()])
      if (!under.has(view)) this.drop(view);
    for (const view of [...this.departed]) this.free(view);
    // On an empty screen the first rows are measured and drawn in a task of their own, but for one that has just come.
    const isLater = isFirst && this.board.came.size === 0;
    if (!isLater) this.layout.measure(MEASURED_AT_ONCE);
    this.size();
    if (top) this.scrollTo(this.layout.restore(top) ?? 0);
    for (const [view, y] of under) {
      const now = this.layout.offsetOf(view.id);
      if (now === null || Math.abs(now - this.top - y) > 0.5) view.fixed = y;
      this.put(view);
    }
    this.isFirst = isFirst;
    if (isLater) return this.goOn();
    this.render(false);
    const stands = ([id, y]) => Math.abs((this.layout.offsetOf(id) ?? Infinity) - this.top - y) <= 1;
    // A column that is new has come in place of something, too.
    if (!isFirst && !(seen && [...seen].every(stands))) this.shiftedAt = performance.now();
  }

  /** The rows that are seen, and how far below the upper edge; null: nothing was shown yet. */
  inSight() {
    if (!this.layout) return null;
    const places = [...this.views.values()]
                     .filter((view) => view.place && !view.leaving)
                     .map((view) => [view.id, view.place.y - this.top, view.place.height]);
    return new Map(places.filter(([, y, height]) => y + height > 0 && y < this.inView));
  }

  /** A row that a finger is on, if there is one. */
  get heldView() { return [...this.views.values()].find((view) => view.held > 0 && view.place); }

  /** The rows that fingers are on, and how far below the upper edge they are seen. */
  underFingers() {
    const top = this.layout ? this.top : 0;
    const held = [...this.views.values()].filter((view) => view.held > 0 && view.place);
    return new Map(held.map((view) => [view, view.fixed ?? view.place.y - top]));
  }

  resize() {
    this.ask();
    if (!this.layout) return;
    const width = this.room;
    if (width !== this.width || this.scale !== this.sized) {
      const {anchor} = this;
      this.width = width;
      this.layout.resize(width);
      this.layout.measure(MEASURED_AT_ONCE);
      this.size();
      if (this.top > 2) this.scrollTo(this.layout.restore(anchor));
      else this.rebase();
    }
    this.render(false);
  }

  /** Measures what is only estimated yet, in tasks of their own, so that all heights are exact (rule C5). */
  measureOn() {
    if (this.measuring || this.layout.measure(0) === 0) return;
    this.measuring = setTimeout(() => {
      this.measuring = 0;
      // The drawn rows go first: they say what to hold on to. Changes that wait for their frame begin this anew.
      const {board} = this;
      if (this.isBehind || !board.table || !board.lists.includes(this) || board.changes.length > 0) return;
      const until = performance.now() + MEASURE_MS;
      let left = this.layout.measure(50);
      while (left > 0 && performance.now() < until) left = this.layout.measure(50);
      // Where all are as high as was estimated, nothing stands elsewhere, and there is nothing to draw.
      if (!this.isOutdated) return this.measureOn();
      this.hold();
      this.render(false);
    });
  }

  /** Whether the layout may have rows elsewhere than they were drawn. */
  get isOutdated() {
    const {table, corrections} = this.layout;
    return table.stamp !== this.drawnStamp || corrections !== this.drawnCorrections;
  }

  /**
   * The rows that were seen when they were drawn last stand still, wherever the layout has them now; the row under a finger
   * goes first. A person may have scrolled since then: that stays. A diff may have been applied of which nobody was told yet.
   */
  hold() {
    // To size the element may draw rows, which forgets what was held on to.
    const {anchor, drawnTop, top} = this;
    const {heldView: held} = this;
    const was = held ? held.place.y : drawnTop;
    this.size();
    if (!anchor || top <= 2) return;
    const now = held ? this.layout.offsetOf(held.id) : this.layout.restore(anchor);
    const delta = (now ?? was) - was;
    if (Math.abs(delta) > 0.01) this.shift(delta, top);
  }

  /** Diffs were applied: rows go to where they are now, and what the person looks at stands still. */
  update(changes) {
    const {heldView: held} = this;
    const gone = changes.flatMap(({rows}) => rows).filter((one) => one.moved || !one.after);
    const moved = new Set(gone.map(({id}) => id));
    const old = this.top;
    // The rows that were seen before: the layout knows only those of now.
    const anchor = this.anchor ?? this.layout.anchor(old);
    const drawn = this.anchor ? this.drawnTop : old;
    const was = held ? held.place.y : null;
    const seen = new Map([...this.views.values()].map((view) => [view, view.place ? view.place.y - old : 0]));
    this.wait = this.leaveBehind(changes);
    for (const changed of changes) this.layout.update(changed);
    this.layout.measure(MEASURED_AT_ONCE);
    this.size();
    let top = old;
    if (held && was !== null && !moved.has(held.id)) top = old + (this.layout.offsetOf(held.id) ?? was) - was;
    else if (old > 2) top = old + (this.layout.restore(anchor) ?? drawn) - drawn;
    if (Math.abs(top - old) > 0.01) this.shift(top - old, old);
    for (const [view, y] of seen)
      if (view.held > 0 && moved.has(view.id)) view.fixed ??= y;
    this.render(true);
    for (const [view, y] of seen) {
      if (view.place && this.views.get(view.id) === view && Math.abs(view.place.y - this.top - y) > 1) {
        this.shiftedAt = performance.now() + this.wait * 1000;
        break;
      }
    }
    this.wait = 0;
  }

  /**
   * Rows that are no longer here leave their places, as their hints say; what was swiped to the end goes on in that
   * direction. Gives in how many seconds the last is out.
   */
  leaveBehind(changes) {
    let wait = 0;
    for (const {rows} of changes) {
      for (const one of rows) {
        const view = this.views.get(one.id);
        if (!view || view.held > 0 || view.leaving) continue;
        const isOut = view.swipe.performing && (one.moved || !one.after);
        if (isOut) wait = Math.max(wait, this.depart(view, 'out'));
        else if (!one.after) this.depart(view, one.hint);
        else if (one.moved && !this.sections.includes(one.to)) this.depart(view, 'fade');
      }
    }
    return wait;
  }

  /** A row leaves its place; its element is no row any more. Gives in how many seconds the place closes. */
  depart(view, hint) {
    const wait = hint === 'out' ? view.swipe.left : 0;
    const shown = this.isSeen(view) && this.departed.size < 20;
    this.release(view);
    view.depart();
    this.departed.add(view);
    const motion = shown ? goes(view.element, hint, motionOf(this.board.table.settings).expand, wait) : null;
    if (motion) motion.onfinish = () => this.free(view);
    else this.free(view);
    return motion ? wait : 0;
  }

  /**
   * Rows in sight stay in place though offsets above them have grown: base and scroll go along. `from`: the offset at the
   * upper edge before the element was sized, since a list that got shorter is scrolled back by the browser.
   */
  shift(delta, from = this.top) {
    this.base += delta;
    for (const view of this.departed) view.place = {...view.place, y: view.place.y + delta};
    const wanted = (from + delta - this.origin) * this.scale;
    this.element.scrollTop = wanted;
    const lost = wanted - this.element.scrollTop;
    this.origin += lost / this.scale;
    this.stage.style.top = `${(this.base - this.origin) * this.scale}px`;
    if (Math.abs(lost) > 0.5) this.recentre();
  }

  /** How high the scrolled element is. */
  size() {
    this.sized = this.scale;
    const whole = this.layout.contentHeight * this.scale + FOOT;
    this.spacer.style.height = `${Math.min(whole, MOST)}px`;
    if (whole <= MOST && this.origin !== 0) this.recentre();
  }

  /** The offset with which the element begins when another one is at its upper edge: of all that it can be high. */
  originFor(y) {
    const whole = this.layout.contentHeight + FOOT / this.scale, window = MOST / this.scale;
    return whole <= window ? 0 : Math.min(Math.max(0, y - window / 2), whole - window);
  }

  /** In tables that are higher than an element can be: the window of offsets goes along. */
  recentre() {
    const {top} = this, origin = this.originFor(top);
    if (Math.abs(origin - this.origin) < MOST / this.scale / 4 && origin !== 0 && this.origin !== 0) return;
    if (origin === this.origin) return;
    this.origin = origin;
    this.element.scrollTop = (top - origin) * this.scale;
    this.stage.style.top = `${(this.base - this.origin) * this.scale}px`;
    this.render(false);
  }

  scrollTo(y) {
    this.origin = this.originFor(y);
    this.element.scrollTop = (y - this.origin) * this.scale;
    this.rebase();
  }

  scrolled() {
    // Not every engine says when a scroll has ended. There it has when nothing was scrolled for a moment.
    if (!('onscrollend' in this.element)) {
      clearTimeout(this.ending);
      this.ending = setTimeout(() => this.ended(), 150);
    }
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.renderSoon(false, true);
    });
  }

  ended() {
    if (!this.layout) return;
    if (this.isOutdated) this.renderSoon();
    this.recentre();
  }

  /** Unless the list, or its table, has gone meanwhile. `isScroll`: nothing but the offset is another one. */
  renderSoon(animated = false, isScroll = false) {
    if (!this.layout || !this.board.table || !this.board.lists.includes(this)) return;
    this.board.catchUp();
    if (!this.layout || !this.board.lists.includes(this)) return;
    const isOld = this.isOutdated;
    if (isOld) this.hold();
    this.render(animated, isScroll && !isOld);
  }

  rebase() {
    this.base = Math.floor(this.top / 500) * 500;
    this.stage.style.top = `${(this.base - this.origin) * this.scale}px`;
    for (const view of [...this.views.values(), ...this.departed]) this.put(view);
    for (const head of this.heads.values()) this.putHead(head);
  }

  /** Brings the document to what is seen, and to so many points above and below it. */
  render(animated, isScroll = false) {
    if (Math.abs(this.top - this.base) > 4000) this.rebase();
    const {layout} = this;
    this.measureSeen();
    const top = this.top;
    const height = this.inView;
    this.drawnTop = top;
    this.drawnEnd = top + height;
    const drawn = this.drawnStamp;
    this.drawnStamp = layout.table.stamp;
    this.findGaps();
    const inSight = layout.visible(top, height).length;
    const spare = Math.max(0, this.board.budget - inSight);
    const average = inSight ? height / inSight : 76;
    const over = Math.min(NEAR, Math.floor(spare / 3) * average);
    const seen =
      layout.visible(Math.max(0, top - over), height + 2 * over).slice(0, Math.max(this.board.budget, inSight));
    /** Rows that were drawn say the same, where they stood. */
    this.isSteady =
      isScroll && !this.isBehind && layout.table.stamp === drawn && layout.corrections === this.drawnCorrections;
    const wanted = new Set(seen.map((one) => one.id));
    for (const [id, view] of this.views) {
      if (wanted.has(id)) continue;
      if (view.held === 0) this.drop(view);
      // A row under a finger may be far away, where the list scrolls by itself.
      else if (view.place) view.place = {...view.place, y: layout.offsetOf(id) ?? view.place.y};
    }
    this.showAll(seen, top, height, animated);
    this.drawHeads(layout.heads(Math.max(0, top - over), height + 2 * over), top, animated);
    if (!this.isFirst) this.anchor = layout.anchor(top);
    this.drawnCorrections = layout.corrections;
    this.board.overlay(this);
    this.board.keys.keepStop();
    this.board.tiles.number();
  }

  /** Measures what is to be drawn. What stands at the upper edge stays there, however high the rows above it are found to be. */
  measureSeen() {
    const {layout} = this;
    for (let round = 0; round < 4; round++) {
      const {top} = this, from = Math.max(0, top - NEAR), height = top - from + this.inView + NEAR;
      if (!layout.isEstimated(from, height)) return;
      const anchor = top > 2 ? layout.anchor(top) : null;
      layout.visible(from, height);
      const delta = anchor ? layout.restore(anchor) - top : 0;
      if (Math.abs(delta) > 0.01) this.shift(delta, top);
    }
  }

  /** Whether a row is in sight, as it was drawn last. */
  isSeen(view) {
    const {place} = view;
    if (this.views.get(view.id) !== view || view.leaving || !place) return false;
    return place.y + place.height > this.drawnTop && place.y < this.drawnEnd;
  }

  /** The first row that is in sight, if it can be one that no heading covers. */
  firstSeen() {
    const seen = [...this.views.values()].filter((view) => this.isSeen(view)).sort((a, b) => a.place.y - b.place.y);
    return seen.find((view) => view.place.y >= this.drawnTop + this.stuckHead) ?? seen[0] ?? null;
  }

  /**
   * What is seen comes first, and at once but when the screen was empty. Of the rest, as many as there is time for: the
   * next frame goes on.
   */
  showAll(seen, top, height, animated) {
    const until = performance.now() + TURN_MS / Math.max(1, this.board.lists.length);
    const isInSight = (one) => one.y + one.height > top && one.y < top + height;
    const rest = [];
    for (const one of seen) {
      const view = this.views.get(one.id);
      const wasSeen = view && (view.held > 0 || (view.place && isInSight(view.place)));
      if (wasSeen || (isInSight(one) && (view || !this.isFirst))) this.show(one, animated);
      else rest.push(one);
      if (!view || wasSeen || view.leaving || isInSight(one)) continue;
      // It is out of sight, and stands where it belongs, also before it is drawn anew.
      view.place = this.placeOf(one);
      this.put(view);
    }
    rest.sort((a, b) => isInSight(b) - isInSight(a));
    let count = 0;
    for (const one of rest) {
      if (count > 0 && performance.now() > until) break;
      this.show(one, animated);
      count += 1;
    }
    /** Rows that are still to come with the next frames. */
    this.isBehind = count < rest.length;
    if (this.isBehind) this.goOn();
    else {
      this.isFirst = false;
      this.measureOn();
    }
  }

  /** After the next frame, which lays out and paints what has come: each is a task of its own. */
  goOn() {
    if (this.going) return;
    this.going = true;
    const on = () => {
      this.going = false;
      this.renderSoon();
    };
    if (this.views.size === 0) setTimeout(on);
    else requestAnimationFrame(() => setTimeout(on));
  }

  placeOf(one) {
    return {index: one.index, count: this.count(one.section), y: one.y, height: one.height, section: one.section};
  }

  show(one, animated) {
    let view = this.views.get(one.id);
    if (!view) {
      view = this.pool.pop() ?? new RowView(this.board, this);
      view.assign(one.row);
      this.views.set(one.id, view);
      view.height = one.height;
      if (!view.element.isConnected) this.stage.append(view.element);
      view.element.hidden = false;
      view.draw(one.row, this.placeOf(one), this.width);
      this.put(view);
      const hint = animated && this.board.came.get(one.id);
      if (hint) comes(view.element, hint, motionOf(this.board.table.settings).expand, this.wait);
      return;
    }
    if (view.leaving) return;
    if (this.isSteady && view.row === one.row && view.held === 0 && view.fixed === null) return;
    view.draw(one.row, this.placeOf(one), this.width);
    this.put(view, animated);
  }

  /** Puts an element where its row is; one that a finger holds stays under it. */
  put(view, animated = false) {
    if (!view.place) return;
    const isFixed = view.fixed !== null;
    const y = isFixed ? this.top + view.fixed : view.place.y + this.lean(view.place.y, view.id);
    this.stand(view, y, animated && !isFixed, view.place.height);
  }

  /** The column in which an offset is, where there are several. */
  columnOf() { return undefined; }

  /** Where an offset is in the stage, for a style. */
  spot(y) { return `translateY(${(y - this.base) * this.scale}px)`; }

  /** Whether what stands at two offsets is one below the other. */
  isBelow() { return true; }

  /**
   * An element that is on its way to that place already goes on. Into another column nothing slides across the others: it
   * appears there. Gives whether it stood elsewhere before.
   */
  stand(thing, y, animated, height, column) {
    const spot = this.spot(y, column), stands = `${spot} ${height * this.scale}`;
    if (thing.stands === stands) return false;
    const {style} = thing.element, stood = Boolean(thing.stands), appears = stood && thing.column !== column;
    thing.stands = stands;
    thing.column = column;
    style.transition = animated && !appears ? this.moves : 'none';
    style.transform = spot;
    if (height !== undefined) style.height = `${height * this.scale}px`;
    if (animated && appears && !isReduced()) thing.element.animate([{opacity: 0}, {}], {duration: 300});
    return stood;
  }

  /** How far from its place something is drawn, as rows are lifted. */
  lean(y, id) { return this.gaps.reduce((sum, gap) => sum + gap.lean(y, id), 0); }

  findGaps() {
    const {board} = this;
    this.gaps = board.follow ? gapsOf(this, board.follow.presence.leases, board.drag) : [];
  }

  /** Somebody lifted rows, or holds them elsewhere now: what is seen makes room. */
  makeRoom() {
    if (!this.layout) return;
    const hadGaps = this.gapsDrawn;
    this.findGaps();
    this.gapsDrawn = this.gaps.length > 0;
    if (!hadGaps && !this.gapsDrawn) return;
    for (const view of this.views.values()) {
      if (view.leaving) continue;
      this.put(view, true);
      const isElsewhere = this.gaps.some((gap) => gap.line === null && gap.ids.includes(view.id));
      view.element.classList.toggle('elsewhere', isElsewhere);
    }
    for (const head of this.heads.values()) this.putHead(head, true);
  }

  count(section) {
    return this.layout.table?.sections.find((one) => one.id === section)?.count
      ?? this.board.table.sections.find((one) => one.id === section)?.count ?? 0;
  }

  /** The element waits for another row. */
  drop(view) {
    this.release(view);
    this.free(view);
  }

  /** The element is no row any more. The focus stays in the column, and its row is remembered (keys.js). */
  release(view) {
    this.views.delete(view.id);
    if (view.element.contains(document.activeElement)) this.element.focus({preventScroll: true});
  }

  free(view) {
    this.departed.delete(view);
    view.element.classList.remove('goes');
    for (const motion of view.element.getAnimations()) motion.cancel();
    view.strip?.remove();
    view.strip = null;
    view.recycle();
    view.element.hidden = true;
    if (this.pool.length < 12) this.pool.push(view);
    else view.element.remove();
  }

  drawHeads(heads, top, animated) {
    const ids = new Set(heads.map((head) => head.section));
    for (const [id, head] of this.heads) {
      if (ids.has(id)) continue;
      head.list.remove();
      head.element.remove();
      this.heads.delete(id);
    }
    for (const head of heads) this.drawHead(head, animated);
    this.owners();
    this.drawStuck(top);
  }

  drawHead(said, animated = false) {
    let head = this.heads.get(said.section);
    const isThere = Boolean(head);
    if (!head) {
      const title = el('h2', {});
      const late = el('span', {class: 'late-count'});
      const count = el('span', {class: 'count'});
      const plus = el('button', {class: 'plus', click: () => this.board.actions.add(said.section)}, icon('plus', 20));
      const element = el('div', {class: 'section'}, title, late, count, plus);
      const list = el('div', {role: 'list'});
      head = {element, title, late, count, plus, list};
      this.heads.set(said.section, head);
      this.stage.append(element, list);
    }
    this.fillHead(head, said);
    head.y = said.y;
    // A heading far away belongs to rows that are seen, but Tab would scroll to its button.
    const isNear = said.y > this.drawnTop - NEAR && said.y < this.drawnEnd + NEAR;
    setAttribute(head.plus, 'tabindex', isNear ? null : '-1');
    this.putHead(head, animated && isThere);
  }

  /** A heading says each frame what it said in the one before, nearly always. */
  fillHead(head, {title, section, count}) {
    const {board} = this;
    const name = title || section;
    const key = JSON.stringify([name, count, board.mayChange, board.drawing]);
    setText(head.late, board.alerts.lateSaid(section));
    if (head.said === key) return;
    head.said = key;
    setText(head.title, name);
    setText(head.count, number(count));
    setAttribute(head.count, 'aria-label', word('rows', {count}));
    head.plus.hidden = !board.mayChange;
    setAttribute(head.plus, 'aria-label', word('add.rowTo', {section: name}));
  }

  /** Other rows are late now. */
  drawLate() {
    for (const [section, {late}] of this.heads) setText(late, this.board.alerts.lateSaid(section));
    if (this.layout) this.drawStuck(this.top);
  }

  /** A heading goes with its rows. */
  putHead(head, animated = false) {
    this.stand(head, head.y + this.lean(head.y), animated, undefined, this.columnOf(head.y));
  }

  /** Rows belong to their section's list, in the order in which they are read. */
  owners() {
    const bySection = new Map();
    for (const view of this.views.values()) {
      if (view.leaving || !view.place) continue;
      madeOnce(bySection, view.place.section, () => []).push(view);
    }
    for (const section of bySection.keys()) {
      if (this.heads.has(section)) continue;
      const one = this.layout.spans.find((head) => head.section === section);
      if (one) this.drawHead(one);
    }
    for (const [section, head] of this.heads) {
      const views = (bySection.get(section) ?? []).sort((a, b) => a.place.y - b.place.y);
      setAttribute(head.list, 'aria-owns', views.length ? this.owned(views).join(' ') : null);
      // An element without the role of a list has no name.
      setAttribute(head.list, 'role', views.length ? 'list' : 'presentation');
      setAttribute(head.list, 'aria-label', views.length ? head.title.textContent : null);
    }
  }

  /** The ids of the elements that a section's list has, of its rows in order. */
  owned(views) { return views.map((view) => view.element.id); }

  tick() {
    for (const view of this.views.values()) view.tick();
  }

  /** The heading of what is seen first stays at the upper edge. */
  drawStuck(top) {
    const head = this.layout.heads(0, top + this.head).at(-1);
    setHidden(this.stuck, !head || head.y >= top - 4);
    if (!this.stuck.hidden) again(this.stuck, {...head, late: this.board.alerts.lateSaid(head.section)});
  }

  /** Where on the screen a row is: {left, top} in pixels, or null. */
  box(id) {
    const y = this.layout?.offsetOf(id) ?? null;
    return y === null ? null : this.pointOf(y);
  }

  pointOf(y) {
    const {left, top} = this.element.getBoundingClientRect();
    return {left, top: top + (y - this.top) * this.scale};
  }

  reveal(id) {
    const y = this.layout.offsetOf(id);
    if (y !== null) this.bring(y, this.layout.heightOf(id));
  }

  /** Brings what stands at an offset into sight. */
  bring(y, height) {
    const room = this.inView;
    const {head} = this;
    if (y - head < this.top) this.scrollTo(Math.max(0, y - head));
    else if (y + height + 70 / this.scale > this.top + room)
      this.scrollTo(Math.min(y - head, y + height + 70 / this.scale - room));
    this.render(false);
  }

  /** The ends between which it scrolls, where a point is between them, and by which property. */
  ends(x, y) {
    const {top, bottom} = this.element.getBoundingClientRect();
    return {from: top, to: bottom, at: y, scroll: 'scrollTop'};
  }

  /** The place for a dragged row whose middle is at a point of the screen: {place}, or null. */
  placeAt(x, y, id) {
    const middle = this.top + (y - this.element.getBoundingClientRect().top) / this.scale;
    return landingAt(this.layout, id, middle - (this.layout.heightOf(id) ?? 0) / 2, this.head);
  }

  /** The end of a place of a drag of the row `id`, to draw a line there: an offset, or null. */
  lineOf(place) {
    if (place.before !== undefined) return this.layout.offsetOf(place.before);
    if (place.after !== undefined) {
      const y = this.layout.offsetOf(place.after);
      return y === null ? null : y + this.layout.heightOf(place.after);
    }
    const head = this.layout.spans.find((one) => one.section === place.section);
    if (!head) return null;
    if (place.top) return head.y + this.head;
    const last = this.layout.table.sections.find((one) => one.id === place.section)?.rows.at(-1);
    return last ? this.layout.offsetOf(last.id) + this.layout.heightOf(last.id) : head.y + this.head;
  }
}

/** A heading that is seen twice, for eyes only. It is made anew only where it says something else. */
export function again(element, {title, section, count, late = ''}) {
  const said = JSON.stringify([title || section, count, late]);
  if (element.said === said) return;
  element.said = said;
  element.replaceChildren(el('span', {text: title || section}), el('span', {class: 'late-count', text: late}),
    el('span', {class: 'count', text: number(count)}));
}
