/** A row's swipe on this screen: how far it is pulled, and where it is going. */
import {announces, pullFor, release, restOf, rubber} from '../layout/swipe.js';
import {spring} from './motion.js';

const OUT_SECONDS = 0.2;

export class Swipe {
  /** `host`: {context(edge) → what restOf wants or null, draw(), full(edge), done(edge|null, how)}. */
  constructor(host) {
    this.host = host;
    this.clear();
  }

  get isOpen() { return this.edge !== null && this.pull > 0; }

  /** Forgets everything, for another row. */
  clear() {
    this.motion?.stop();
    this.motion = null;
    this.pull = 0;
    this.edge = null;
    this.held = this.armed = false;
    /** Let go at its end: it goes on out, and stays there until it is known what became of it. */
    this.performing = false;
  }

  /** Seconds until a row that was let go at its end is out. */
  get left() { return this.motion ? Math.max(0, OUT_SECONDS - (performance.now() - this.letAt) / 1000) : 0; }

  /** How far an edge is open at rest; 0: there is nothing to open. */
  rest(edge) {
    const context = this.host.context(edge);
    return context ? Math.max(0, Math.min(restOf(context) ?? 0, context.width * 0.86, this.host.most?.() ?? Infinity)) :
                     0;
  }

  /** A finger takes the row. Gives the gesture: {move, release, cancel}. */
  begin(startX) {
    this.motion?.stop();
    this.motion = null;
    this.held = true;
    this.performing = false;
    this.first = null;
    const before = {edge: this.edge, pull: this.pull};
    const base = this.edge === 'leading' ? this.pull : -this.pull;
    const width = this.host.width();
    return {
      move: (x) => this.drag(base + (x - startX), width),
      release: (velocity) => this.let(velocity, width),
      cancel: () => {
        this.held = this.armed = false;
        this.settle(before.edge, 0, true);
      },
    };
  }

  /** The row's content stands `offset` points to the right of where it belongs. */
  drag(offset, width) {
    const edge = offset >= 0 ? 'leading' : 'trailing';
    const rest = this.rest(edge);
    const far = Math.abs(offset);
    const full = this.host.full(edge);
    const was = this.armed;
    this.edge = edge;
    this.first ??= edge;
    this.pull = rest === 0 ? rubber(far, 40) : pullFor({dragged: far, rest, width, full});
    this.armed = rest > 0 && Boolean(announces({pull: this.pull, rest, width, full}));
    if (this.armed !== was) {
      navigator.vibrate?.(12);
      this.host.armed(this.armed);
    }
    this.host.draw();
  }

  let(velocity, width) {
    const edge = this.edge;
    this.held = false;
    const rest = edge ? this.rest(edge) : 0;
    // A throw that shuts a row does not open its other side; only a pull does.
    const thrown = edge !== this.first && this.pull < rest / 2;
    if (!edge || rest === 0 || thrown) {
      this.armed = false;
      this.settle(null, 0);
      this.host.settled(null);
      return;
    }
    const outward = edge === 'leading' ? velocity : -velocity;
    const full = this.host.full(edge);
    const what = release({pull: this.pull, velocity: outward, rest, width, full});
    if (what === 'perform' && this.armed) {
      this.performing = true;
      this.letAt = performance.now();
      this.to(edge, width, Math.max(outward, 0), OUT_SECONDS);
      this.host.perform(edge);
      return;
    }
    this.armed = false;
    this.settle(what === 'close' ? null : edge, what === 'close' ? Math.min(outward, 0) : outward);
    this.host.settled(what === 'close' ? null : edge);
  }

  /** Goes to where it is open at an edge, or closes. */
  settle(edge, velocity = 0, slow = false) {
    if (this.held || this.performing) return;
    // A row that comes back looks as it did when it was let go, until it is closed.
    if (edge !== null || this.target !== 0 || !this.motion) this.armed = false;
    if (edge === null) this.to(this.edge, 0, velocity, slow ? 0.3 : 0.26);
    else {
      if (this.edge !== edge && this.pull > 0.5) this.pull = 0;
      this.edge = edge;
      this.to(edge, this.rest(edge), velocity, slow ? 0.3 : 0.26);
    }
  }

  /** The row comes back: its action has left it in its place, or was refused. */
  back() {
    this.performing = false;
    if (this.pull > 0 && !this.held) this.to(this.edge, 0, 0, 0.3);
  }

  to(edge, target, velocity, seconds) {
    this.motion?.stop();
    this.target = target;
    this.motion = spring({
      from: this.pull,
      target,
      velocity,
      seconds,
      draw: (value) => {
        this.pull = Math.max(0, value);
        this.host.draw();
      },
      end: () => {
        this.motion = null;
        if (target === 0) {
          this.edge = null;
          this.armed = false;
        }
        this.host.draw();
      },
    });
  }
}
