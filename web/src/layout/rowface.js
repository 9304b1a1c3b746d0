/**
 * A row's face, as its kind says (docs/ROWS.md): the twin of TableLayout/RowFace.swift and RowText.swift.
 * Nothing here knows the document; tests hold both against Tests/TableLayoutTests/Vectors/faces.json.
 */
import {sortedKeys} from '../model/canonical.js';
import {groupCount, rowCondition} from '../model/predicate.js';
import {fieldOf} from '../model/read.js';
import {ageText} from './motion.js';
import {said} from './numbers.js';
import {lineCount, wrap} from './text.js';

/** No more is filled into a template, in bytes of UTF-8. */
const MOST_BYTES = 16384;
const MOST_MS = 253402300799999;
const MOST_LINES = 8;
const NO_LOOK = Object.freeze([]);

// Templates.

/** The parts of a template: texts, and {name}; null: a brace is alone, or nothing is between two. */
export function template(text) {
  const parts = [];
  let literal = '', at = 0;
  while (at < text.length) {
    const one = text[at];
    at += 1;
    if (one !== '{' && one !== '}') literal += one;
    else if (text[at] === one) {
      literal += one;
      at += 1;
    } else {
      const end = one === '{' ? text.indexOf('}', at) : -1;
      const name = text.slice(at, end);
      if (end <= at || name.includes('{')) return null;
      if (literal) parts.push(literal);
      literal = '';
      parts.push({name});
      at = end + 1;
    }
  }
  if (literal) parts.push(literal);
  return parts;
}

/** Whether a name in braces is a number of rows of a group. */
const isCount = (name) => name.startsWith('count(group');

/** The field that a name in braces stands for; null: the title. */
function fieldIn(name) { return name === 'title' ? null : name.startsWith('field.') ? name.slice(6) : name; }

const namesField = (parts, test) => parts.some(
  (part) => typeof part !== 'string' && part.name !== 'title' && !isCount(part.name) && test(fieldIn(part.name)));

/** The names by which templates count, each with what counts. */
const countsIn = (templates) => new Map(templates.flatMap((parts) => parts ?? [])
    .filter((part) => typeof part !== 'string' && isCount(part.name))
    .map(({name}) => [name, groupCount(name)]));

const bytes = new TextEncoder();

/**
 * The text with its names replaced; null: one of them has no value, or there is more than a screen would show. Without
 * `count` numbers of rows have none.
 */
function filled(parts, value, count = () => '') {
  let text = '';
  for (const part of parts) {
    const more = typeof part === 'string' ? part :
      isCount(part.name)                  ? count(part.name) :
                                            value(fieldIn(part.name)) ?? '';
    if (more === '') return null;
    text += more;
    if (text.length * 3 > MOST_BYTES && bytes.encode(text).length > MOST_BYTES) return null;
  }
  return text;
}

// Forms of values.

const two = (number) => String(number).padStart(2, '0');

/** The day so many days after 1970-01-01. */
function dateText(days) {
  const day = new Date(days * 86400000);
  return `${String(day.getUTCFullYear()).padStart(4, '0')}-${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())}`;
}

/** A decimal number with so many decimals, halves away from zero; null: the text is none. */
function rounded(text, decimals) {
  const found = text.length <= 40 ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) : null;
  if (!found) return null;
  const [, sign, whole, fraction = ''] = found;
  const digits = [...whole + fraction.slice(0, decimals).padEnd(decimals, '0')].map(Number);
  if (fraction.length > decimals && fraction[decimals] >= '5') {
    let index = digits.length - 1;
    while (index >= 0 && digits[index] === 9) digits[index--] = 0;
    if (index < 0) digits.unshift(1);
    else digits[index] += 1;
  }
  const all = digits.join('');
  const front = all.slice(0, all.length - decimals).replace(/^0+(?=\d)/, '');
  const isZero = !/[1-9]/.test(all);
  return `${isZero ? '' : sign}${front}${decimals ? `.${all.slice(all.length - decimals)}` : ''}`;
}

/** A value in a form; one that has no such form stays as it is. `clock`: {nowMs, zoneSeconds, ageSaid}. */
export function formed(value, form, clock) {
  const decimals = /^0(?:\.(0{1,9}))?$/.exec(form);
  if (decimals) return rounded(value, (decimals[1] ?? '').length) ?? value;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : null;
  if (number === null) return value;
  if (form === 'duration') {
    if (number > 999999999) return value;
    const minutes = Math.floor(number / 60), rest = two(number % 60);
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
  }
  if (form !== 'clock' && form !== 'date' && form !== 'age' || number > MOST_MS) return value;
  if (form === 'age' && clock.nowMs !== undefined) {
    return (clock.ageSaid ?? ageText)(Math.max(0, Math.floor((clock.nowMs - number) / 1000)));
  }
  const seconds = Math.max(0, Math.floor(number / 1000) + (clock.zoneSeconds ?? 0));
  if (form === 'date') return dateText(Math.floor(seconds / 86400));
  const minutes = Math.floor(seconds % 86400 / 60);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

// Kinds, read once each.

const known = new WeakMap();
const PLAIN = {title: null, line: null, badge: null, counts: new Map(), detail: [], hide: [], color: null, as: {},
  wrap: 1, emphasis: [], measured: false};

/** The faces of a kind's rows. */
export function showOf(kind) {
  if (!kind || typeof kind !== 'object' || !kind.show && !kind.emphasis) return PLAIN;
  let found = known.get(kind);
  if (!found) {
    const show = kind.show ?? {};
    const emphasis = (kind.emphasis ?? []).map((look) => ({
      field: look.field ?? undefined,
      background: look.background ?? undefined,
      color: look.color ?? undefined,
      icon: look.icon ?? undefined,
      holds: rowCondition(look.when ?? ''),
    }));
    const wrapped = Math.min(Math.max(Math.trunc(said(show.wrap, 1)), 1), MOST_LINES);
    found = {
      title: typeof show.title === 'string' ? template(show.title) : null,
      line: show.line ? (show.line.parts ?? []).map(template) : null,
      badge: typeof show.badge === 'string' ? template(show.badge) : null,
      detail: show.detail ?? [],
      hide: typeof show.color === 'string' ? [...(show.hide ?? []), show.color] : show.hide ?? [],
      color: typeof show.color === 'string' ? show.color : null,
      as: show.as ?? {},
      wrap: wrapped,
      emphasis,
      measured: !kind.strip && (emphasis.length > 0 || wrapped > 1),
    };
    found.counts = countsIn([...found.line ?? [], found.badge]);
    known.set(kind, found);
  }
  return found;
}

/** The numbers that a row shows of its group, as one text: it changes with other rows. */
export function countsText(table, row, kind) {
  return [...showOf(kind).counts.values()].map((count) => count(table, row)).join();
}

const COLORS = new Set([
  'black', 'silver', 'gray', 'grey', 'white', 'maroon', 'red', 'purple', 'fuchsia', 'green', 'lime', 'olive', 'yellow',
  'navy', 'blue', 'teal', 'aqua', 'orange'
]);

/** The colour of a row's own, where its kind names the field that has it; undefined: it has none. */
export function ownColor(row, kind) {
  const {color} = showOf(kind);
  const value = color === null ? undefined : fieldOf(row, color);
  if (typeof value !== 'string' || value.length > 9) return undefined;
  const text = value.toLowerCase();
  return COLORS.has(text) || /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(text) ? text : undefined;
}

/** Whether the height of a row of this kind may depend on its texts, in any state. */
export function hasTextHeights(kind) { return showOf(kind).measured; }

/** Whether texts of rows of this kind change as time passes. */
export function changesWithTime(kind) { return Object.values(showOf(kind).as).includes('age'); }

/** What fills the templates of a row: values of fields as they are now, those that no time changes, and counts of its group. */
function valuesOf(row, kind, clock) {
  const show = showOf(kind);
  const formOf = (key) => (Object.hasOwn(show.as, key) ? show.as [key] : null);
  const valueAt = (when) => (key) => {
    if (key === null) return row.title ?? '';
    const value = fieldOf(row, key);
    if (value === undefined) return undefined;
    const form = formOf(key);
    return form ? formed(String(value), form, when) : String(value);
  };
  const counted = (name) => {
    const group = kind?.show?.group;
    if (typeof group !== 'string' || (fieldOf(row, group) ?? '') === '') return '';
    return String(clock.table ? show.counts.get(name)(clock.table, row) ?? '' : 0);
  };
  return {fixed: valueAt({zoneSeconds: clock.zoneSeconds}), present: valueAt(clock), counted};
}

/** The parts of a row's line: [{text, names}], without those that name a field in `taken`. */
function partsOf(row, kind, {present, counted}, taken) {
  const show = showOf(kind);
  if (show.line) {
    return show.line.filter((part) => part && !namesField(part, (key) => taken.has(key)))
      .map((part) => ({
        text: filled(part, present, counted),
        names: part.filter((one) => typeof one !== 'string').map(({name}) => name),
      }))
      .filter(({text}) => text !== null);
  }
  const hidden = new Set([...taken, ...show.hide]);
  return sortedKeys(row.fields ?? {})
    .filter((key) => !hidden.has(key))
    .map((key) => ({text: `${key} ${present(key)}`, names: [key]}));
}

/** What stands out in a row: {looks, taken: the fields that its line does not say again, emphasised: [{text, look}]}. */
function standsOut(row, show, fixed) {
  const looks = show.emphasis.length === 0 ? NO_LOOK : show.emphasis.filter((look) => look.holds(row));
  const taken = new Set(), emphasised = [];
  for (const look of looks) {
    if (look.field === undefined || taken.has(look.field)) continue;
    const value = fixed(look.field);
    if (!value) continue;
    taken.add(look.field);
    const part = (show.line ?? []).find((one) => one && namesField(one, (key) => key === look.field));
    emphasised.push({text: (part ? filled(part, fixed) : null) ?? value, look});
  }
  return {looks, taken, emphasised};
}

/**
 * The parts of a row's line as a card of its group has them: [{text, names: of what the part says, isCount: it counts rows
 * of the group, isName: it says the group's value and nothing else of the row}].
 */
export function lineParts(row, kind, clock) {
  const isName = (name) => !isCount(name) && fieldIn(name) === kind?.show?.group;
  const values = valuesOf(row, kind, clock);
  const {taken} = standsOut(row, showOf(kind), values.fixed);
  return partsOf(row, kind, values, taken).map(({text, names}) => ({
    text,
    names,
    isCount: names.some(isCount),
    isName: names.length > 0 && names.every(isName),
  }));
}

/**
 * The face of a row: {title, line, badge, emphasised: [{text, look}], details: [{key, value}], row}. Title and what stands
 * out are wrapped, and heights must not depend on the present: there the form `age` is shown as `clock`. Without
 * `clock.table`, as where heights are measured, each row of a group has a number.
 */
export function rowFace(row, kind, clock = {}) {
  const show = showOf(kind);
  const values = valuesOf(row, kind, clock);
  const {fixed, present, counted} = values;
  const {looks, taken, emphasised} = standsOut(row, show, fixed);
  const keys = sortedKeys(row.fields ?? {});
  const hidden = new Set([...taken, ...show.hide]);
  const first = show.detail.filter((key) => keys.includes(key) && !taken.has(key));
  const rest = keys.filter((key) => !show.detail.includes(key) && !hidden.has(key));
  return {
    title: titleOf(row, show, fixed),
    line: partsOf(row, kind, values, taken).map(({text}) => text),
    badge: show.badge ? filled(show.badge, present, counted) : null,
    emphasised,
    details: [...first, ...rest].map((key) => ({key, value: present(key)})),
    row: looks.find((look) => look.field === undefined) ?? null,
  };
}

// Lines.

/** Left and right of a text that stands out, each; the width of an icon with the space behind it, in points. */
export const insetOf = (profile) => (profile === 'cell' ? 10 : 8);
export const iconOf = (profile) => (profile === 'cell' ? 20 : 22);
/** The size with which bold text is measured, in points. */
export const BOLD = 16;
const AGE_ROOM = 64;
const pad = (profile) => (profile === 'cell' ? 0 : 6);
export const foot = (profile) => (profile === 'cell' ? 0 : 8);

/** A closed row of this height has its line below its title, and not beside it. */
export const twoLines = (line, profile) => 2 * line + pad(profile);

/** The room that the first line of a title leaves for the age beside it, in points. */
const besideOf = (kind, profile) => (!kind?.ages || profile === 'cell' ? 0 : AGE_ROOM);

function titleOf(row, show, fixed) { return (show.title ? filled(show.title, fixed) : null) ?? row.title ?? ''; }

/**
 * Whether nothing stands out in a row, and its title plainly has room in its kind's height, for all its lines or since it
 * is one line: closed, the row is as high as that.
 */
export function isPlain(row, kind, at, profile) {
  const show = showOf(kind);
  if (show.emphasis.some((look) => look.holds(row))) return false;
  if ((show.wrap + 1) * at.line + pad(profile) <= at.high) return true;
  const title = titleOf(row, show, show.title ? valuesOf(row, kind, {}).fixed : null);
  return show.wrap <= 1 || lineCount(title, at.width - besideOf(kind, profile), BOLD, profile) === 1;
}

function titleLines(face, kind, open, at, profile) {
  if (kind?.layout === 'manual' && face.title === '') return [];
  const beside = besideOf(kind, profile);
  // An age beside it must not cut an opened title.
  if (open && !face.row && !(beside && hasTextHeights(kind))) return wrap(face.title, at.width, undefined, profile);
  const most = face.row || open ? Infinity : showOf(kind).wrap;
  if (most <= 1) return [face.title];
  const indent = face.row?.icon === undefined ? 0 : iconOf(profile);
  const lines = wrap(face.title, at.width - indent, BOLD, profile, beside);
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]}…`] : lines;
}

/**
 * The lines of a row: {title: [text], emphasised: [{lines, look}], fields: [{key, value, lines}], line: has it a line
 * below the others, first: how many lines the title and what stands out take}. `at`: {width, line}, as of rows.js.
 */
export function rowText(face, kind, open, at, profile) {
  const title = titleLines(face, kind, open, at, profile);
  const emphasised = face.emphasised.map(({text, look}) => {
    const room = at.width - 2 * insetOf(profile) - (look.icon === undefined ? 0 : iconOf(profile));
    return {lines: wrap(text, room, BOLD, profile), look};
  });
  const fields = !open ?
    [] :
    face.details.map(({key, value}) => ({key, value, lines: wrap(`${key}: ${value}`, at.width, undefined, profile)}));
  return {
    title,
    emphasised,
    fields,
    line: !open && face.line.length > 0 && at.high >= twoLines(at.line, profile),
    first: title.length + emphasised.reduce((sum, one) => sum + one.lines.length, 0),
  };
}

/** The height of a closed row that would have this one otherwise, in points. */
export function closedPoints(text, points, at, profile) {
  if (text.first < 2) return points;
  return Math.max(points, (text.first + (text.line ? 1 : 0)) * at.line + pad(profile));
}
