/**
 * Follows fingers, pens and mice, by one state machine for each pointer: two fingers are two people.
 *
 * undecided → swipe (sideways), scroll (the browser's), drag (held still, then moved), or nothing.
 */
import {Velocity} from './motion.js';

const SLOP = 8;
const SURE = 16;
const SIDE = 24;

/** The verdict on a way so far: "swipe", "scroll" or null while it cannot be told. */
export function verdict(dx, dy) {
  const [across, down] = [Math.abs(dx), Math.abs(dy)];
  const far = Math.hypot(dx, dy);
  if (far < SLOP) return null;
  if (across > 1.2 * down) return 'swipe';
  if (down >= across) return 'scroll';
  // Between the two: the browser does not scroll here either. A little further, it is a swipe.
  return far < SURE ? null : 'swipe';
}

export class Gestures {
  /**
   * `find(target)` gives what is touched: an object with `element`, and perhaps `swipe`, `lift` and
   * `scrolls`; or null. Its methods are asked when a gesture begins, so that it may refuse.
   * A gesture's `cancel(why)` puts back; `why` is there if nobody let go.
   */
  constructor(root, {find, hold, busy}) {
    this.find = find;
    this.hold = hold;
    this.busy = busy ?? (() => {});
    this.pointers = new Map();
    this.endedAt = -1000;
    this.tapped = null;
    root.addEventListener('pointerdown', (event) => this.down(event));
    root.addEventListener('contextmenu', (event) => {
      if (event.pointerType !== 'mouse') event.preventDefault();
    });
    root.addEventListener('click', (event) => this.click(event), true);
    root.addEventListener('dragstart', (event) => event.preventDefault());
    addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.cancelAll()) event.stopImmediatePropagation();
    }, true);
    addEventListener('blur', () => this.cancelAll());
  }

  /** Whether any pointer swipes or drags. */
  get active() { return [...this.pointers.values()].some((one) => one.act); }

  down(event) {
    if (event.button !== 0) return;
    // It was down already: its end was never heard.
    const unheard = this.pointers.get(event.pointerId);
    if (unheard) this.end(unheard, 'cancel');
    const thing = this.find(event.target, event);
    if (!thing) {
      const element = event.target.closest('button') ?? event.target;
      this.tapped = {target: event.target, element, at: performance.now()};
      return;
    }
    const touch = event.pointerType !== 'mouse';
    const edge = touch && (event.clientX < SIDE || event.clientX > innerWidth - SIDE);
    const one = {
      id: event.pointerId,
      thing,
      touch,
      edge,
      x: event.clientX,
      y: event.clientY,
      act: null,
      velocity: new Velocity(),
      timer: 0,
      target: event.target,
      ended: new AbortController(),
    };
    one.velocity.add(one.x, one.y, event.timeStamp);
    this.pointers.set(one.id, one);
    const signal = one.ended.signal;
    // On the window: the target may be taken out of the document, and others hear the pointer then.
    const on = (name, handler) => addEventListener(name, (said) => {
      if (said.pointerId === one.id) handler(said);
    }, {signal, capture: true});
    on('pointermove', (move) => this.move(one, move));
    on('pointerup', (up) => this.up(one, up));
    on('pointercancel', () => this.end(one, 'cancel'));
    // On the target itself: it hears of its touch wherever it is.
    one.target.addEventListener('touchmove', (move) => {
      if (one.act && move.cancelable) move.preventDefault();
    }, {signal, passive: false});
    // Safari may tell the end of a touch to nobody else. Whichever comes first ends it.
    one.target.addEventListener('touchend', (up) => {
      const [{clientX, clientY}] = up.changedTouches;
      if (up.targetTouches.length === 0) this.up(one, {clientX, clientY, timeStamp: up.timeStamp, button: 0});
    }, {signal});
    one.target.addEventListener('touchcancel', (gone) => {
      if (gone.targetTouches.length === 0) this.end(one, 'cancel');
    }, {signal});
    if (!touch) {
      try {
        one.target.setPointerCapture(one.id);
      } catch { /* it has just gone up */
      }
    }
    if (thing.grip) this.begin(one, event, thing.lift?.(event));
    else if (!edge && touch && thing.lift) one.timer = setTimeout(() => this.held(one), this.hold());
    this.busy();
  }

  /** Held still for long enough: the row is lifted. */
  held(one) {
    one.timer = 0;
    if (one.act || !this.pointers.has(one.id)) return;
    const act = one.thing.lift({clientX: one.x, clientY: one.y, isHeld: true});
    if (act) this.begin(one, null, act);
    else one.dead = true;
  }

  begin(one, event, act) {
    clearTimeout(one.timer);
    one.act = act ?? null;
    if (!act) one.dead = true;
    else if (event) act.move?.(event.clientX, event.clientY);
  }

  move(one, event) {
    // A mouse without its button: the release was not heard, so nobody said that it be dropped here.
    if (!one.touch && (event.buttons & 1) === 0) {
      this.end(one, 'cancel');
      return;
    }
    one.velocity.add(event.clientX, event.clientY, event.timeStamp);
    if (one.act) {
      one.act.move(event.clientX, event.clientY);
      return;
    }
    if (one.dead) return;
    const said = verdict(event.clientX - one.x, event.clientY - one.y);
    if (!said) return;
    clearTimeout(one.timer);
    if (said === 'swipe' && !one.edge) {
      this.begin(one, event, one.thing.swipe?.(one.x, event.clientX - one.x));
    } else if (said === 'scroll' && !one.touch) this.begin(one, event, one.thing.lift?.(event));
    else one.dead = true;
  }

  up(one, event) {
    // A mouse's other button: the release of its own was not heard.
    if (!one.touch && event.button !== 0) {
      this.end(one, 'cancel');
      return;
    }
    const act = one.act;
    if (act) {
      const {x, y} = one.velocity.at(event.timeStamp);
      act.move(event.clientX, event.clientY);
      one.act = null;
      act.release(x, y);
    }
    this.end(one, act || one.dead ? 'acted' : 'tapped');
  }

  end(one, how, why = undefined) {
    clearTimeout(one.timer);
    one.ended.abort();
    this.pointers.delete(one.id);
    if (how === 'acted') this.endedAt = performance.now();
    if (how === 'tapped') this.tapped = {target: one.target, element: one.thing.element, at: performance.now()};
    const act = one.act;
    one.act = null;
    act?.cancel(why);
    one.thing.released?.();
    this.busy();
  }

  /** Puts back whatever is under way. Gives whether anything was. */
  cancelAll() {
    const acting = [...this.pointers.values()].filter((one) => one.act);
    for (const one of acting) this.end(one, 'acted');
    return acting.length > 0;
  }

  /** These things are no longer there to be touched: their pointers end, and it is told why. Gives whether any did. */
  endOn(isGone, why) {
    const gone = [...this.pointers.values()].filter((one) => isGone(one.thing));
    for (const one of gone) this.end(one, 'acted', why);
    return gone.length > 0;
  }

  /** A click that a swipe or a drag leaves behind is none. Clicks by keys and by readers have no detail. */
  click(event) {
    const {tapped} = this;
    this.tapped = null;
    if (event.detail === 0) return;
    const now = performance.now();
    const isLeft = now - this.endedAt < 80;
    // Chromium may give the click of a touch to the row below, once a banner has moved the list: what was
    // touched counts.
    const isElsewhere = tapped && now - tapped.at < 500 && !tapped.element.contains(event.target);
    if (!isLeft && !isElsewhere) return;
    event.stopPropagation();
    event.preventDefault();
    if (!isLeft && tapped.target.isConnected) tapped.target.dispatchEvent(new MouseEvent('click', event));
  }
}
