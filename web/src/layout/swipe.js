// Where swipe actions are, at any pull (docs/LAYOUT.md, "Looks" and "Frames of swipe actions"), and
// what a finger does to a row.

import {groupOf} from '../model/read.js';
import {circularFace, faceParts, faceWidth, sharedFaces, shownFace, soundInsets, standardFace} from './face.js';
import {MOST, bounded, said} from './numbers.js';
import {textWidth} from './text.js';

const WIDTH = 74, PADDING = 30, REVEALED = 0.5;
const CLAMPS = ['width', 'height', 'diameter', 'spacing', 'insets'];
const STYLES = new Set(['default', 'circular', 'custom']);

/** The first of the looks that says a value. */
function first(looks, key) {
  for (const look of looks) {
    const value = look?.[key];
    if (value !== undefined && value !== null && !(Array.isArray(value) && !value.length)) {
      return value;
    }
  }
  return undefined;
}

/** How wide a face is that a look names, in points. */
function lookWidth(looks, action, insets, profile, clamped) {
  const look = looks.find((one) => one && (one.intrinsic || one.faceWidth || typeof one.width === 'number'));
  if (!look) return WIDTH;
  if (typeof look.width === 'number') {
    const width = bounded(look.width);
    if (width !== look.width) clamped.add('width');
    return width > 0 ? width : WIDTH;
  }
  let needed;
  if (look.intrinsic) {
    needed = PADDING + textWidth(action.title ?? '', undefined, profile);
  } else {
    const face = action.face ?? standardFace(action);
    const sides = soundInsets(insets);
    needed = Math.max(faceWidth(face, profile) + sides[1] + sides[3], PADDING);
  }
  if (needed > MOST) clamped.add('width');
  return Math.min(needed, MOST);
}

/** A look in which every value is set: the action's, else the group's, else the table's. */
export function resolveLook(action, group, tableLook, profile = 'point') {
  const looks = [action.look, group?.look, tableLook];
  const clamped = new Set();
  const given = first(looks, 'insets');
  const width = lookWidth(looks, action, given, profile, clamped);
  const style = first(looks, 'style');
  const spacing = said(first(looks, 'spacing'), 0);
  const sound = Math.max(0, bounded(spacing));
  if (sound !== spacing) clamped.add('spacing');
  const insets = Array.isArray(given) && given.length === 4 ? given.map((one) => bounded(one)) : [0, 0, 0, 0];
  if (Array.isArray(given) && given.some((one, n) => !(one === insets[n] && one >= 0))) {
    clamped.add('insets');
  }
  return {style: STYLES.has(style) ? style : 'default', width, spacing: sound, insets, button: width + sound, clamped};
}

/** The values that all buttons of a pull view share. */
class Place {
  constructor({edge, pull, gap, rest, height, container, compatible}) {
    this.leading = edge === 'leading';
    this.pull = pull;
    this.rest = rest;
    this.container = container;
    this.scale = pull < rest ? pull / rest : 1;
    this.gap = pull < rest ? gap * (pull / rest) : gap;
    this.height = height;
    this.compatible = compatible;
  }

  /** The buttons' frames: at rest each has its own width, otherwise its share. */
  hits(looks) {
    const rest = looks.reduce((sum, look) => sum + look.button, 0);
    const room = Math.max(0, this.pull - this.gap);
    let sum = 0, from = 0;
    return looks.map(({button}) => {
      sum += button;
      const to = room === rest ? sum : room * (sum / rest);
      const wide = room === rest ? button : to - from;
      const hit = [this.leading ? from : Math.max(0, this.pull - to), 0, wide, this.height];
      from = to;
      return hit;
    });
  }

  /**
   * The x in the button of a face beside which that much room is left: up to the rest at the inner
   * side, away from the row's edge. Until the row is fully revealed it goes from the room to 0 at the
   * leading edge, and from 0 to the spacing at the trailing one (A13).
   */
  shift(room, spacing) { return this.leading ? room * (1 - this.revealed(room)) : spacing * this.revealed(spacing); }

  /**
   * How far the row is on its way from its rest, 0, to fully revealed, 1. On it a face moves by so
   * many points. The way is at least as long as that, so that no face jumps.
   */
  revealed(points) {
    const end = this.container - REVEALED, start = Math.min(this.rest, end - points);
    return start < end ? Math.min(Math.max((this.pull - start) / (end - start), 0), 1) : 1;
  }

  face(look, hit, clamped) {
    if (look.style === 'circular') return this.circle(look, hit, clamped);
    if (look.style === 'custom') return this.custom(look, hit, clamped);
    const spacing = look.spacing * this.scale;
    return [hit[0] + this.shift(spacing, spacing), 0, Math.max(0, hit[2] - spacing), this.height];
  }

  circle(look, hit, clamped) {
    const {width, spacing} = look, height = this.height;
    if (this.compatible) {
      return [hit[0] + this.shift(spacing, spacing), height / 2 - (width + spacing) / 2 + spacing / 2, width, width];
    }
    if (height < width) clamped.add('diameter');
    const diameter = Math.min(width * this.scale, height);
    return [
      hit[0] + this.shift(look.button * this.scale - diameter, spacing * this.scale), (height - diameter) / 2, diameter,
      diameter
    ];
  }

  custom(look, hit, clamped) {
    const [top, left, bottom, right] = this.compatible ? look.insets : soundInsets(look.insets);
    const scale = this.compatible ? 1 : this.scale;
    const width = look.width - left - right;
    if (width < 0) clamped.add('width');
    const fitting = this.height - top - bottom;
    if (fitting <= 0) clamped.add('height');
    // The article measures from the button's left, whatever the edge and the spacing.
    const spacing = look.spacing * scale;
    const x = this.compatible ? left : this.shift(spacing, spacing) + Math.min(left, look.width) * scale;
    return [
      hit[0] + x, fitting > 0 || this.compatible ? top : 0, Math.max(0, width) * scale,
      fitting > 0 ? fitting : this.height
    ];
  }
}

function within(value, most, other) { return Number.isNaN(value) ? other : Math.min(Math.max(value, 0), most); }

/** Lays out a group whose faces are filled in. `pull` undefined: as far as it rests. */
export function groupFrames(group, {edge, height, width, pull, tableLook, profile = 'point'}) {
  const looks = group.actions.map((action) => resolveLook(action, group, tableLook, profile));
  const gap = Math.max(0, bounded(said(group.gap, 0)));
  const rest = looks.reduce((sum, look) => sum + look.button, 0) + gap;
  const most = Math.max(MOST, rest);
  const open = pull === undefined ? rest : within(pull, most, rest);
  const high = within(height, MOST, 0);
  const container = within(width, most, 0);
  const revealed = Math.abs(open - container) < REVEALED;
  const place =
    new Place({edge, pull: open, gap, rest, height: high, container, compatible: group.compatible === true});
  const actions = place.hits(looks).map((hit, n) => {
    const action = group.actions[n], look = looks[n], clamped = new Set(look.clamped);
    const face = place.face(look, hit, clamped);
    const own = look.style === 'custom' ? action.face : undefined;
    const content = look.style === 'circular' ? circularFace(action) : own || standardFace(action);
    return {
      id: action.id,
      action,
      style: look.style,
      hit,
      face,
      radius: look.style === 'circular' ? face[2] / 2 : 0,
      clamped: CLAMPS.filter((name) => clamped.has(name)),
      parts: faceParts(content, face, action.foreground, profile)
    };
  });
  return {
    edge,
    pull: open,
    rest,
    gap: place.gap,
    revealed,
    background: group.background,
    full: group.fullSwipe === true,
    actions
  };
}

/** The group at an edge of a row, with what its faces show of the row; null: no actions. */
export function shownGroup(table, row, edge, nowMs) {
  const group = groupOf(row, table.kindOf(row), edge);
  if (!group) return null;
  if (!group.actions.some((action) => action.face)) return group;
  const faces = sharedFaces(table.settings);
  return {
    ...group,
    actions:
      group.actions.map((action) => (action.face ? {...action, face: shownFace(action, row, faces, nowMs)} : action))
  };
}

/** Where the actions of a row are, at a pull; null: it has none at that edge. */
export function swipeFrames({table, row, edge, height, width, pull, profile, nowMs}) {
  const group = shownGroup(table, row, edge, nowMs);
  if (!group) return null;
  return groupFrames(group, {edge, height, width, pull, profile, tableLook: table.settings.look});
}

/** How far a row rests open, in points; 0: it has no actions there. */
export function restOf({table, row, edge, profile = 'point', nowMs}) {
  const group = shownGroup(table, row, edge, nowMs);
  if (!group) return 0;
  const gap = Math.max(0, bounded(said(group.gap, 0)));
  return group.actions.reduce((sum, action) => sum + resolveLook(action, group, table.settings.look, profile).button, 0)
    + gap;
}

// Rules for fingers, which are the page's own.

const BAND = 0.55, FULL_PART = 0.6, FULL_BEYOND = 24, FLING_SECONDS = 0.12;

/**
 * How far a row is open that a finger has dragged so far: with the finger up to its rest, and to
 * the end with a full swipe; else ever harder, as a rubber band.
 */
export function pullFor({dragged, rest, width, full}) {
  if (!(dragged > 0)) return 0;
  if (rest <= 0) return rubber(dragged, width);
  if (dragged <= rest) return dragged;
  if (full) return Math.min(dragged, Math.max(rest, width));
  return rest + rubber(dragged - rest, Math.max(0, width - rest));
}

/** How far a pull beyond an end goes, ever harder: never as far as `room`. */
export function rubber(beyond, room) { return room > 0 ? (1 - 1 / (beyond * BAND / room + 1)) * room : 0; }

/** Would the first action be performed if the finger let go here? Announce it before it does. */
export function announces({pull, rest, width, full}) {
  return Boolean(full) && pull >= Math.max(width * FULL_PART, rest + FULL_BEYOND);
}

/**
 * Decides the effect of letting go: `open`, `close` or `perform`. The velocity is in points a second, opening.
 */
export function release({pull, velocity = 0, rest, width, full}) {
  if (announces({pull, rest, width, full}) && velocity > -width) return 'perform';
  return rest > 0 && pull + velocity * FLING_SECONDS > rest / 2 ? 'open' : 'close';
}
