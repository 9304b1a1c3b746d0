/**
 * The content of a row: lines and marks, each an element of its own at a place that was computed. Heights
 * and lines of open rows are the layout's; of closed rows only the middle counts.
 */
import {ages} from '../layout/motion.js';
import {BOLD, foot, formed, iconOf, insetOf, rowFace, twoLines} from '../layout/rowface.js';
import {rowContent} from '../layout/rows.js';
import {textWidth} from '../layout/text.js';
import {groupOf} from '../model/read.js';
import {color, el, inkOn, ratio, spell, themed} from './dom.js';
import {icon} from './icons.js';
import {reasonSaid} from './says.js';
import {ageSaid, isMirrored, startSide, word} from './words.js';

const LINE = 20, TWO_LINES = twoLines(LINE, 'point');
/** The room below the last field of a row whose height is not that of its text. */
const FOOT = foot('point');
/** The least room above a title that has a line of marks. */
const LEAST_ABOVE = 18;
/** A pill that is cut to less says nothing. */
const LEAST_PILL = 24;
/** A title of several lines gives way to pills that have no room: by so much, and further for the least of them. */
const GIVES = 36;
/** It is not made smaller than this. */
const LEAST_SCALE = 0.6;
/** The room of a control of edit mode. */
export const SIDE = 52;

/** By how much a bold letter of the page's font is wider than the layout measures it, at most, and a `…`: parts of its size. */
const BOLDER = 0.056, DOTS = 0.45;

/** How wide bold text is at most, in points. */
export function boldWidth(text, size) {
  let more = 1;
  for (const letter of text) more += size * (letter === '…' ? DOTS : letter === ' ' ? 0 : BOLDER);
  return textWidth(text, size, 'point') + more;
}

/** What measures bold text in the page's font, which stays the same. To ask for that takes long, so it is asked once. */
let pen2d = null, family = '';

/**
 * How wide bold text is as it is drawn, in points. The layout takes all narrow letters outside of ASCII for equally wide, and
 * capitals of other scripts are wider. What must be read is then drawn smaller; heights stay the layout's.
 */
function drawnWidth(text, size) {
  const said = spell(text);
  if (/^[ -~]*$/.test(said) || !globalThis.document?.createElement) return boldWidth(said, size);
  pen2d ??= document.createElement('canvas').getContext('2d');
  if (!pen2d) return boldWidth(said, size);
  family ||= getComputedStyle(document.body).fontFamily;
  pen2d.font = `700 ${size}px ${family}`;
  return pen2d.measureText(said).width + 1;
}

/** The present moment, as the forms of times need it, and the table in which a row's group is counted. */
export function clockOf(nowMs, table) {
  return {nowMs, zoneSeconds: -60 * new Date(nowMs).getTimezoneOffset(), ageSaid, table};
}

/** The face of a row, with what the forms of times need at this moment. */
export function faceOf(row, kind, nowMs, table) { return rowFace(row, kind, clockOf(nowMs, table)); }

/** A row's age where it stands, or until when it sleeps; null: its kind has no ages. */
export function ageOf(row, kind, nowMs, section) {
  if (!row.sleep) return kind?.ages ? ages(row, kind, nowMs, section) : null;
  const {untilMs} = row.sleep;
  const time = formed(String(untilMs), untilMs - nowMs >= 86400000 ? 'date' : 'clock', clockOf(nowMs));
  return {ms: 0, level: '', text: word('row.until', {time})};
}

/** Why an action failed, or else the face's line without the parts that the head of its card says. */
export function subtitle(row, face, head = null) {
  const failed = (row.performed ?? []).find((one) => one.state === 'failed' && one.reason);
  if (failed) return {text: reasonSaid(failed.reason), failed: true};
  const parts = head ? face.line.filter((part) => !head.quiet.has(part)) : face.line;
  return {text: parts.join(' · '), failed: false};
}

export function actionTitle(row, kind, id) {
  const all = ['leading', 'trailing'].flatMap((edge) => groupOf(row, kind, edge)?.actions ?? []);
  return all.find((one) => one.id === id)?.title || id;
}

/** The marks beside a title: what is under way, what failed, who has it. */
function pills(row, kind, said, badge) {
  const title = (id) => actionTitle(row, kind, id);
  const list = badge ? [{class: 'badge', text: badge}] : [];
  for (const one of row.performed ?? []) {
    if (one.item) continue;
    if (one.state === 'pending')
      list.push({class: '', text: `${title(one.action)} ${said.next?.get(one.action) ?? '…'}`});
    if (one.state === 'failed') list.push({class: 'failed', text: word('pill.failed', {action: title(one.action)})});
  }
  if (said.lifted) list.push({class: 'up', text: word('pill.lifted')});
  if (said.lease) list.push({class: 'who', text: word('pill.moves', {who: said.lease})});
  if (row.claim) list.push({class: 'who', text: [row.claim.holder, row.claim.note].filter(Boolean).join(': ')});
  return list;
}

/** The person who works on a row, and their note. */
export function claimSaid({holder: who, note}) {
  return note ? word('claim.note', {who, note}) : word('claim.by', {who});
}

/**
 * Draws the words of a row into `box`, anew. `said`: {width, height, age, lease, editing, scale, nowMs, table, head: of
 * its card}. Gives the middle of the title's line, if it is not where a row of one line and a line below has it.
 */
export function drawWords(box, row, kind, said) {
  const {width, height, scale} = said;
  const pen = new Pen(box, scale);
  const content = rowContent(row, kind, width, 'point', clockOf(said.nowMs, said.table));
  const {appearance, alpha, face, text} = content;
  const closed = (row.expand ?? 'collapsed') === 'collapsed';
  const margin = Math.min(Math.max(kind?.margins?.text ?? 20, 0), width / 2);
  const left = said.editing && said.control ? SIDE : margin;
  const right = width - (said.editing && said.grip ? SIDE : Math.max(margin, said.more ? 24 : 0));
  const room = Math.max(0, right - left);
  // A row that sleeps, or that somebody else holds, is pale, without colours of its own. An emphasised row keeps its colour.
  const isPale = said.lease || row.sleep;
  const paper = face.row ? groundOf(face.row) : isPale ? null : color(appearance?.background);
  pen.paper = paper;
  const ink = color(face.row ? face.row.color : appearance?.tint);
  pen.tint = paper ? inkOn(paper, ink) : ink;
  const slide = box.parentElement.style;
  slide.background = paper ?? '';
  if (paper) slide.setProperty('--mark', pen.tint);
  else slide.removeProperty('--mark');
  pen.left = left;
  pen.right = right;
  const {classList} = box.parentElement;
  classList.toggle('stands-out', Boolean(face.row));
  classList.toggle('asleep', Boolean(row.sleep));
  classList.toggle('keeps', Boolean(face.row) || text.emphasised.length > 0);
  const list = pills(row, kind, said, face.badge);
  const all = {...said, face, room};
  if (said.hasStrip) return drawStripTitle(pen, row, list, all);
  if (closed && (text.first > 1 || text.emphasised.length > 0 || face.row))
    return drawStacked(pen, row, text, list, all);
  // Where a closed row has no room for the fields one below the other, they stand side by side.
  if (closed && (alpha === 0 || isLow(content, height))) drawClosed(pen, row, list, all);
  else drawOpen(pen, row, content, list, {...all, alpha});
  return undefined;
}

/** Whether a row is too low for its fields one below the other. */
function isLow({open, top}, height) {
  const count = open.fields.reduce((sum, one) => sum + one.lines.length, open.first);
  return open.fields.length > 0 && top + count * LINE + FOOT > height + 0.5;
}

/** The colour behind what stands out. */
function groundOf(look) { return color(look.background) ?? themed('--warn-back'); }

/** What stands out of a row, for a sheet about that row: it lies above the row. */
export function standing({emphasised}) {
  return emphasised.map(({text, look}) => {
    const ground = groundOf(look);
    const style = {background: ground, color: inkOn(ground, color(look.color))};
    const mark = look.icon === undefined ? [] : [icon(look.icon, 16)];
    return el('p', {class: 'stands', dir: 'auto', style}, ...mark, el('span', {class: 'line', text}));
  });
}

/** How wide a pill is that has all of its text. */
const pillWidth = (text) => drawnWidth(text, 12) + 17;

/** How wide an age is. Letters of other scripts are measured as they are drawn: bold, where the row is late. */
const ageWidth = (text) => (/^[ -~]*$/.test(text) ? textWidth(text, 13, 'point') : drawnWidth(text, 13));

/** Places texts; what is at the right takes its room from what is at the left. */
class Pen {
  constructor(box, scale) {
    this.box = box;
    this.scale = scale;
    this.tint = this.paper = null;
    box.replaceChildren();
  }

  /** The colour of a text; null: the theme's. What is urgent has the theme's where it can be read on the row. */
  ink(name) {
    if (!this.tint || name.startsWith('pill')) return null;
    const urgent = /failed|late/.test(name) ? '--danger' : /warn/.test(name) ? '--warn' : null;
    if (!urgent) return this.tint;
    return this.paper && ratio(this.paper, themed(urgent)) < 4.5 ? this.tint : null;
  }

  text(name, text, x, middle, width, opacity = 1) {
    if (!text || width < 8 || opacity <= 0) return null;
    const one = el('span', {class: name, text, dir: 'auto'});
    const style = one.style;
    const s = this.scale;
    style[startSide()] = `${x * s}px`;
    style.top = `${(middle - LINE / 2) * s}px`;
    style.width = `${width * s}px`;
    style.height = `${LINE * s}px`;
    if (opacity < 1) style.opacity = opacity;
    const ink = this.ink(name);
    if (ink) style.color = ink;
    this.box.append(one);
    return one;
  }

  /** The box of what stands out, at the height of `middle` of its first line: every letter of it, whatever the room. */
  stands({lines, look}, middle, room) {
    const ground = groundOf(look), ink = inkOn(ground, color(look.color));
    const indent = look.icon === undefined ? 0 : iconOf('point'), width = standsWidth({lines, look});
    const scale = Math.min(1, Math.max(0.3, room / width)), s = this.scale;
    const box = el('div', {class: 'stands', dir: 'auto'});
    box.place = {left: this.left, width: width * scale};
    Object.assign(box.style, {
      [startSide()]: `${this.left * s}px`,
      top: `${(middle - LINE / 2 + 1) * s}px`,
      height: `${(lines.length * LINE - 2) * s}px`,
      padding: `0 ${insetOf('point') * scale * s}px`,
      fontSize: `${15 * scale * s}px`,
      background: ground,
      color: ink,
    });
    if (indent) {
      box.style[isMirrored() ? 'paddingRight' : 'paddingLeft'] = `${(insetOf('point') + indent) * scale * s}px`;
      const mark = el('span', {class: 'mark'}, icon(look.icon, 16 * scale * s));
      mark.style[startSide()] = `${insetOf('point') * scale * s}px`;
      box.append(mark);
    }
    for (const text of lines) box.append(el('span', {class: 'line', text}));
    this.box.append(box);
  }

  /** All that stands out, one below the other; the first box may have less room. Gives the middle of the line below. */
  allStanding(all, first, {room}, firstRoom = room) {
    let middle = first;
    all.forEach((one, n) => {
      this.stands(one, middle, n === 0 ? firstRoom : room);
      middle += one.lines.length * LINE;
    });
    return middle;
  }

  /** A line of a title, which is bold: smaller where the layout measured it for more room than there is. */
  title(line, middle, width, opacity) {
    const one = this.text('title', line, this.left, middle, width, opacity);
    const most = width / drawnWidth(line, 15);
    if (one && most < 1) one.style.fontSize = `${15 * this.scale * Math.max(0.3, most)}px`;
  }

  /** The room of pills and of an age beside each other, with a gap before them. */
  marksWidth(list, age) {
    const pills = list.reduce((sum, {text}) => sum + pillWidth(text) + 6, 0);
    return pills + (age?.text ? ageWidth(age.text) + 14 : 0);
  }

  /**
   * Pills and the age, from the right; gives the room that is left for the title, which needs at least `least`. A pill is
   * cut only where the title has a use for the room, which is `wanted` wide, or another pill.
   */
  marks(list, age, middle, room, least = 60, wanted = least) {
    let end = this.right;
    if (age?.text) {
      const width = ageWidth(age.text) + 6;
      this.text(`age ${age.level}`, age.text, end - width, middle, width);
      end -= width + 8;
    }
    for (const [n, pill] of list.entries()) {
      const most = Math.max(room * 0.5, end - this.left - wanted - 8), free = end - this.left - least;
      const others = Math.max(LEAST_PILL, free - (list.length - 1 - n) * (LEAST_PILL + 6));
      const width = Math.min(pillWidth(pill.text), most, free, others);
      if (width < LEAST_PILL) break;
      this.text(`pill ${pill.class}`, pill.text, end - width, middle, width);
      end -= width + 6;
    }
    return Math.max(0, end - this.left);
  }
}

function title(pen, row, {title: text}, middle, room) {
  if (text) pen.text('title', text, pen.left, middle, room);
  else pen.text('title bare', row.id, pen.left, middle, room);
}

function drawClosed(pen, row, list, said) {
  const below = subtitle(row, said.face, said.head);
  const two = said.height >= TWO_LINES && below.text !== '';
  const middle = two ? said.height / 2 - 10 : said.height / 2;
  const wanted = drawnWidth(said.face.title || row.id, 15) + 3, spots = [{middle, need: wanted, least: 60}];
  if (two) spots.push(spotBelow(below, said.height / 2 + 11, said));
  const [room, rest] = placeMarks(pen, spots, list, said);
  const name = below.failed ? 'detail failed' : 'detail';
  if (two) {
    title(pen, row, said.face, middle, room);
    pen.text(name, below.text, pen.left, said.height / 2 + 11, rest);
    return;
  }
  title(pen, row, said.face, middle, Math.min(room, below.text ? Math.max(wanted, room * 0.5) : room));
  if (below.text && room - wanted > 40) {
    const width = Math.min(room - wanted - 12, textWidth(below.text, 13, 'point') + 4);
    pen.text(name, below.text, pen.left + room - width, middle, width);
  }
}

/** How wide the box of what stands out is that has its letters in full size. */
function standsWidth({lines, look}) {
  const widest = Math.max(0, ...lines.map((line) => Math.max(textWidth(line, 16, 'point'), drawnWidth(line, 15))));
  return widest + 2 * insetOf('point') + (look.icon === undefined ? 0 : iconOf('point'));
}

/** The room of a line of a title, with the icon of a row that stands out and a gap behind it. */
const titleWidth = (line, {row}) => drawnWidth(line, 15) + 7 + (row?.icon === undefined ? 0 : iconOf('point'));

/**
 * Title lines of a row in which the whole row, or several lines, must be read; each as wide as it is. `rooms`: the room of
 * each. One from right to left ends where the marks begin, and all end at one place where they can.
 */
function wholeTitle(pen, row, lines, middle, said, rooms) {
  const look = said.face.row;
  const indent = look?.icon === undefined ? 0 : iconOf('point');
  if (indent && lines.length > 0) {
    const mark = el('span', {class: 'mark'}, icon(look.icon, 16 * pen.scale));
    Object.assign(mark.style, {[startSide()]: `${pen.left * pen.scale}px`, top: `${(middle - 8) * pen.scale}px`});
    if (pen.tint) mark.style.color = pen.tint;
    pen.box.append(mark);
  }
  const common = Math.min(...rooms) - indent;
  lines.forEach((line, n) => {
    const text = line || n > 0 ? line : row.id, free = rooms[n] - indent, wide = drawnWidth(text, 15);
    const width = Math.min(free, Math.max(common, wide));
    const one = pen.text(line ? 'title whole' : 'title bare', text, pen.left + indent, middle + n * LINE, width);
    // A line ends before its age, or until when the row sleeps, of which the layout knows nothing.
    const scale = free / wide;
    if (one && scale < 1) one.style.fontSize = `${15 * pen.scale * Math.max(0.3, scale)}px`;
  });
}

/**
 * The marks of a closed row: its age beside the first line, and all pills beside the first line that has room for all of
 * them, or else each where it has most room. `spots`: the lines, each {middle, need: how wide it is, least: how far it may
 * be cut, shrinks: whether it is made smaller rather than cut}, and the one below the title, if it may be cut for a pill,
 * {isBelow}. Gives the room of each.
 */
function placeMarks(pen, spots, list, said) {
  const free = spots.map(({need}, n) => said.room - need - (n === 0 ? pen.marksWidth([], said.age) : 0));
  const all = pen.marksWidth(list, null), has = free.findIndex((room) => room >= all);
  const below = spots.findIndex((one) => one.isBelow), beside = spots.map(() => []), cut = new Set();
  for (const pill of list) {
    const width = pillWidth(pill.text) + 6, most = Math.max(...free), [first] = spots;
    let at = has < 0 ? free.findIndex((room) => room >= width) : has;
    // Only a badge goes before a title that may be cut, and what has no room anywhere.
    if (at < 0 && pill.class === 'badge' && first.least < first.need) cut.add(at = 0);
    else if (at < 0 && most < (below > 0 ? 3 * LEAST_PILL : LEAST_PILL + 14))
      cut.add(at = below > 0 ? below : widest(free, spots));
    if (at < 0) at = free.indexOf(most);
    beside[at].push(pill);
    free[at] -= width;
  }
  return spots.map(({middle, need, least, shrinks}, n) => {
    const pills = beside[n], about = n === 0 ? said : {...said, age: null};
    const gives = shrinks && cut.has(n) ? shrunk(pen, need, least, pills, about) : least;
    return pen.marks(pills, about.age, middle, said.room, pills.length === 0 || cut.has(n) ? gives : need + 8, need);
  });
}

/** How far a line that may be smaller gives way beyond `least`: until each pill says something. */
function shrunk(pen, need, least, pills, {room, age}) {
  const spare = room - pen.marksWidth([], age) - pills.length * (LEAST_PILL + 6) - 8;
  return Math.min(least, Math.max(need * LEAST_SCALE, spare));
}

/** The line with most room of those that give way to a pill: a reason of a failure does not. */
function widest(free, spots) {
  const titles = free.filter((_, n) => spots[n].isBelow === undefined);
  return titles.indexOf(Math.max(...titles));
}

/** The line below a title as a place for pills, where there is one: a part of it stays. */
function spotBelow(below, middle, said) {
  const need = textWidth(below.text, 13, 'point') + 8;
  return {middle, need, least: Math.min(need, said.room * 0.5), isBelow: !below.failed};
}

/** A closed row of several lines: its title, what stands out, and the line below them if there is room. */
function drawStacked(pen, row, text, list, said) {
  const below = subtitle(row, said.face, said.head);
  // Without a title and what stands out, the id.
  const lines = text.first > 0 ? text.title : [''], count = Math.max(1, text.first);
  const hasLine = below.text !== '' && (count + 1) * LINE <= said.height + 0.5;
  const first = (said.height - (count + (hasLine ? 1 : 0)) * LINE) / 2 + LINE / 2;
  const isWhole = Boolean(said.face.row) || text.title.length > 1, last = first + count * LINE;
  const spots = lines.map((line, n) => {
    const need = titleWidth(line || row.id, said.face);
    // A line of several is smaller where a pill needs room, but for a row that must be read.
    const gives = said.face.row ? 0 : GIVES;
    return {
      middle: first + n * LINE,
      need,
      least: isWhole ? Math.max(Math.min(need, 60), need - gives) : 60,
      shrinks: isWhole
    };
  });
  // Without a title what stands out is in its place, and is made smaller.
  if (lines.length === 0) {
    const need = standsWidth(text.emphasised[0]);
    spots.push({middle: first, need, least: need, shrinks: true});
  }
  if (hasLine) spots.push(spotBelow(below, last, said));
  const rooms = placeMarks(pen, spots, list, said);
  if (isWhole) wholeTitle(pen, row, lines, first, said, rooms.slice(0, lines.length));
  else if (lines.length > 0) title(pen, row, said.face, first, rooms[0]);
  const {length} = lines;
  const middle = pen.allStanding(text.emphasised, first + length * LINE, said, length > 0 ? said.room : rooms[0]);
  if (hasLine) pen.text(below.failed ? 'detail failed' : 'detail', below.text, pen.left, middle, rooms.at(-1));
  return first;
}

function drawStripTitle(pen, row, list, said) {
  if (!said.stripTitle) return undefined;
  const middle = Math.min(6, said.height / 8) + 12;
  const room = pen.marks(list, said.age, middle, pen.right - pen.left);
  title(pen, row, said.face, middle, room);
  return undefined;
}

/** How wide the first line of an opened row without a title is. */
function untitledWidth({emphasised, fields}) {
  if (emphasised.length > 0) return standsWidth(emphasised[0]);
  const keys = fields.map(({key}) => textWidth(key, 13, 'point')), [{value, lines}] = fields;
  return Math.max(textWidth(lines[0], 14, 'point'), Math.max(...keys) + 14 + textWidth(value, 14, 'point')) + 7;
}

/** The marks of an opened row: where they would cut its title, above it. Gives the room of its first line. */
function openMarks(pen, row, title, open, natural, top, list, said) {
  const needs = title.length > 0 ? titleWidth(title[0] || row.id, said.face) : untitledWidth(open);
  const isFree = list.length === 0 || title.length < 2;
  if (natural < LEAST_ABOVE || (isFree && needs + pen.marksWidth(list, said.age) <= said.room)) {
    const pills = title.length > 1 ? [] : list;
    // Only what stands out is made smaller.
    const isFixed = title.length > 0 || open.emphasised.length === 0;
    return pen.marks(pills, said.age, top, said.room, isFixed ? needs : shrunk(pen, needs, needs, pills, said));
  }
  pen.marks(list, said.age, Math.max(LINE / 2, top - LINE), said.room, 0);
  return said.room;
}

function drawOpen(pen, row, {open, top: natural}, list, said) {
  const top = Math.min(natural + LINE / 2, said.height / 2);
  // Without a title a manual layout has no line for one: the id stands there only if nothing else does.
  const lines = open.first + open.fields.length > 0 ? open.title : [''];
  const room = openMarks(pen, row, lines, open, natural, top, list, said);
  const fits = (middle) => middle + LINE / 2 <= said.height + 0.5;
  if (said.face.row) wholeTitle(pen, row, lines, top, said, lines.map((_, n) => (n === 0 ? room : said.room)));
  else if (!said.face.title) lines.forEach(() => title(pen, row, said.face, top, room));
  else {
    lines.filter((_, n) => fits(top + n * LINE)).forEach((line, n) => {
      pen.title(line, top + n * LINE, n === 0 ? room : said.room, n ? said.alpha : 1);
    });
  }
  const middle =
    pen.allStanding(open.emphasised, top + open.title.length * LINE, said, lines.length > 0 ? said.room : room);
  const end = drawFields(pen, open.fields, middle, said, row.expand === 'expanded' ? 0 : FOOT);
  const failed = subtitle(row, said.face);
  const free = said.height - (end - LINE / 2);
  if (failed.failed && free >= 22) {
    pen.text('detail failed', failed.text, pen.left, said.height - free / 2, said.room);
  }
}

/** The fields of an opened row in two columns; one that is too wide for its column has all of the row's width. */
function drawFields(pen, fields, start, said, foot) {
  const most = Math.max(0, Math.floor((said.height - foot - (start - LINE / 2) + 0.5) / LINE));
  const needed = fields.reduce((sum, one) => sum + one.lines.length, 0);
  let left = needed <= most ? most : most - 1, middle = start, count = 0;
  while (count < fields.length && fields[count].lines.length <= left) left -= fields[count++].lines.length;
  const seen = fields.slice(0, count);
  const keys = seen.map(({key}) => textWidth(key, 13, 'point'));
  const column = Math.min(Math.max(0, ...keys) + 14, said.room * 0.45);
  for (const {key, value, lines} of seen) {
    const isCut = textWidth(key, 13, 'point') > column - 6;
    const isWide = isCut || lines.length > 1 || textWidth(value, 14, 'point') > said.room - column;
    if (isWide) {
      lines.forEach((line, n) => pen.text('value', line, pen.left, middle + n * LINE, said.room, said.alpha));
    } else {
      pen.text('key', key, pen.left, middle, column - 6, said.alpha);
      pen.text('value', value, pen.left + column, middle, said.room - column, said.alpha);
    }
    middle += lines.length * LINE;
  }
  if (most > 0 && count < fields.length) {
    const rest = fields.length - count;
    pen.text('detail', word('row.moreFields', {count: rest}), pen.left, middle, said.room, said.alpha);
    middle += LINE;
  }
  return middle;
}
