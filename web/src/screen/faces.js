/** The buttons that a swipe uncovers: frames and parts of faces come from the layout. */
import {motionOf} from '../layout/motion.js';
import {swipeFrames} from '../layout/swipe.js';
import {color, contrast, el, setAttribute, setBox, setText, svg} from './dom.js';
import {icon} from './icons.js';
import {isReduced} from './motion.js';

/** The page's font has two weights. */
const BOLD = new Set(['medium', 'semibold', 'bold', 'heavy', 'black']);

/** Draws the buttons of one edge into a row's pull view; keeps their elements while it is held. */
export class Buttons {
  /** `perform(action, edge, event)`; `barred(action)`: why it can not be performed here, or null. */
  constructor(perform, barred = () => null) {
    this.element = el('div', {class: 'pull'});
    this.perform = perform;
    this.barred = barred;
    this.clear();
  }

  clear() {
    this.element.hidden = true;
    this.element.replaceChildren();
    this.kept = [];
    this.drawn = '';
    this.pull = this.revealed = undefined;
  }

  /** `context` is what the layout wants; `armed`: the first action is what letting go performs. */
  draw(context, armed, scale) {
    const frames = swipeFrames({...context, pull: context.pull, profile: 'point'});
    if (!frames) {
      this.element.style.width = '0px';
      return null;
    }
    const style = this.element.style;
    style.setProperty(context.edge === 'leading' ? 'left' : 'right', '0px');
    style.setProperty(context.edge === 'leading' ? 'right' : 'left', 'auto');
    style.width = `${frames.pull * scale}px`;
    style.background = color(frames.background) ?? '';
    const key =
      JSON.stringify([context.edge, context.row.id, context.row.version, frames.actions.map((one) => one.id)]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.fill(frames.actions);
    }
    const motion = motionOf(context.table.settings);
    // With the finger a face goes at once: it is where the layout has it. It goes by itself where that changes.
    const isPulled = this.pull !== frames.pull && this.revealed === frames.revealed;
    this.pull = frames.pull;
    this.revealed = frames.revealed;
    frames.actions.forEach((one, index) => {
      const kept = this.kept[index];
      this.glide(kept, one, isPulled ? {} : {circular: motion.circular, custom: motion.face}, motion.circularFirst);
      this.place(this.kept[index], one, index === 0 && armed, frames, scale);
    });
    return frames;
  }

  /** In how many seconds a face goes to another place; `first`: a circle that is seen for the first time. */
  glide(kept, frame, times, first) {
    const stands = [frame.face[0] - frame.hit[0], ...frame.face.slice(1)].join();
    if (stands === kept.stands) return;
    const isFirst = kept.stands === undefined;
    kept.stands = stands;
    const seconds = isFirst || isReduced() ? 0 : times[frame.style] ?? 0;
    const parts = ['left', 'top', 'width', 'height'].map((one) => `${one} ${seconds}s`);
    kept.face.style.transition = seconds > 0 ? parts.join(', ') : 'none';
    if (!isFirst || frame.style !== 'circular' || first <= 0 || isReduced()) return;
    kept.face.animate([{scale: '0'}, {}], {duration: first * 1000, easing: 'ease-out'});
  }

  /** Makes as many buttons as there are actions; those that are there stay elements of the document. */
  fill(actions) {
    while (this.kept.length < actions.length) {
      const face = el('span', {class: 'face'});
      const below = el('span', {class: 'below', 'aria-hidden': 'true'});
      const button = el('button', {class: 'action', tabindex: '-1'}, face, below);
      const kept = {button, face, below, id: '', drawn: ''};
      button.addEventListener('click', (event) => this.perform(kept.id, kept.edge, event));
      this.kept.push(kept);
      this.element.append(button);
    }
    this.kept.forEach((one, index) => {
      one.button.hidden = index >= actions.length;
    });
  }

  place(kept, frame, armed, frames, scale) {
    const {action} = frame;
    kept.id = action.id;
    kept.edge = frames.edge;
    const bar = this.barred(action);
    // An action that cannot be performed now keeps its place, without its colour.
    const own = bar ? {} : action;
    const back = color(own.background) ?? (own.role === 'destructive' ? '#c0271d' : '#5f6470');
    const front = color(own.foreground) ?? contrast(back);
    const whole = frames.actions.length > 0 && armed;
    const hit = whole ? [0, 0, frames.pull, frame.hit[3]] : frame.hit;
    kept.button.style.zIndex = whole ? 2 : '';
    setBox(kept.button, hit, scale);
    const isBlock = frame.style === 'default';
    const [left, top, ...size] = frame.face;
    const face = [whole ? left : left - frame.hit[0], top - frame.hit[1], ...size];
    setBox(kept.face, whole && isBlock ? [0, 0, hit[2], hit[3]] : face, scale);
    kept.button.style.background = whole ? back : '';
    kept.face.style.background = back;
    kept.face.style.color = front;
    kept.face.style.borderRadius = frame.radius > 0 ? `${frame.radius * scale}px` :
      frame.style === 'custom' ? `${10 * scale}px` :
                                 '0px';
    setAttribute(kept.button, 'aria-label', action.title || action.id);
    setAttribute(kept.button, 'aria-disabled', bar ? 'true' : null);
    this.parts(kept, frame, front, scale);
    const room = frame.hit[3] - (frame.face[1] + frame.face[3]);
    const label = frame.style === 'circular' && room >= 13 && frame.hit[2] >= 44 ? action.title ?? '' : '';
    setText(kept.below, label);
    kept.below.style.top = `${(frame.face[1] + frame.face[3]) * scale}px`;
  }

  /** Texts, icons and images of a face, each an element of its own where the layout has it. */
  parts(kept, frame, front, scale) {
    const {parts} = frame;
    const key =
      JSON.stringify(parts.map((one) => [one.kind, one.content, one.size, one.weight, one.color, one.image])) + front;
    if (kept.drawn !== key) {
      kept.drawn = key;
      kept.boxes = parts.map((part) => drawPart(part, front, scale));
      kept.face.replaceChildren(...kept.boxes);
    }
    parts.forEach((part, index) => {
      const [x, y, width, height] = part.frame;
      const wide = part.kind === 'text' && !part.isClipped ? 6 : 0;
      const box = [x - frame.face[0] - wide, y - frame.face[1], width + 2 * wide, height];
      setBox(kept.boxes[index], box, scale);
    });
  }
}

function drawPart(part, front, scale) {
  const box = el('span', {class: 'part'});
  const style = box.style;
  const [, , width, height] = part.frame;
  style.color = color(part.color) ?? front;
  if (part.kind === 'icon') box.append(icon(part.content, part.size * scale));
  else if (part.kind === 'image') {
    const drawn = image(part.image ?? {}, width * scale, height * scale, color(part.color));
    if (drawn) box.append(drawn);
  } else {
    setText(box, part.content ?? '');
    style.fontSize = `${part.size * scale}px`;
    style.lineHeight = `${((part.size * 4) / 3) * scale}px`;
    style.fontWeight = BOLD.has(part.weight) ? 700 : 400;
    if (part.italic) style.fontStyle = 'italic';
    if (part.family?.length)
      style.fontFamily = [...part.family.map((one) => JSON.stringify(one)), 'var(--font)'].join(', ');
  }
  return box;
}

/** An image of the face's own: a shape, or pixels. Nothing of it is markup. */
function image(said, width, height, own) {
  if (typeof said.path === 'string') {
    const [across = 24, down = 24] = said.grid ?? [];
    const shape = svg('path', {d: said.path});
    shape.style.fill = said.template ? 'currentColor' : own ?? '#000';
    return svg('svg', {viewBox: `0 0 ${Number(across)} ${Number(down)}`, width, height, 'aria-hidden': 'true'}, shape);
  }
  if (typeof said.png !== 'string' || !/^[A-Za-z0-9+/_=-]*$/.test(said.png)) return null;
  const drawn = el('img', {alt: '', draggable: 'false', width, height});
  drawn.src = `data:image/png;base64,${said.png}`;
  return drawn;
}
