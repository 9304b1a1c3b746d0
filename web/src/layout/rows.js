// Heights of rows, and the lines in them (docs/LAYOUT.md, "Heights of rows").

import {sortedKeys} from '../model/canonical.js';
import {statesOf} from '../model/read.js';
import {bounded, heightUnits, said} from './numbers.js';
import {SIZE, lineCount, lineHeight, textWidth, wrap} from './text.js';

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
  };
}

function hasTitle(row, kind) { return kind?.layout !== 'manual' || Boolean(row.title); }

/** Is the row's height that of its text, which has to be measured? */
export function isMeasured(row) { return row.expand === 'expanded'; }

function linesHeight(count, kind, at) {
  const bottom = count === 0 ? 0 : at.top + count * at.line;
  return bottom + bounded(said(kind?.margins?.bottom, BOTTOM_MARGIN));
}

/** The height of a row, in units of 1/1024 point. */
export function rowUnits(row, kind, width, profile = 'point') {
  const expand = row.expand;
  if (expand === undefined || expand === 'collapsed') return heightUnits(kindHeight(kind));
  if (expand === 'expanded') {
    const at = place(kind, width, profile);
    const lines = hasTitle(row, kind) ? lineCount(row.title ?? '', at.width, SIZE, profile) : 0;
    const fields = row.fields ? Object.keys(row.fields).length : 0;
    return heightUnits(linesHeight(lines + fields, kind, at));
  }
  const parsed = parseState(expand);
  if (parsed.state === 'height') return heightUnits(parsed.height);
  const state = statesOf(row, kind).find((one) => one.name === parsed.name);
  const own = state && state.height !== undefined && state.height !== null;
  return heightUnits(own ? bounded(state.height) : kindHeight(kind));
}

/**
 * Gives what estimates the expanded rows of a kind: about what `rowUnits` says, without measuring any
 * text. All rows of a large table may be opened at once.
 */
export function estimator(kind, width, profile = 'point') {
  const at = place(kind, width, profile);
  const room = Math.max(at.width, 10), letter = profile === 'cell' ? 10 : 7.5;
  const known = new Map();
  return (row) => {
    let count = hasTitle(row, kind) ? Math.max(1, Math.ceil((row.title?.length ?? 0) * letter / room)) : 0;
    if (row.fields) count += Object.keys(row.fields).length;
    let units = known.get(count);
    if (units === undefined) known.set(count, units = heightUnits(linesHeight(count, kind, at)));
    return units;
  };
}

/** How rows of a kind look in the state of this one; null: all is the viewer's own. */
export function appearanceOf(row, kind) {
  if (!Array.isArray(kind?.appearance)) return null;
  const state = row.expand ?? 'collapsed';
  const find = (name) => kind.appearance.find((one) => one?.state === name);
  const found = find(state) ?? (parseState(state).state === 'height' ? find('expanded') : null);
  if (!found) return null;
  const {background, tint} = found;
  const alpha = said(found.alpha, undefined);
  if (background === undefined && tint === undefined && alpha === undefined) return null;
  return {background, alpha: alpha ?? (state === 'collapsed' ? 0 : 1), tint};
}

/**
 * The lines of a row, as they stand when it is open: the title's, then one for each field. `alpha`
 * says how much is seen of what is below the title's first line.
 */
export function rowContent(row, kind, width, profile = 'point') {
  const at = place(kind, width, profile);
  const title = row.title ?? '';
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
  if (hasTitle(row, kind)) {
    for (const text of wrap(title, at.width, SIZE, profile)) add('title', '', text);
  }
  for (const key of sortedKeys(row.fields ?? {})) add('field', key, `${key}: ${row.fields[key]}`);
  const appearance = appearanceOf(row, kind);
  const collapsed = (row.expand ?? 'collapsed') === 'collapsed';
  return {lines, appearance, alpha: appearance?.alpha ?? (collapsed ? 0 : 1), left: at.left, width: at.width};
}
