// Heights of rows, and the lines in them (docs/LAYOUT.md, "Heights of rows").

import {statesOf} from '../model/read.js';
import {bounded, heightUnits, said} from './numbers.js';
import {closedPoints, foot, hasTextHeights, isPlain, ownColor, rowFace, rowText, showOf} from './rowface.js';
import {SIZE, lineCount, lineHeight, textWidth} from './text.js';

const HEIGHT = 60, TEXT_MARGIN = 20, BOTTOM_MARGIN = 40;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NO_NUMBER = /^[+-]?(nan(\([^)]*\))?|inf(inity)?)$/i;

/** A state as text: `collapsed`, `expanded`, a height, or a name. */
export function parseState(text) {
  if (text === undefined || text === 'collapsed') return {state: 'collapsed'};
  if (text === 'expanded') return {state: 'expanded'};
  if (NUMBER.test(text)) return {state: 'height', height: Number(text)};
  if (NO_NUMBER.test(text)) return {state: 'height', height: /^\+?i/i.test(text) ? Infinity : 0};
  return {state: 'named', name: text};
}

/** The height of a kind's collapsed rows, in points. */
export function kindHeight(kind) { return bounded(said(kind?.height, HEIGHT)); }

/** Where the lines of a row's text are. */
function place(kind, width, profile) {
  const line = lineHeight(SIZE, profile);
  const left = Math.max(0, bounded(said(kind?.margins?.text, TEXT_MARGIN)));
  return {
    line,
    left,
    width: Math.max(0, bounded(width) - 2 * left),
    top: Math.max(0, (kindHeight(kind) - line) / 2),
    high: kindHeight(kind),
  };
}

function hasTitle(row, kind) { return kind?.layout !== 'manual' || Boolean(row.title); }

/** Is the row's height that of its text, which has to be measured? */
export function isMeasured(row, kind) { return row.expand === 'expanded' || hasTextHeights(kind); }

function linesHeight(count, kind, at) {
  const bottom = count === 0 ? 0 : at.top + count * at.line;
  return bottom + bounded(said(kind?.margins?.bottom, BOTTOM_MARGIN));
}

/** The height that a state has by itself, in points. */
function stateHeight(row, kind) {
  const {expand} = row;
  if (expand === undefined || expand === 'collapsed') return kindHeight(kind);
  const parsed = parseState(expand);
  if (parsed.state === 'height') return parsed.height;
  const state = statesOf(row, kind).find((one) => one.name === parsed.name);
  const own = state && state.height !== undefined && state.height !== null;
  return own ? bounded(state.height) : kindHeight(kind);
}

/** Lines of an expanded row of a kind that says nothing of its face. */
function plainCount(row, kind, at, profile) {
  let count = hasTitle(row, kind) ? lineCount(row.title ?? '', at.width, SIZE, profile) : 0;
  for (const key in row.fields ?? {}) count += lineCount(`${key}: ${row.fields[key]}`, at.width, SIZE, profile);
  return count;
}

/** The height of a row, in units of 1/1024 point. */
export function rowUnits(row, kind, width, profile = 'point') {
  const {expand} = row;
  const open = expand !== undefined && expand !== 'collapsed';
  const texts = hasTextHeights(kind);
  if (expand !== 'expanded' && !texts) return heightUnits(stateHeight(row, kind));
  const at = place(kind, width, profile);
  if (!texts && !kind?.show) return heightUnits(linesHeight(plainCount(row, kind, at, profile), kind, at));
  if (!open && isPlain(row, kind, at, profile)) return heightUnits(kindHeight(kind));
  const face = rowFace(row, kind);
  const text = rowText(face, kind, open, at, profile);
  if (expand === 'expanded') {
    const count = text.fields.reduce((sum, one) => sum + one.lines.length, text.first);
    return heightUnits(linesHeight(count, kind, at));
  }
  const points = stateHeight(row, kind);
  if (!open) return heightUnits(closedPoints(text, points, at, profile));
  if (face.emphasised.length === 0 && !face.row) return heightUnits(points);
  return heightUnits(Math.max(points, at.top + text.first * at.line + foot(profile)));
}

/**
 * Gives what estimates the expanded rows of a kind: about what `rowUnits` says, without measuring any
 * text. All rows of a large table may be opened at once.
 */
export function estimator(kind, width, profile = 'point') {
  const at = place(kind, width, profile);
  const room = Math.max(at.width, 10), letter = profile === 'cell' ? 10 : 7.5;
  const known = new Map();
  const {wrap, emphasis} = showOf(kind);
  return (row) => {
    if (row.expand !== 'expanded') {
      const stands = emphasis.filter((look) => look.holds(row)).length;
      return heightUnits(stands || wrap > 1 ? Math.max(stateHeight(row, kind), 66) : stateHeight(row, kind));
    }
    let count = hasTitle(row, kind) ? Math.max(1, Math.ceil((row.title?.length ?? 0) * letter / room)) : 0;
    if (row.fields) count += Object.keys(row.fields).length;
    let units = known.get(count);
    if (units === undefined) known.set(count, units = heightUnits(linesHeight(count, kind, at)));
    return units;
  };
}

/**
 * How a row looks in its state; null: all is the viewer's own. A colour of its own goes first while it is closed; in
 * other states it stands in where the kind says none. The kind chose its ink for another ground.
 */
export function appearanceOf(row, kind) {
  const found = kindsAppearance(row.expand ?? 'collapsed', kind);
  const isClosed = (row.expand ?? 'collapsed') === 'collapsed';
  const own = isClosed || found?.background === undefined ? ownColor(row, kind) : undefined;
  if (own === undefined) return found;
  return {background: own, alpha: found?.alpha ?? (isClosed ? 0 : 1), tint: undefined};
}

function kindsAppearance(state, kind) {
  if (!Array.isArray(kind?.appearance)) return null;
  const find = (name) => kind.appearance.find((one) => one?.state === name);
  const found = find(state) ?? (parseState(state).state === 'height' ? find('expanded') : null);
  if (!found) return null;
  const {background, tint} = found;
  const alpha = said(found.alpha, undefined);
  if (background === undefined && tint === undefined && alpha === undefined) return null;
  return {background, alpha: alpha ?? (state === 'collapsed' ? 0 : 1), tint};
}

function linesOf(open, at, profile) {
  const lines = [];
  const add = (part, key, text) => lines.push({
    part,
    key,
    text,
    x: at.left,
    y: at.top + lines.length * at.line,
    width: textWidth(text, SIZE, profile),
    height: at.line,
    size: SIZE,
  });
  for (const text of open.title) add('title', '', text);
  for (const {lines: all, look} of open.emphasised) {
    for (const text of all) add('emphasis', look.field, text);
  }
  for (const {key, lines: all} of open.fields) {
    for (const text of all) add('field', key, text);
  }
  return lines;
}

/**
 * The lines of a row, as they stand when it is open: the title's, those of what stands out, then those of the other
 * fields. `alpha` says how much is seen of what is below the title's first line and does not stand out.
 */
export function rowContent(row, kind, width, profile = 'point', clock = {}) {
  const at = place(kind, width, profile);
  const collapsed = (row.expand ?? 'collapsed') === 'collapsed';
  const face = rowFace(row, kind, clock);
  let made;
  const open = () => (made ??= rowText(face, kind, true, at, profile));
  const appearance = appearanceOf(row, kind);
  return {
    // Most rows that are drawn are closed, and nobody asks for these lines of them.
    get lines() { return linesOf(open(), at, profile); },
    get open() { return open(); },
    face,
    text: collapsed ? rowText(face, kind, false, at, profile) : open(),
    top: at.top,
    appearance,
    alpha: appearance?.alpha ?? (collapsed ? 0 : 1),
    left: at.left,
    width: at.width,
  };
}
