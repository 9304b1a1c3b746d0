/** The items of a strip: a window that scrolls sideways. Touches go to the window, never to an item. */
import {scrollOf, stripEnd, stripRest} from '../layout/strip.js';
import {el, keepOnly, setAttribute, setBox} from './dom.js';
import {rubber} from '../layout/swipe.js';
import {spring} from './motion.js';
import {startSide, word} from './words.js';

export class StripView {
  constructor(view) {
    this.view = view;
    this.element = el('div', {class: 'strip', 'data-strip': '', role: 'group'});
    this.items = new Map();
    this.offset = null;
    this.held = false;
    this.marked = null;
  }

  remove() {
    this.motion?.stop();
    this.element.remove();
  }

  /** How far it scrolls at most. */
  get end() { return stripEnd(this.layout); }

  /** `scroll`: where it stands. It keeps to its item whatever comes and goes; it glides where somebody scrolled it. `left`: room for a control. */
  draw(layout, row, chosen, scroll, left = 0) {
    const s = this.view.scale;
    const isAsItWas = this.row?.items === row.items;
    this.layout = layout;
    this.row = row;
    this.chosen = chosen;
    const said = JSON.stringify(scroll ?? null);
    if (!this.held) this.stand(Math.min(Math.max(layout.offset, 0), this.end), said, isAsItWas);
    this.said = said;
    const kind = this.view.kind;
    const margin = Math.min(kind?.margins?.text ?? 20, this.view.width / 2);
    this.y = Math.min(...layout.items.map((item) => item.y));
    const style = this.element.style;
    style[startSide()] = `${(margin + left) * s}px`;
    style.top = '0px';
    style.width = `${layout.visibleWidth * s}px`;
    style.height = `${this.view.height * s}px`;
    setAttribute(this.element, 'aria-label', word('strip', {row: row.title || row.id, count: layout.items.length}));
    this.place();
  }

  /** Goes to where it belongs, if it is not on its way there already. */
  stand(target, said, isAsItWas) {
    const isThere = this.offset !== null && Math.abs((this.motion ? this.target : this.offset) - target) < 0.01;
    if (isThere) return;
    if (this.offset !== null && isAsItWas && said !== this.said) this.glide(target);
    else {
      this.motion?.stop();
      this.motion = null;
      this.offset = target;
    }
  }

  /** Makes elements for what is seen, and a little more; no others. */
  place() {
    const s = this.view.scale;
    const {items, visibleWidth} = this.layout;
    const from = this.offset - 200;
    const to = this.offset + visibleWidth + 200;
    const seen = items.filter((item) => item.x + item.width > from && item.x < to);
    keepOnly(this.items, new Set(seen.map((item) => item.id)));
    for (const item of seen) {
      let element = this.items.get(item.id);
      if (!element) {
        element = el('div', {class: 'item'});
        this.items.set(item.id, element);
        this.element.append(element);
      }
      this.fill(element, item);
      const style = element.style;
      style.transform = `translateX(${(item.x - this.offset) * s}px)`;
      style.top = `${item.y * s}px`;
      style.width = `${item.width * s}px`;
      style.height = `${item.height * s}px`;
      element.classList.toggle('chosen', item.id === this.chosen);
      element.classList.toggle('marked', item.id === this.marked);
    }
  }

  fill(element, item) {
    const s = this.view.scale;
    const key = JSON.stringify([item.lines, item.badge, item.badgeText, s]);
    if (element.drawn === key) return;
    element.drawn = key;
    const texts = item.lines.map(({text, y, size, height}, index) => {
      const one = el('span', {text, dir: 'auto'});
      one.style.top = `${y * s}px`;
      one.style.fontSize = `${size * s}px`;
      one.style.lineHeight = `${height * s}px`;
      if (index > 0) one.style.color = 'var(--detail)';
      return one;
    });
    if (item.badge) {
      const [x, y, width, height] = item.badge;
      const badge = el('span', {class: 'badge', text: item.badgeText});
      setBox(badge, [x - item.x, y - item.y, width, height], s);
      badge.style.lineHeight = badge.style.height;
      badge.style.fontSize = `${11 * s}px`;
      texts.push(badge);
    }
    element.replaceChildren(...texts);
  }

  /** Whether it can go on in the direction of a finger that moves by dx. */
  scrolls(dx) { return this.end > 0.5 && (dx < 0 ? this.offset < this.end - 0.5 : this.offset > 0.5); }

  /** A finger takes it. */
  begin(startX) {
    this.motion?.stop();
    this.motion = null;
    this.held = true;
    const base = this.offset;
    return {
      move: (x) => {
        const wanted = base - (x - startX) / this.view.scale;
        const inside = Math.min(Math.max(wanted, 0), this.end);
        this.offset = inside + Math.sign(wanted - inside) * rubber(Math.abs(wanted - inside), 80);
        this.place();
      },
      release: (velocity) => {
        this.held = false;
        const thrown = this.offset - (velocity / this.view.scale) * 0.28;
        const inside = Math.min(Math.max(thrown, 0), this.end);
        this.glide(stripRest(this.layout, inside), -velocity, true);
      },
      cancel: () => {
        this.held = false;
        // As before: nobody was told of another place.
        this.glide(Math.min(Math.max(this.layout.offset, 0), this.end));
      },
    };
  }

  glide(target, velocity = 0, tell = false) {
    this.motion?.stop();
    this.target = target;
    if (tell) this.tell(target);
    this.motion = spring({
      from: this.offset,
      target,
      velocity,
      seconds: 0.4,
      draw: (value) => {
        this.offset = value;
        this.place();
      },
      end: () => {
        this.motion = null;
      },
    });
  }

  /** Says where it stands, for all screens, or remembers it for this one. */
  tell(target) {
    const scroll = scrollOf(this.layout, target);
    // The layout stands where it is told to from now on, also before it is drawn anew.
    if (scroll) this.layout.offset = target;
    this.view.board.actions.scrolled(this.view, scroll);
  }

  /** The item at a place of the screen; null: the title, or the blank around items. */
  itemAt(clientX, clientY) {
    const box = this.element.getBoundingClientRect();
    const x = (clientX - box.left) / this.view.scale + this.offset;
    const y = (clientY - box.top) / this.view.scale;
    return this.layout.items.find(
             (item) => x >= item.x && x <= item.x + item.width && y >= item.y && y <= item.y + item.height)
      ?? null;
  }

  /** Marks an item, and brings it into sight. Gives whether there is one. */
  mark(step) {
    const {items} = this.layout;
    const now = items.findIndex((item) => item.id === this.marked);
    const next = now < 0 ? (step > 0 ? 0 : -1) : now + step;
    if (next < 0 || next >= items.length) return false;
    const item = items[next];
    this.marked = item.id;
    const low = item.x + item.width - this.layout.visibleWidth;
    if (this.offset > item.x) this.glide(item.x, 0, true);
    else if (this.offset < low) this.glide(Math.min(low, this.end), 0, true);
    this.place();
    return true;
  }

  unmark() {
    this.marked = null;
    this.place();
  }
}
