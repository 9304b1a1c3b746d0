// Looks through PAGES (search-index.js) for what was asked. Nothing is sent anywhere, and what was asked becomes
// text, never markup.
'use strict';

const MOST_FOUND = 40;
const MOST_WORDS = 12;
const AROUND = 90;

// Lower case without accents, letter for letter, so that places in it are places in the text.
function folded(text) {
  return Array.from(text, (letter) => {
    const plain = letter.normalize('NFD')[0].toLowerCase();
    return plain.length === letter.length ? plain : letter;
  }).join('');
}

function words(asked) {
  return [...new Set(folded(asked.slice(0, 200)).split(/[^\p{L}\p{N}_\-.]+/u)
    .map((word) => word.replace(/^[\-.]+|[\-.]+$/g, '')).filter(Boolean))].slice(0, MOST_WORDS);
}

// Where a word begins with it; -1: nowhere.
function place(text, word, from = 0) {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return at;
  }
  return -1;
}

const SECTIONS = PAGES.flatMap(([address, name, group, places], order) =>
  places.map(([anchor, heading, text], index) => ({
    address, name, group, anchor, heading, text, order, index,
    inName: folded(name), inHeading: folded(heading), inText: folded(text),
  })));

// How well a place answers; 0: not at all. Each word has to be there.
function worth(section, asked) {
  let sum = 0;
  for (const word of asked) {
    const found = (place(section.inHeading, word) >= 0 ? 8 : 0)
      + (place(section.inText, word) >= 0 ? 1 : 0)
      + (place(section.inName, word) >= 0 ? 4 : 0);
    if (found === 0) return 0;
    sum += found;
  }
  const whole = asked.join(' ');
  if (section.inHeading === whole) sum += 12;
  if (section.inName === whole || section.inName.startsWith(`${whole}(`)) sum += section.index < 2 ? 16 : 2;
  return sum;
}

function look(text) {
  const asked = words(text);
  if (asked.length === 0) return { asked, all: [] };
  const all = SECTIONS.map((section) => ({ section, sum: worth(section, asked) })).filter((one) => one.sum > 0);
  all.sort((one, other) => other.sum - one.sum || one.section.order - other.section.order
    || one.section.index - other.section.index);
  return { asked, all: all.map((one) => one.section) };
}

// The part of the text around the first word that is in it.
function excerpt(section, asked) {
  const places = asked.map((word) => place(section.inText, word)).filter((at) => at >= 0);
  const at = places.length > 0 ? Math.min(...places) : 0;
  const from = at <= AROUND ? 0 : section.text.indexOf(' ', at - AROUND) + 1;
  const part = section.text.slice(from, at + 2 * AROUND);
  return `${from > 0 ? '… ' : ''}${part}${from + part.length < section.text.length ? ' …' : ''}`;
}

// Text with what was asked for marked in it.
function marked(element, text, asked) {
  const plain = folded(text);
  let done = 0;
  while (done < text.length) {
    const next = asked.map((word) => ({ at: place(plain, word, done), length: word.length }))
      .filter((one) => one.at >= 0).sort((one, other) => one.at - other.at || other.length - one.length)[0];
    if (!next) break;
    const mark = document.createElement('mark');
    mark.textContent = text.slice(next.at, next.at + next.length);
    element.append(text.slice(done, next.at), mark);
    done = next.at + next.length;
  }
  element.append(text.slice(done));
  return element;
}

function item(section, asked) {
  const line = document.createElement('li');
  const link = document.createElement('a');
  link.href = section.address + (section.anchor ? `#${section.anchor}` : '');
  marked(link, section.heading || section.name, asked);
  const where = document.createElement('span');
  where.textContent = [section.group, section.name].filter((text) => text && text !== section.heading).join(' · ');
  const text = document.createElement('p');
  marked(text, excerpt(section, asked), asked);
  line.append(link, where, text);
  return line;
}

const field = document.getElementById('asked');
const list = document.getElementById('found');
const count = document.getElementById('count');

function show() {
  const { asked, all } = look(field.value);
  list.replaceChildren(...all.slice(0, MOST_FOUND).map((section) => item(section, asked)));
  if (asked.length === 0) count.textContent = '';
  else if (all.length === 0) count.textContent = 'Nothing has all of these words.';
  else if (all.length > MOST_FOUND) count.textContent = `${all.length} places, of which these answer best:`;
  else count.textContent = all.length === 1 ? 'One place:' : `${all.length} places:`;
}

field.value = (new URLSearchParams(location.search).get('q') || '').slice(0, 200);
field.addEventListener('input', show);
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  // A page that is read from a disk may not be allowed to change its address.
  try { history.replaceState(null, '', `?q=${encodeURIComponent(field.value)}`); } catch { /* It is shown anyway. */ }
  show();
});
show();
if (!field.value) field.focus();
