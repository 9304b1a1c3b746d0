// Faces of swipe actions: shared ones put in, texts filled in from the row, and the parts with
// their places (docs/FACES.md; docs/LAYOUT.md, "Faces").

import {fieldOf} from '../model/read.js';
import {ageText} from './motion.js';
import {MOST, bounded, said} from './numbers.js';
import {template} from './rowface.js';
import {SIZE, chosenFont, iconSize, lineHeight, monoWidth, textWidth} from './text.js';

const LEVELS = 32, PARTS = 4096, VALUE_BYTES = 65536, GAP = 4;
const isText = (value) => typeof value === 'string';
const NOTHING = Object.freeze({vertical: {parts: []}});

const encoder = new TextEncoder();

/** The kind of a face, and its content. */
function contentOf(face) {
  if (typeof face !== 'object' || face === null) return ['vertical', []];
  for (const kind of ['vertical', 'horizontal']) {
    const stack = face[kind];
    if (stack) return [kind, Array.isArray(stack.parts) ? stack.parts : []];
  }
  for (const kind of ['icon', 'text', 'face']) {
    if (typeof face[kind] === 'string') return [kind, face[kind]];
  }
  if (face.image && typeof face.image === 'object') return ['image', face.image];
  if (typeof face.spacer === 'number') return ['spacer', face.spacer];
  return ['vertical', []];
}

/** Fills in one action's face. */
class Filling {
  constructor(row, faces, nowMs) {
    this.row = row;
    this.faces = faces;
    this.nowMs = nowMs;
    this.room = VALUE_BYTES;
    this.parts = PARTS;
  }

  face(face, levels) {
    if (levels <= 0 || this.parts <= 0) return NOTHING;
    this.parts -= 1;
    const [kind, content] = contentOf(face);
    if (kind === 'text') return {...face, text: this.text(content)};
    if (kind === 'vertical' || kind === 'horizontal') {
      return {...face, [kind]: {parts: content.map((part) => this.face(part, levels - 1))}};
    }
    if (kind !== 'face') return face;
    const shared = this.faces.get(content) ?? NOTHING;
    const filled = {...this.face(shared, levels - 1)};
    for (const key of ['size', 'weight', 'color', 'align', 'spacing', 'italic']) {
      if (face[key] !== undefined) filled[key] = face[key];
    }
    for (const key of ['insets', 'family']) {
      if (Array.isArray(face[key]) && face[key].length) filled[key] = face[key];
    }
    return filled;
  }

  text(text) {
    const pieces = template(text);
    if (!pieces) return text;
    return pieces.map((piece) => (typeof piece === 'string' ? piece : this.fitting(this.value(piece.name)))).join('');
  }

  value(name) {
    const row = this.row;
    if (name === 'title') return row.title ?? '';
    if (name !== 'age') return fieldOf(row, name) ?? '';
    if (this.nowMs === undefined || !(row.createdMs > 0)) return '';
    return ageText(Math.max(0, Math.floor((this.nowMs - row.createdMs) / 1000)));
  }

  fitting(value) {
    const bytes = encoder.encode(value).length;
    if (bytes <= this.room) {
      this.room -= bytes;
      return value;
    }
    let cut = '';
    for (const scalar of value) {
      const more = encoder.encode(scalar).length;
      if (more > this.room) break;
      this.room -= more;
      cut += scalar;
    }
    this.room = 0;
    return cut;
  }
}

/** The shared faces of a table's settings, by name. */
export function sharedFaces(settings) {
  const faces = new Map();
  if (!Array.isArray(settings?.faces)) return faces;
  for (const one of settings.faces)
    if (one?.face) faces.set(one.name, one.face);
  return faces;
}

/** An action's face as a row shows it; undefined: it has none. */
export function shownFace(action, row, faces, nowMs) {
  if (!action.face) return undefined;
  return new Filling(row, faces, nowMs).face(action.face, LEVELS);
}

/** The face of an action that has none of its own: its icon above its title. */
export function standardFace(action) {
  const parts = [];
  if (action.icon !== undefined) parts.push({icon: action.icon});
  if (action.title) parts.push({text: action.title});
  return {vertical: {parts}};
}

/** The face that fits a circle: the icon alone, or the title. */
export function circularFace(action) {
  return action.icon === undefined ? {text: action.title ?? ''} : {icon: action.icon};
}

/** Top, left, bottom, right: each from 0 up to the bound. */
export function soundInsets(insets) {
  if (!Array.isArray(insets) || insets.length !== 4) return [0, 0, 0, 0];
  return insets.map((one) => Math.max(0, bounded(one)));
}

/** Width divided by height of an image: of its grid, or of a PNG's pixels. */
export function aspectOf(image) {
  const isGrid = Array.isArray(image.grid) && image.grid.length === 2;
  let [width, height] = isGrid ? image.grid : [24, 24];
  if (typeof image.png === 'string') {
    try {
      const head = atob(image.png.slice(0, 32));
      const at = (n) => head.charCodeAt(n) * 16777216 + head.charCodeAt(n + 1) * 65536 + head.charCodeAt(n + 2) * 256
        + head.charCodeAt(n + 3);
      if (head.length >= 24) [width, height] = [at(16), at(20)];
    } catch {
      // It is no base64: an image that is none has the aspect of its grid.
    }
  }
  const ratio = width / height;
  return Number.isFinite(ratio) && ratio > 0 ? ratio : 1;
}

function alignment(name) {
  if (['leading', 'left', 'top', 'start'].includes(name)) return 0;
  return ['trailing', 'right', 'bottom', 'end'].includes(name) ? 1 : 0.5;
}

/** A face with its natural size. */
class Node {
  constructor(face, outer, profile, levels) {
    const own = {
      size: typeof face.size === 'number' ? face.size : outer.size,
      weight: typeof face.weight === 'string' ? face.weight : outer.weight,
      color: typeof face.color === 'string' ? face.color : outer.color,
      italic: said(face.italic, outer.italic),
      family: Array.isArray(face.family) && face.family.length ? face.family.filter(isText) : outer.family,
    };
    this.profile = profile;
    this.part = null;
    this.nodes = null;
    this.spacer = null;
    this.insets = soundInsets(face.insets);
    const [kind, content] = contentOf(face);
    if (kind === 'vertical' || kind === 'horizontal') this.stack(face, kind, content, own, levels);
    else this.leaf(face, kind, content, own);
    const [top, left, bottom, right] = this.insets;
    this.width = Math.min(this.width + left + right, MOST);
    this.height = Math.min(this.height + top + bottom, MOST);
  }

  stack(face, kind, parts, own, levels) {
    this.vertical = kind === 'vertical';
    this.align = alignment(face.align);
    this.nodes = levels > 1 ? parts.map((part) => new Node(part, own, this.profile, levels - 1)) : [];
    const usual = this.profile === 'cell' ? 0 : GAP;
    this.spacing = Math.max(0, bounded(said(face.spacing, usual), usual));
    let along = this.spacing * Math.max(0, this.nodes.length - 1), across = 0;
    for (const node of this.nodes) {
      along += node.length(this.vertical);
      across = Math.max(across, node.length(!this.vertical));
    }
    [this.width, this.height] = this.vertical ? [across, along] : [along, across];
  }

  leaf(face, kind, content, own) {
    this.width = this.height = 0;
    if (kind === 'icon') {
      [this.width, this.height] = iconSize(own.size, this.profile);
      this.part = this.made('icon', content, own, said(own.size, this.height));
    } else if (kind === 'text') {
      const family = own.family ?? [];
      const font = chosenFont(family, this.profile);
      const measure = font.mono ? monoWidth : textWidth;
      this.width = measure(content, own.size, this.profile);
      this.height = lineHeight(own.size, this.profile);
      this.part = {
        ...this.made('text', content, own, said(own.size, SIZE)),
        family,
        italic: own.italic === true,
        substituted: font.substituted
      };
    } else if (kind === 'image') {
      [this.width, this.height] = iconSize(own.size, this.profile);
      if (this.profile !== 'cell') {
        this.width = bounded(this.height * aspectOf(content), 20);
      }
      const colour = typeof face.color === 'string' ? face.color : 'black';
      const look = content.template === true ? own : {color: colour};
      this.part = {...this.made('image', '', look, said(own.size, this.height)), image: content};
    } else {
      this.spacer = kind === 'spacer' ? Math.max(0, bounded(content)) : 0;
    }
  }

  made(kind, content, look, size) {
    return {
      kind,
      content,
      size: size > 0 && size <= MOST ? size : SIZE,
      weight: look.weight,
      color: look.color,
      substituted: []
    };
  }

  length(vertically) {
    if (this.spacer !== null) {
      const [top, left, bottom, right] = this.insets;
      return this.spacer + (vertically ? top + bottom : left + right);
    }
    return vertically ? this.height : this.width;
  }

  place(outer, parts) {
    if (this.spacer !== null) return;
    const [top, left, bottom, right] = this.insets;
    const rect = inset(outer, this.insets);
    if (this.part) {
      const isClipped = rect[2] < this.width - left - right - 1e-6 || rect[3] < this.height - top - bottom - 1e-6;
      parts.push({...this.part, frame: rect, isClipped});
      return;
    }
    let at = this.vertical ? rect[1] : rect[0];
    for (const node of this.nodes) {
      const along = node.length(this.vertical);
      const room = this.vertical ? rect[2] : rect[3];
      const across = node.spacer === null ? Math.min(node.length(!this.vertical), room) : 0;
      const off = (room - across) * this.align;
      const frame = this.vertical ? [rect[0] + off, at, across, along] : [at, rect[1] + off, along, across];
      node.place(clip(frame, rect), parts);
      at += along + this.spacing;
    }
  }
}

function inset([x, y, width, height], [top, left, bottom, right]) {
  const l = Math.min(left, width), t = Math.min(top, height);
  return [x + l, y + t, Math.max(0, width - l - right), Math.max(0, height - t - bottom)];
}

function clipAlong(start, length, least, most) {
  const slack = 1e-10 * Math.max(1, most);
  if (start >= least - slack && start + length <= most + slack) return [start, length];
  const from = Math.min(Math.max(start, least), most);
  return [from, Math.max(0, Math.min(start + length, most) - from)];
}

function clip([x, y, width, height], [ox, oy, ow, oh]) {
  const [left, wide] = clipAlong(x, width, ox, ox + ow);
  const [top, high] = clipAlong(y, height, oy, oy + oh);
  return [left, top, wide, high];
}

/** The parts of a face centred in a rectangle: [{kind, content, frame, size, …}]. */
export function faceParts(face, rect, color, profile = 'point') {
  const node = new Node(face, {color}, profile, LEVELS);
  const width = Math.min(node.width, rect[2]), height = Math.min(node.height, rect[3]);
  const parts = [];
  node.place([rect[0] + (rect[2] - width) / 2, rect[1] + (rect[3] - height) / 2, width, height], parts);
  return parts;
}

/** Width of a face that has all the room it needs, in points. */
export function faceWidth(face, profile = 'point') { return new Node(face, {}, profile, LEVELS).width; }
