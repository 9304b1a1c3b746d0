/**
 * The settings of this screen. They are kept on the device; what the page's address says goes first, for this page.
 * There is one form of them, that of a query, for the address, for what is kept, and for links to other screens.
 */
import {distanceOf, fitting, scaleAt} from './sizes.js';
import {LANGUAGES} from './words.js';

const KEPT = 'trestle.screen';
const MOST_TEXT = 8192;
const MOST_SECTIONS = 64;
const MOST_NAME = 256;

const oneOf = (...values) => ({
  first: values[0],
  read: ([text]) => (values.includes(text) ? text : undefined),
});
const whole = (first, least, most) => ({
  first,
  read: ([text]) => {
    const number = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
    return number >= least && number <= most ? number : undefined;
  },
});
const yesOrNo = {
  first: false,
  read: ([text]) => new Map([['', true], ['1', true], ['0', false]]).get(text),
  write: (isOn) => (isOn ? '1' : '0'),
};
/** The keys that a bump bar sends: of its tiles 1 to 9, and of that which takes back. */
export const BAR = '1234567890';
const isBar = (text) => text === '' || (/^[^\s\p{C}]{2,10}$/u.test(text) && new Set(text).size === text.length);
/** The news that may sound, as a board's alerts name them. */
export const NEWS = ['new', 'late', 'emphasised', 'failed'];
const isSound = (text) => ['auto', 'on', 'off'].includes(text)
  || (text !== '' && text.split(' ').every((one, index, all) => NEWS.includes(one) && all.indexOf(one) === index));
const isName = (text) => text !== '' && text.length <= MOST_NAME;

/** Each setting: its value at first, and what reads a value from the texts of a query (undefined: it is none). */
export const SETTINGS = {
  board: {first: '', read: ([text]) => (isName(text) && !text.includes('/') ? text : undefined)},
  section: {first: [], read: (texts) => texts.filter(isName).slice(0, MOST_SECTIONS)},
  view: oneOf('auto', 'lists', 'cards', 'totals'),
  columns: whole(0, 0, 12),
  distance: oneOf('auto', 'hand', 'counter', 'wall'),
  scale: whole(100, 75, 300),
  lang: oneOf('auto', ...LANGUAGES),
  theme: oneOf('auto', 'light', 'dark'),
  sound: {first: 'auto', read: ([text]) => (isSound(text) ? text : undefined)},
  notify: yesOrNo,
  wet: yesOrNo,
  bump: {first: '',
    read: ([text]) => (text === '1' ? BAR :
        isBar(text)                 ? text :
                                      undefined)},
  kiosk: yesOrNo,
};

/** The settings that a query names. A text that is no value of one is left out. */
export function readSettings(search) {
  const query = new URLSearchParams(String(search ?? '').slice(0, MOST_TEXT));
  const said = {};
  for (const [name, {read}] of Object.entries(SETTINGS)) {
    const value = query.has(name) ? read(query.getAll(name)) : undefined;
    if (value !== undefined) said[name] = value;
  }
  return said;
}

/** Settings as a query. Those that are as at first are left out. */
export function writeSettings(values) {
  const query = new URLSearchParams();
  for (const [name, {first, write = String}] of Object.entries(SETTINGS)) {
    const value = values[name] ?? first;
    if (Array.isArray(value))
      for (const one of value) query.append(name, one);
    else if (value !== first) query.set(name, write(value));
  }
  return String(query);
}

/** The settings that this device keeps, as a query. */
export function keptSettings() {
  try {
    return localStorage.getItem(KEPT) ?? '';
  } catch {
    return '';
  }
}

/** Keeps it. If that is impossible, it holds until the page is closed. */
export function keepSettings(values) {
  try {
    localStorage.setItem(KEPT, writeSettings(values));
  } catch { /* the device keeps nothing */
  }
}

export class Settings {
  constructor(address = location) {
    this.kept = readSettings(keptSettings());
    this.said = readSettings(address.search);
    this.wide = innerWidth;
    // Before anything is scaled: what people have set in their browser.
    this.browsers = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
    this.take();
  }

  take() {
    for (const [name, {first}] of Object.entries(SETTINGS)) this[name] = this.said[name] ?? this.kept[name] ?? first;
    this.apply();
  }

  /** Keeps another value. From now on the address does not say another one. */
  set(name, value) {
    // Another window of this device may have chosen something else meanwhile.
    const stored = keptSettings();
    if (stored) this.kept = readSettings(stored);
    this.kept[name] = value;
    delete this.said[name];
    const url = new URL(location.href);
    // The board is no setting there, but the page's subject.
    if (name !== 'board' && url.searchParams.has(name)) {
      url.searchParams.delete(name);
      history.replaceState(null, '', url);
    }
    keepSettings(this.kept);
    this.take();
  }

  /** Everything as it is on a new device. */
  forget() {
    for (const [name, {first}] of Object.entries(SETTINGS)) this.set(name, first);
  }

  /** The values that hold, by name. */
  get values() { return Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, this[name]])); }

  /** The width of the board, in pixels. */
  measure(width) {
    this.wide = width;
    this.apply();
  }

  /** How far people stand. */
  get away() { return this.distance === 'auto' ? this.guessed : this.distance; }

  /** How far people stand from a screen like this one. */
  get guessed() {
    const isTouched = matchMedia('(any-pointer: coarse)').matches;
    return distanceOf({width: screen.width, height: screen.height, isTouched, isKiosk: this.kiosk});
  }

  get hasCards() { return this.view === 'cards' || (this.view === 'auto' && this.away === 'wall'); }

  shows(id) { return this.section.length === 0 || this.section.includes(id); }

  get sounds() { return NEWS.some((event) => this.soundsFor(event)); }

  /** Whether this sort of news sounds here. */
  soundsFor(event) {
    return this.sound === 'auto' ? this.kiosk : this.sound === 'on' || this.sound.split(' ').includes(event);
  }

  get sizes() { return fitting(this.browsers * scaleAt(this.away, screen) * (this.scale / 100), this.wide); }

  apply() {
    const root = document.documentElement;
    const {rows, around} = this.sizes;
    this.pixels = rows;
    root.style.setProperty('--s', String(rows));
    root.style.setProperty('--around', String(around / this.browsers));
    root.classList.toggle('kiosk', this.kiosk);
    root.classList.toggle('wet', this.wet);
    if (this.theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = this.theme;
  }
}
