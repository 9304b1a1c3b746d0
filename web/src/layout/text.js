// How wide text is, and how it is broken into lines (docs/LAYOUT.md, "Text").

import {MOST} from './numbers.js';
import {WIDE, ZERO, isIn} from './widths.js';

/** Size of text that has none of its own, in points. */
export const SIZE = 15;

const CELL = 10, CELL_HEIGHT = 20, ICON = 20;
const HAIR = 100, NO_BREAK_SPACE = 278, NARROW = 556, BROAD = 1000, MONO = 600;

// U+0020 to U+007E, in thousandths of an em: Helvetica's AFM file.
const ASCII = Uint16Array.of(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722,
  278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
  333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500,
  722, 500, 500, 500, 334, 260, 334, 584);

const PROPORTIONAL = new Set(['helvetica', 'arial', 'liberation sans', 'nimbus sans', 'sans-serif']);
const MONOSPACED = new Set(['courier', 'courier new', 'liberation mono', 'nimbus mono', 'monospace']);

const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});
const NOT_ASCII = /[^\x00-\x7f]/;
const EMOJI = /^\p{Emoji}/u;

/** Extended grapheme clusters. */
export function clusters(text) {
  if (!NOT_ASCII.test(text) && !text.includes('\r\n')) return text.split('');
  return Array.from(segmenter.segment(text), (one) => one.segment);
}

function columnsOfCode(code) {
  if (code >= 0x20 && code < 0x7f) return 1;
  if (code >= 0xa0 && code < 0x300) return 1;
  if (code < 0xa0 || isIn(code, ZERO)) return 0;
  return isIn(code, WIDE) ? 2 : 1;
}

/** Columns of one cluster: 0, 1 or 2. */
export function columnsOf(cluster) {
  let sum = 0, base = null;
  for (const scalar of cluster) {
    const code = scalar.codePointAt(0);
    if (code === 0xfe0f && base !== null && EMOJI.test(base)) return 2;
    const columns = columnsOfCode(code);
    sum = Math.min(2, sum + columns);
    if (columns > 0) base = scalar;
  }
  return sum;
}

function thousandths(cluster) {
  const columns = columnsOf(cluster);
  if (columns !== 1) return columns === 0 ? 0 : BROAD;
  for (const scalar of cluster) {
    const code = scalar.codePointAt(0);
    if (columnsOfCode(code) === 0) continue;
    if (code >= 0x20 && code <= 0x7e) return ASCII[code - 0x20];
    if (code === 0xa0) return NO_BREAK_SPACE;
    return code === 0x200a ? HAIR : NARROW;
  }
  return 0;
}

/** Cells, or thousandths of an em, of one cluster. */
function unitsOf(cluster, profile) {
  const code = cluster.charCodeAt(0);
  if (code < 128 && (cluster.length === 1 || cluster === '\r\n')) {
    if (code < 0x20 || code === 0x7f) return 0;
    return profile === 'cell' ? 1 : ASCII[code - 0x20];
  }
  return profile === 'cell' ? columnsOf(cluster) : thousandths(cluster);
}

function unitsOfText(text, profile) {
  let sum = 0;
  if (!NOT_ASCII.test(text)) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x20 && code < 0x7f) sum += profile === 'cell' ? 1 : ASCII[code - 0x20];
    }
    return sum;
  }
  for (const cluster of clusters(text)) sum += unitsOf(cluster, profile);
  return sum;
}

function soundSize(size) { return size > 0 && size <= MOST ? size : SIZE; }

/** From cells or thousandths to points. */
function points(units, size, profile) { return profile === 'cell' ? units * CELL : units * soundSize(size) / 1000; }

/** Width of a text in one line, in points. */
export function textWidth(text, size, profile = 'point') { return points(unitsOfText(text, profile), size, profile); }

/** Which of the families gives the widths, and those before it, which cannot be measured. */
export function chosenFont(families, profile = 'point') {
  if (profile === 'cell') return {mono: false, substituted: [...families]};
  const substituted = [];
  for (const family of families) {
    const name = family.toLowerCase();
    if (PROPORTIONAL.has(name)) return {mono: false, substituted};
    if (MONOSPACED.has(name)) return {mono: true, substituted};
    substituted.push(family);
  }
  return {mono: false, substituted};
}

/** Width of a text whose letters of one column are all equally wide, in points. */
export function monoWidth(text, size, profile = 'point') {
  if (profile === 'cell') return textWidth(text, size, profile);
  let sum = 0;
  for (const cluster of clusters(text)) {
    const columns = columnsOf(cluster);
    sum += columns === 0 ? 0 : columns === 1 ? MONO : BROAD;
  }
  return points(sum, size, profile);
}

/** Height of a line, in points. */
export function lineHeight(size, profile = 'point') {
  return profile === 'cell' ? CELL_HEIGHT : soundSize(size) * 4 / 3;
}

/** Width and height of an icon, in points. */
export function iconSize(size, profile = 'point') {
  if (profile === 'cell') return [2 * CELL, CELL_HEIGHT];
  const side = size > 0 && size <= MOST ? size : ICON;
  return [side, side];
}

const BREAKS = new Set(['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029']);

/** A text that is being broken into lines, cluster by cluster. */
class Wrapper {
  constructor(width, size, profile, beside) {
    this.first = Math.max(0, width - beside);
    this.width = width;
    this.size = size;
    this.profile = profile;
    this.lines = [];
    this.line = '';
    this.lineUnits = 0;
    this.blanks = '';
    this.blankUnits = 0;
    this.word = [];
    this.wordUnits = 0;
  }

  fits(units) { return points(units, this.size, this.profile) <= (this.lines.length === 0 ? this.first : this.width); }

  add(cluster) {
    if (BREAKS.has(cluster)) {
      this.endWord();
      this.endLine();
      return;
    }
    const units = unitsOf(cluster, this.profile);
    if (cluster === ' ' || cluster === '\t') {
      this.endWord();
      this.blanks += cluster;
      this.blankUnits += units;
    } else if (cluster.charCodeAt(0) > 127 || cluster.length > 1) {
      const wide = columnsOf(cluster) === 2;
      if (wide) this.endWord();
      this.push(cluster, units);
      if (wide) this.endWord();
    } else {
      this.push(cluster, units);
    }
  }

  push(cluster, units) {
    this.word.push(cluster);
    this.wordUnits += units;
  }

  endLine() {
    this.lines.push(this.line);
    this.line = this.blanks = '';
    this.lineUnits = this.blankUnits = 0;
  }

  endWord() {
    if (this.word.length === 0) return;
    const text = this.word.join('');
    if (this.fits(this.lineUnits + this.blankUnits + this.wordUnits)) {
      this.line += this.blanks + text;
      this.lineUnits += this.blankUnits + this.wordUnits;
    } else {
      if (this.line !== '') this.endLine();
      if (this.fits(this.wordUnits)) {
        this.line = text;
        this.lineUnits = this.wordUnits;
      } else {
        this.breakWord();
      }
    }
    this.blanks = '';
    this.blankUnits = 0;
    this.word = [];
    this.wordUnits = 0;
  }

  breakWord() {
    for (const cluster of this.word) {
      const units = unitsOf(cluster, this.profile);
      if (this.line !== '' && !this.fits(this.lineUnits + units)) this.endLine();
      this.line += cluster;
      this.lineUnits += units;
    }
  }

  finish() {
    this.endWord();
    this.endLine();
    return this.lines;
  }
}

/** The lines of a text for a width in points; at least one, which may be empty. The first has so much less for what is beside it. */
export function wrap(text, width, size, profile = 'point', beside = 0) {
  const wrapper = new Wrapper(Math.max(0, width), size, profile, beside);
  for (const cluster of clusters(text)) wrapper.add(cluster);
  return wrapper.finish();
}

/** How many lines `wrap` gives. A short text of ASCII in one line, the usual case, costs little. */
export function lineCount(text, width, size, profile = 'point') {
  if (!NOT_ASCII.test(text) && !/[\n-\r]/.test(text) && points(unitsOfText(text, profile), size, profile) <= width)
    return 1;
  return wrap(text, width, size, profile).length;
}

// Characters that a renderer would act upon, or that nobody could see: the table of VisibleText.swift.
const DANGEROUS = new RegExp('[\\0-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e' +
    '\\u2066-\\u2069\\ufeff\\ufffe\\uffff]',
  'g');
const NAMED = new Map([['\n', '\\n'], ['\r', '\\r'], ['\t', '\\t']]);

/** The text in one line, with every dangerous character spelled out: draw texts with this. */
export function shown(text) {
  return String(text).replace(
    DANGEROUS, (one) => NAMED.get(one) ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
