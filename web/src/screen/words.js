/**
 * The words of the page, in the language of its reader: `word('rows', {count: 2})`. Each language is a file of messages
 * (web/languages) in a small part of ICU's MessageFormat: {name}, {count, plural, one {# row} other {# rows}}.
 */
import {spell} from './dom.js';

/** The languages that there are; the first is taken where people read none of them. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'ar'];
const RIGHT_TO_LEFT = new Set(['ar']);
/** So long until messages that did not come are asked for once more. */
const AGAIN_MS = 2000;

/** The messages of the language in force, and what its texts are put together with. */
const now = {};

/** The first of the languages that somebody reads that there is. */
export function chosen(wanted, languages = globalThis.navigator?.languages ?? []) {
  if (LANGUAGES.includes(wanted)) return wanted;
  const read = languages.map((one) => one.split('-')[0].toLowerCase());
  return read.find((one) => LANGUAGES.includes(one)) ?? LANGUAGES[0];
}

/** Chooses the language of everything that is said from now on. */
export function speak(language, messages) {
  // A board's own texts have digits of the West, and so has what stands beside them.
  const locale = `${language}-u-nu-latn`;
  const unit = (name) => new Intl.NumberFormat(locale, {style: 'unit', unit: name, unitDisplay: 'short'});
  Object.assign(now, {
    isMirrored: RIGHT_TO_LEFT.has(language),
    messages: new Map(Object.entries(messages).map(([key, message]) => [key, read(message)])),
    rules: new Intl.PluralRules(language),
    number: new Intl.NumberFormat(locale),
    percent: new Intl.NumberFormat(locale, {style: 'percent'}),
    list: new Intl.ListFormat(language, {style: 'narrow', type: 'unit'}),
    time: new Intl.DateTimeFormat(locale, {hour: '2-digit', minute: '2-digit', second: '2-digit'}),
    day: new Intl.DateTimeFormat(locale, {dateStyle: 'medium'}),
    units: {day: unit('day'), hour: unit('hour'), minute: unit('minute'), second: unit('second')},
  });
}

/** Fetches the messages of a language, until they have come. `from`: the folder that has them. */
export async function learn(language, from) {
  for (;;) {
    try {
      const answer = await fetch(`${from}${language}.json`);
      if (answer.ok) return speak(language, await answer.json());
    } catch { /* the network is away */
    }
    await new Promise((done) => {
      setTimeout(done, AGAIN_MS);
    });
  }
}

/** Whether the language is written from right to left. */
export function isMirrored() { return now.isMirrored === true; }

/** The side on which a line begins. */
export function startSide() { return isMirrored() ? 'right' : 'left'; }

/** A message with its values. A text among them keeps its own direction, whatever stands around it. */
export function word(key, values = {}) {
  const parts = now.messages?.get(key);
  return parts ? filled(parts, values) : key;
}

/** A message as a value of another one: it is no foreign text, whose direction would be kept apart. */
export function within(text) { return {within: text}; }

/** Whether there is a message of that key. */
export function hasWord(key) { return now.messages?.has(key) === true; }

export function number(value) { return now.number.format(value); }

export function percent(value) { return unmarked(now.percent.format(value / 100)); }

export function timeOfDay(ms) { return unmarked(now.time.format(ms)); }

export function day(ms) { return unmarked(now.day.format(ms)); }

/** A text of Intl without its marks of direction, which would be spelled out. */
function unmarked(text) { return text.replace(/[\u061c\u200e\u200f]/g, ''); }

/** How long, in words: `42 sec`, `5 min`, `1 hr 5 min`. */
export function span(seconds) {
  const {units, list} = now;
  if (seconds < 60) return units.second.format(seconds);
  if (seconds < 3600) return units.minute.format(Math.floor(seconds / 60));
  return list.format(
    [units.hour.format(Math.floor(seconds / 3600)), units.minute.format(Math.floor((seconds % 3600) / 60))]);
}

/** A span in one unit, in which it is said best. */
export function about(seconds) {
  const {units} = now;
  if (seconds < 120) return units.second.format(seconds);
  return seconds < 7200 ? units.minute.format(Math.round(seconds / 60)) : units.hour.format(Math.round(seconds / 3600));
}

/** An age as boards show it: up to an hour it is a clock. */
export function ageSaid(seconds) {
  const two = (count) => String(count).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (seconds < 3600) return `${minutes}:${two(Math.floor(seconds) % 60)}`;
  if (seconds < 86400) return word('age.hours', {hours: Math.floor(seconds / 3600), minutes: two(minutes % 60)});
  return word('age.days', {days: Math.floor(seconds / 86400)});
}

function filled(parts, values, count) {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.name === '#') return count === undefined ? '#' : number(count);
      const value = values[part.name];
      if (value?.within !== undefined) return value.within;
      if (part.forms) return filled(formOf(part.forms, value), values, value);
      return typeof value === 'number' ? number(value) : isolated(String(value ?? ''));
    })
    .join('');
}

/** `one {…} other {…}` of a plural. `=1 {…}` is for that number alone. */
function formOf(forms, value) { return forms[`=${value}`] ?? forms[now.rules.select(value)] ?? forms.other; }

/**
 * U+FDD0 and U+FDD1 stand for the marks of a text with a direction of its own: in a title those would be spelled out. A text
 * that has such marks already, as a message in a message, loses them: around all of it they stand.
 */
function isolated(text) {
  if (!now.isMirrored || !/\p{L}/u.test(text)) return text;
  return `\ufdd0${spell(text.replace(/[\ufdd0\ufdd1]/g, ''))}\ufdd1`;
}

/** Reads a message into its parts: texts, and {name, forms}. Throws where it is none. */
export function read(message) {
  let at = 0;
  const take = (pattern) => {
    const found = new RegExp(pattern, 'y');
    found.lastIndex = at;
    const [all, first] = found.exec(message) ?? [];
    if (all === undefined) throw new SyntaxError(`${message}: at ${at}`);
    at += all.length;
    return first;
  };
  const text = (isOuter) => {
    const parts = [];
    while (at < message.length && message[at] !== '}') {
      if (message[at] === '#' && !isOuter) parts.push({name: take('(#)')});
      else if (message[at] === '{') parts.push(slot());
      else parts.push(take(isOuter ? '([^{}]+)' : '([^{}#]+)'));
    }
    return parts;
  };
  const slot = () => {
    const part = {name: take('\\{(\\w+)')};
    if (message[at] === ',') {
      take(', plural,');
      part.forms = {};
      while (message[at] === ' ') {
        const name = take(' (=\\d+|\\w+) \\{');
        part.forms[name] = text(false);
        take('\\}');
      }
      if (!part.forms.other) throw new SyntaxError(`${message}: there is no form "other"`);
    }
    take('\\}');
    return part;
  };
  const parts = text(true);
  if (at < message.length) throw new SyntaxError(`${message}: at ${at}`);
  return parts;
}
