/** A row that is held and moved: a lease of the table, and a picture of the row under the finger. */
import {el, keepOnly, setText} from './dom.js';
import {isReduced} from './motion.js';
import {putDownSaid} from './says.js';
import {word} from './words.js';

const ZONE = 72;

/** Lifts a row. Gives the gesture, {move, release, cancel}. */
export class RowDrag {
  constructor(board, view, at) {
    this.board = board;
    this.view = view;
    // The table may be gone when the row is put back.
    this.motion = view.motion;
    this.id = view.id;
    this.row = view.row;
    this.ended = false;
    this.place = null;
    this.x = at.clientX;
    this.y = at.clientY;
    const box = view.element.getBoundingClientRect();
    this.startX = this.x;
    this.startY = this.y;
    /** A finger that holds a row and lets go where it is marks the row. */
    this.isStill = Boolean(at.isHeld);
    this.box = box;
    view.held += 1;
    view.swipe.settle(null);
    this.float(box);
    board.dragged(this);
    navigator.vibrate?.(20);
    this.lift();
    this.frame = requestAnimationFrame((time) => this.step(time));
    board.say(word('drag.lifted', {row: this.row.title || this.id}));
  }

  float(box) {
    const {motion} = this;
    const seconds = isReduced() ? 0 : motion.lift;
    const picture = this.view.slide.cloneNode(true);
    for (const one of picture.querySelectorAll('button')) one.remove();
    picture.style.transform = '';
    this.element = el('div', {class: 'floating', 'aria-hidden': 'true'}, picture);
    const style = this.element.style;
    // As large as it becomes, it is no wider than the screen.
    const width = Math.min(box.width, innerWidth / Math.max(1, motion.liftedScale));
    this.size = {width, height: box.height};
    style.width = `${width}px`;
    style.height = `${box.height}px`;
    style.scale = String(motion.liftedScale);
    style.opacity = String(motion.liftedAlpha);
    style.boxShadow =
      `${motion.shadowX}px ${motion.shadowY}px ${motion.shadowRadius * 2}px rgb(0 0 0 / ${motion.shadowOpacity})`;
    document.body.append(this.element);
    this.position();
    const isHidden = motion.hidesLifted !== 0;
    this.view.element.classList.toggle('away', isHidden);
    if (seconds === 0) return;
    const timing = {duration: seconds * 1000, easing: 'ease-in-out'};
    this.element.animate([{scale: '1', opacity: 0}, {}], timing);
    // It comes to be centred on the finger, wherever that goes meanwhile.
    const from = `${(box.width - width) / 2}px ${box.top + box.height / 2 - this.y}px`;
    this.element.animate([{translate: from}, {translate: '0px 0px'}], {...timing, composite: 'add'});
    if (isHidden)
      this.view.element.animate([{visibility: 'visible', opacity: 1}, {visibility: 'visible', opacity: 0}], timing);
  }

  position() {
    // By its own property: a transform would be scaled along with the row.
    const left = this.box.left + (this.x - this.startX) + (this.box.width - this.size.width) / 2;
    this.element.style.translate = `${left}px ${this.y - this.size.height / 2}px`;
  }

  /** Asks for the lease. A refusal puts the row back, with the reason. */
  async lift() {
    const answer = await this.board.follow.lift([this.id]);
    if (!answer.ok) {
      this.board.refused(answer.error);
      this.finish();
      return;
    }
    this.lease = answer.drag;
    this.lease.ended.then((end) => this.leaseEnded(end));
    if (this.ended) this.settle();
    else if (this.place) this.lease.hover(this.place.place);
  }

  /** The lease ended: by our drop, or because somebody removed the row, or its time was over. */
  leaseEnded(end) {
    if (this.ended) return;
    this.board.news(putDownSaid(end?.saying), {kind: 'refused'});
    this.finish();
  }

  move(x, y) {
    if (this.ended) return;
    if (Math.hypot(x - this.startX, y - this.startY) > 8) this.isStill = false;
    this.x = x;
    this.y = y;
    this.position();
    this.aim();
  }

  aim() {
    this.board.catchUp();
    const list = this.board.listAt(this.x, this.y);
    const found = list?.placeAt(this.x, this.y, this.id) ?? null;
    const changed = JSON.stringify(found?.place) !== JSON.stringify(this.place?.place);
    this.place = found;
    this.list = list;
    if (!changed) return;
    this.board.dragged(this);
    if (found && this.lease?.active) this.lease.hover(found.place);
  }

  /** Near an end of the column it scrolls by itself, the faster the nearer. */
  step(time) {
    if (this.ended) return;
    const seconds = Math.min(0.05, (time - (this.last ?? time)) / 1000);
    this.last = time;
    const list = this.board.listAt(this.x, this.y);
    if (list) {
      const {from, to, at, scroll} = list.ends(this.x, this.y);
      const back = from + ZONE - at;
      const on = at - (to - ZONE);
      const pace = back > 0 ? -Math.min(back, ZONE) : on > 0 ? Math.min(on, ZONE) : 0;
      if (pace) {
        this.rest = (this.rest ?? 0) + pace * 14 * seconds;
        const whole = Math.trunc(this.rest);
        this.rest -= whole;
        if (whole) {
          list.element[scroll] += whole;
          this.aim();
        }
      }
    }
    this.frame = requestAnimationFrame((next) => this.step(next));
  }

  release() {
    if (this.ended) return;
    this.ended = true;
    this.wanted = this.place && this.list ? this.place.place : null;
    if (this.isStill || (this.wanted && this.board.isThere(this.id, this.place))) this.wanted = null;
    if (this.isStill) this.board.marks.toggle(this.id);
    this.settle();
  }

  /** Puts the row back. `why`: it was not the finger that let go. */
  cancel(why) {
    if (this.ended) return;
    this.ended = true;
    this.wanted = null;
    if (why) this.board.news(putDownSaid(why), {kind: 'refused'});
    this.settle();
  }

  /** Let go: exactly one drop, or one cancel, as soon as there is a lease. */
  async settle() {
    // Until it is known what became of the drop, the gap stays where it was let go.
    if (!this.wanted) this.board.dragged(null);
    this.stop();
    if (!this.lease) return;
    if (!this.settled) {
      this.settled = true;
      if (this.wanted) await this.board.actions.moved(this.lease.drop(this.wanted), this.row);
      else {
        this.lease.cancel();
        this.board.say(word('drag.back'));
      }
    }
    this.land();
  }

  /** It is dragged no longer. */
  stop() {
    this.board.landing(null, null);
    cancelAnimationFrame(this.frame);
  }

  /** The picture goes to where the row is now. */
  land() {
    if (this.landed) return;
    this.landed = true;
    if (this.board.drag === this) this.board.dragged(null);
    const box = this.board.listOf(this.id)?.box(this.id);
    const seconds = isReduced() ? 0 : this.motion.drop;
    const style = this.element.style;
    if (box && seconds > 0) {
      style.transition =
        ['translate', 'scale', 'opacity', 'box-shadow', 'width'].map((one) => `${one} ${seconds}s`).join(', ');
      style.width = `${this.box.width}px`;
      style.translate = `${box.left}px ${box.top}px`;
      style.scale = '1';
      style.opacity = '1';
      style.boxShadow = 'none';
    }
    setTimeout(() => this.clear(), box ? seconds * 1000 : 0);
  }

  clear() {
    this.element.remove();
    this.view.element.classList.remove('away');
    this.view.held = Math.max(0, this.view.held - 1);
    this.board.letGo(this.view);
  }

  /** Ends without asking the table: it has ended there already. */
  finish() {
    this.ended = true;
    this.stop();
    this.land();
  }
}

/** Draws where others would put what they hold: a line at the gap, with their name. */
export function drawGhosts(list, kept) {
  const wanted = new Map(list.gaps.filter((gap) => gap.lease && gap.top !== null).map((gap) => [gap.lease.lease, gap]));
  keepOnly(kept, wanted);
  for (const [id, {top, height, lease, left}] of wanted) {
    let ghost = kept.get(id);
    if (!ghost) {
      ghost = el('div', {class: 'ghost', 'aria-hidden': 'true'}, el('span', {}));
      kept.set(id, ghost);
    }
    if (ghost.parentElement !== list.stage) list.stage.append(ghost);
    setText(ghost.firstChild, lease.rows.length > 1 ? `${lease.holder} · ${lease.rows.length}` : lease.holder);
    // A row that stands in its gap says it itself.
    ghost.firstChild.hidden = left.length === 1 && lease.rows.length === 1;
    ghost.style.height = `${height * list.scale}px`;
    ghost.style.transform = list.spot(top);
  }
}
