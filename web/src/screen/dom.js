/** Elements without markup: everything that is shown is set as text, so a title can never be code. */
import {madeOnce} from '../model/read.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element. Properties: `class`, `text` (spelled out), `style` (by CSSOM), `data`; a function is what the event of that
 * name does; all others are attributes (labels are spelled out as well). Values of null, undefined and false are left out.
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  // Otherwise it would send the form that it stands in.
  if (tag === 'button') element.type = 'button';
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') element.className = value;
    else if (name === 'text') element.textContent = spell(value);
    else if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'style')
      for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === 'data') Object.assign(element.dataset, value);
    else setAttribute(element, name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets a text only where it differs, since each change costs a layout; a node that is there keeps its style. */
export function setText(element, text) {
  const spelled = spell(text), {firstChild} = element;
  if (firstChild instanceof Text && !firstChild.nextSibling && spelled !== '') {
    if (firstChild.data !== spelled) firstChild.data = spelled;
  } else if (element.textContent !== spelled) element.textContent = spelled;
}

/** Shows an element or not, by a change of the document only where it differs. */
export function setHidden(element, isHidden) {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** Attributes that a person is shown or told. */
const TOLD = new Set(['aria-label', 'title', 'placeholder']);

/** Sets an attribute only where it differs; null takes it away. */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = TOLD.has(name) ? spell(value) : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

// Controls, marks that change the direction of text, line separators, and what is not shown at all: as the
// terminal does it. The joiners of emoji and of scripts (U+200C, U+200D) are parts of letters.
const HIDDEN =
  new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
      '\\ufff9-\\ufffb]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
    'g');

/** A text with its control characters and direction marks spelled out: `\u202e`. */
export function spell(text) {
  return String(text ?? '')
    .replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[\ufdd0\ufdd1]/g, (one) => (one === '\ufdd0' ? '\u2068' : '\u2069'));
}

/** A colour that the browser takes, or null. Names and #rgb, #rrggbb and #rrggbbaa only. */
export function color(text) {
  return typeof text === 'string' && /^(#[0-9a-f]{3,8}|[a-z]{3,24})$/i.test(text) ? text : null;
}

const ofTheme = new Map();

/** A colour of the theme, by the name of its property. To ask the browser takes long, so it is asked once. */
export function themed(name) {
  const key =
    `${name} ${document.documentElement.dataset.theme ?? ''} ${matchMedia('(prefers-color-scheme: dark)').matches}`;
  return madeOnce(ofTheme, key, () => getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

/** Black or white, whichever is read better on a colour. */
export function contrast(background) {
  return ratio('#ffffff', background) >= ratio('#000000', background) ? '#ffffff' : '#000000';
}

/** The ink that is asked for where it can be read on this ground; otherwise white or black. */
export function inkOn(background, asked) {
  return asked && ratio(background, asked) >= 4.5 ? asked : contrast(background);
}

const known = new Map();

/** Red, green and blue of a colour, each from 0 to 1. */
function channels(text) {
  if (known.size > 200) known.clear();
  return madeOnce(known, text, () => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
  });
}

/** How bright a colour is: 0 to 1. */
function luminance(text) {
  const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = channels(text).map(part);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** How well one colour is read on another: 1 to 21. */
export function ratio(a, b) {
  const [x, y] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return x > y ? x / y : y / x;
}

/** Puts an element where a layout has it: [x, y, width, height] in points, from the corner of what it is in. */
export function setBox({style}, [x, y, width, height], scale) {
  style.left = `${x * scale}px`;
  style.top = `${y * scale}px`;
  style.width = `${width * scale}px`;
  style.height = `${height * scale}px`;
}

/** Takes the elements whose keys are not wanted any more out of the document and of their map. */
export function keepOnly(elements, wanted, elementOf = (one) => one) {
  for (const [key, one] of elements) {
    if (wanted.has(key)) continue;
    elementOf(one).remove();
    elements.delete(key);
  }
}

/** A choice of one of these options, [value, text]. */
export function select(options, value, change) {
  const made = el('select', {change: () => change(made.value)});
  fillSelect(made, options, value);
  return made;
}

/** Other options for a choice. */
export function fillSelect(made, options, chosen) {
  made.replaceChildren(...options.map(([value, text]) => el('option', {value, text, selected: value === chosen})));
}
