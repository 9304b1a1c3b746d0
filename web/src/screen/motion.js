/** Springs. State never waits for a motion: each can be cut short at any time, where it stands. */

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether people asked for less motion: then things are where they go, at once. */
export function isReduced() { return reduced.matches || document.documentElement.dataset.motion === 'none'; }

const CURVE = 'cubic-bezier(0.3, 0.7, 0.3, 1)';
/** Where a row comes from, or goes to, by its hint (F2). */
const WAYS = {
  left: '-100% 0',
  right: '100% 0',
  top: '0 -100%',
  bottom: '0 100%'
};

/** How a row looks that is not there yet, or no more. What goes up or down passes behind its neighbours. */
function absent(hint) {
  if (Object.hasOwn(WAYS, hint)) return {translate: WAYS[hint], zIndex: -1};
  return hint === 'out' ? {} : {opacity: 0};
}

/** Between a row that is there and one that looks like `away`. Gives the animation; null: there is none. */
function animated(element, hint, away, seconds, wait, fill) {
  if (isReduced() || seconds <= 0 || document.hidden || hint === 'none') return null;
  const there = away.zIndex ? {zIndex: -1} : {};
  return element.animate(fill === 'forwards' ? [there, away] : [away, there],
    {duration: seconds * 1000, delay: wait * 1000, easing: CURVE, fill});
}

/** A row comes, as its hint says. */
export function comes(element, hint, seconds, wait) {
  animated(element, hint, absent(hint), seconds, wait, 'backwards');
}

/** A row goes, as its hint says, and its place closes. Gives the animation; null: there is none. */
export function goes(element, hint, seconds, wait) {
  const away = {...absent(hint), ...(hint === 'top' || hint === 'bottom' ? {} : {height: '0px'})};
  return animated(element, hint, away, seconds, wait, 'forwards');
}

const running = new Set();
let frame = 0;

/** One callback for all motions of a frame. */
function step(time) {
  frame = 0;
  for (const motion of [...running]) motion.step(time);
  if (running.size) frame = requestAnimationFrame(step);
}

/**
 * Moves a value to `target`, critically damped, within about `seconds`. `velocity` is in units a second.
 * `draw(value)` is called once a frame, and `end()` at the end; not if it was stopped.
 */
export function spring({from, target, velocity = 0, seconds = 0.3, draw, end}) {
  if (isReduced() || seconds <= 0 || document.hidden) {
    draw(target);
    end?.();
    return {stop() {}, value: target};
  }
  const stiffness = 7.4 / seconds;
  const motion = {
    value: from,
    velocity,
    last: 0,
    step(time) {
      const now = motion.last ? Math.min(0.064, (time - motion.last) / 1000) : 1 / 60;
      motion.last = time;
      const offset = motion.value - target;
      const pace = motion.velocity + stiffness * offset;
      const decay = Math.exp(-stiffness * now);
      motion.value = target + (offset + pace * now) * decay;
      motion.velocity = (motion.velocity - pace * stiffness * now) * decay;
      if (Math.abs(motion.value - target) < 0.3 && Math.abs(motion.velocity) < 8) {
        motion.stop();
        draw(target);
        end?.();
      } else draw(motion.value);
    },
    stop() { running.delete(motion); },
  };
  running.add(motion);
  if (!frame) frame = requestAnimationFrame(step);
  return motion;
}

/** Velocity of a pointer from its last moves: in pixels a second. */
export class Velocity {
  #moves = [];

  add(x, y, time) {
    this.#moves.push({x, y, time});
    while (this.#moves.length > 2 && time - this.#moves[0].time > 90) this.#moves.shift();
  }

  at(time) {
    const [first] = this.#moves;
    const last = this.#moves.at(-1);
    if (!first || time - last.time > 90 || last.time - first.time < 4) return {x: 0, y: 0};
    const seconds = (last.time - first.time) / 1000;
    return {x: (last.x - first.x) / seconds, y: (last.y - first.y) / seconds};
  }
}
