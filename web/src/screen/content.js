/**
 * The content of a row: lines and marks, each an element of its own at a place that was computed. Heights
 * and lines of open rows are the layout's; of closed rows only the middle counts.
 */
import {rowContent} from '../layout/rows.js';
import {textWidth} from '../layout/text.js';
import {fieldOf} from '../model/read.js';
import {color, contrast, el, ratio, themed} from './dom.js';
import {icon} from './icons.js';
import {reasonSaid} from './says.js';

const LINE = 20;
const TWO_LINES = 46;
/** The room below the last field of a row whose height is not that of its text. */
const FOOT = 6;
/** The room of a control of edit mode. */
export const SIDE = 52;

/** The fields of a row in the order of their keys, as texts. */
export function fieldsOf(row) {
  const keys = Object.keys(row.fields ?? {}).sort();
  return keys.map((key) => ({key, value: String(fieldOf(row, key) ?? '')}));
}

/** Actions of a row at an edge: its own, else its kind's. */
export function groupOf(row, kind, edge) {
  const own = row.actions && Object.hasOwn(row.actions, edge) ? row.actions[edge] : undefined;
  const group = own ?? kind?.[edge];
  return group && (group.actions ?? []).length > 0 ? group : null;
}

/** Why an action failed, or else the fields, in one line. */
export function subtitle(row) {
  const failed = (row.performed ?? []).find((one) => one.state === 'failed' && one.reason);
  if (failed) return {text: reasonSaid(failed.reason), failed: true};
  return {text: fieldsOf(row).map(({key, value}) => `${key} ${value}`).join(' · '), failed: false};
}

/** The marks beside a title: what is under way, what failed, who has it. */
export function pills(row, kind, said) {
  const title = (id) => {
    for (const edge of ['leading', 'trailing']) {
      const found = groupOf(row, kind, edge)?.actions.find((one) => one.id === id);
      if (found) return found.title || id;
    }
    return id;
  };
  const list = [];
  for (const one of row.performed ?? []) {
    if (one.item) continue;
    if (one.state === 'pending') list.push({class: '', text: `${title(one.action)} …`});
    if (one.state === 'failed') list.push({class: 'failed', text: `${title(one.action)} failed`});
  }
  if (said.lifted) list.push({class: 'up', text: 'lifted'});
  if (said.lease) list.push({class: 'who', text: `${said.lease} moves it`});
  if (row.claim) list.push({class: 'who', text: [row.claim.holder, row.claim.note].filter(Boolean).join(': ')});
  return list;
}

/** The person who works on a row, and their note. */
export function claimSaid({holder, note}) { return note ? `${holder} works on it: ${note}` : `${holder} works on it`; }

/** Draws the words of a row into `box`, anew. `said`: {width, height, age, lease, editing, scale, table}. */
export function drawWords(box, row, kind, said) {
  const {width, height, scale} = said;
  const pen = new Pen(box, scale);
  const {lines, appearance, alpha} = rowContent(row, kind, width, 'point');
  const closed = (row.expand ?? 'collapsed') === 'collapsed';
  const margin = Math.min(Math.max(kind?.margins?.text ?? 20, 0), width / 2);
  const left = said.editing && said.control ? SIDE : margin;
  const right = width - (said.editing && said.grip ? SIDE : Math.max(margin, said.more ? 24 : 0));
  const room = Math.max(0, right - left);
  // A row that somebody else holds is pale, without colours of its own.
  const paper = said.lease ? null : color(appearance?.background);
  pen.paper = paper;
  pen.tint = color(appearance?.tint) ?? (paper ? contrast(paper) : null);
  if (paper && pen.tint && ratio(paper, pen.tint) < 4.5) pen.tint = contrast(paper);
  const slide = box.parentElement.style;
  slide.background = paper ?? '';
  if (paper) slide.setProperty('--mark', pen.tint);
  else slide.removeProperty('--mark');
  pen.left = left;
  pen.right = right;
  const list = pills(row, kind, said);
  if (said.hasStrip) return drawStripTitle(pen, row, list, said);
  // Where a closed row has no room for the fields one below the other, they stand side by side.
  const first = lines.find((line) => line.part === 'field');
  const isLow = first && first.y + first.height + FOOT > height + 0.5;
  if (closed && (alpha === 0 || isLow)) drawClosed(pen, row, list, {...said, height, room});
  else drawOpen(pen, row, kind, lines, list, {...said, height, room, alpha, closed});
  return undefined;
}

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
    style.left = `${x * s}px`;
    style.top = `${(middle - LINE / 2) * s}px`;
    style.width = `${width * s}px`;
    style.height = `${LINE * s}px`;
    if (opacity < 1) style.opacity = opacity;
    const ink = this.ink(name);
    if (ink) style.color = ink;
    this.box.append(one);
    return one;
  }

  /** Pills and the age, from the right; gives the room that is left for the title. */
  marks(list, age, middle, room) {
    let end = this.right;
    if (age?.text) {
      const width = textWidth(age.text, 13, 'point') + 6;
      this.text(`age ${age.level}`, age.text, end - width, middle, width);
      end -= width + 8;
    }
    for (const pill of list) {
      const width = Math.min(textWidth(pill.text, 12, 'point') * 1.12 + 18, room * 0.5);
      if (end - width < this.left + 60) break;
      this.text(`pill ${pill.class}`, pill.text, end - width, middle, width);
      end -= width + 6;
    }
    return Math.max(0, end - this.left);
  }
}

function title(pen, row, middle, room) {
  if (row.title) pen.text('title', row.title, pen.left, middle, room);
  else pen.text('title bare', row.id, pen.left, middle, room);
}

function drawClosed(pen, row, list, said) {
  const below = subtitle(row);
  const two = said.height >= TWO_LINES && below.text !== '';
  const middle = two ? said.height / 2 - 10 : said.height / 2;
  const room = pen.marks(list, said.age, middle, said.room);
  const name = below.failed ? 'detail failed' : 'detail';
  if (two) {
    title(pen, row, middle, room);
    pen.text(name, below.text, pen.left, said.height / 2 + 11, said.room);
    return;
  }
  const wanted = textWidth(row.title || row.id, 15, 'point') * 1.08 + 4;
  title(pen, row, middle, Math.min(room, below.text ? Math.max(wanted, room * 0.5) : room));
  if (below.text && room - wanted > 40) {
    const width = Math.min(room - wanted - 12, textWidth(below.text, 13, 'point') + 4);
    pen.text(name, below.text, pen.left + room - width, middle, width);
  }
}

function drawStripTitle(pen, row, list, said) {
  if (!said.stripTitle) return;
  const middle = Math.min(6, said.height / 8) + 12;
  const room = pen.marks(list, said.age, middle, pen.right - pen.left);
  title(pen, row, middle, room);
}

function drawOpen(pen, row, kind, lines, list, said) {
  const fields = lines.filter((line) => line.part === 'field');
  const titles = lines.filter((line) => line.part === 'title');
  const first = lines[0] ? lines[0].y + lines[0].height / 2 : Math.min(kind?.height ?? 60, said.height) / 2;
  const top = Math.min(first, said.height / 2);
  const shift = top - first;
  const room = pen.marks(titles.length > 1 ? [] : list, said.age, top, said.room);
  const wide = titles.length > 1 && !said.age?.text ? said.room : room;
  const clip = (line) => line.y + line.height + shift <= said.height + 0.5;
  if (titles.length === 0 || !row.title) title(pen, row, top, room);
  else {
    titles.filter(clip).forEach((line, index) => {
      const width = index === 0 ? (titles.length > 1 ? Math.max(wide, said.room - 60) : room) : said.room;
      pen.text('title', line.text, pen.left, line.y + line.height / 2 + shift, width, index ? said.alpha : 1);
    });
  }
  const foot = row.expand === 'expanded' ? 0 : FOOT;
  const most = fields.filter((line) => line.y + line.height + shift + foot <= said.height + 0.5).length;
  const count = most < fields.length ? Math.max(0, most - 1) : most;
  const keys = fields.slice(0, count).map((line) => textWidth(line.key, 13, 'point'));
  const column = Math.min(Math.max(0, ...keys) + 14, said.room * 0.45);
  for (const line of fields.slice(0, count)) {
    const middle = line.y + line.height / 2 + shift;
    pen.text('key', line.key, pen.left, middle, column - 6, said.alpha);
    pen.text('value', String(fieldOf(row, line.key) ?? ''), pen.left + column, middle, said.room - column, said.alpha);
  }
  if (most > 0 && count < fields.length) {
    const rest = fields.length - count;
    const line = fields[count];
    pen.text('detail', `… ${rest} more field${rest === 1 ? '' : 's'}`, pen.left, line.y + line.height / 2 + shift,
      said.room, said.alpha);
  }
  const failed = subtitle(row);
  const last = lines.at(-1);
  const free = said.height - (last ? last.y + last.height : 0);
  if (failed.failed && free >= 22) {
    pen.text('detail failed', failed.text, pen.left, said.height - free / 2, said.room);
  }
}

/** A chevron in the left margin: whether the row is open. */
export function chevron() { return el('span', {class: 'chevron', 'aria-hidden': 'true'}, icon('chevron.right', 11)); }
