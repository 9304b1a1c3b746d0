/** The bar at the bottom, with one sentence at a time and a remedy; and the live region. */
import {el, setText} from './dom.js';
import {icon} from './icons.js';

export class News {
  constructor() {
    this.foot = el('div', {class: 'foot', role: 'region', 'aria-label': 'News'});
    this.polite = el('div', {class: 'unseen', 'aria-live': 'polite', role: 'status'});
    this.waiting = [];
    this.saidAt = 0;
    this.timer = 0;
  }

  /** Shows a sentence. `kind`: "refused" or nothing; `act`: {title, run}. */
  show(sentence, {kind = '', act = null, seconds = 7} = {}) {
    this.hide();
    const bar = el('div', {class: 'news', data: {kind}});
    const words = el('p', {text: sentence});
    bar.append(words);
    if (act) {
      bar.append(el('button', {
        class: 'tool',
        type: 'button',
        text: act.title,
        on: {
          click: () => {
            this.hide();
            act.run();
          }
        },
      }));
    }
    bar.append(el('button', {
      class: 'tool',
      type: 'button',
      'aria-label': 'Close this message',
      on: {click: () => this.hide()},
    },
      icon('xmark', 18)));
    this.bar = bar;
    this.foot.append(bar);
    this.say(sentence);
    const stay = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        if (bar.matches(':hover') || bar.contains(document.activeElement)) stay();
        else if (this.bar === bar) this.hide();
      }, seconds * 1000);
    };
    stay();
  }

  /** Says a sentence that is no alarm. It takes nothing away from what is shown, such as the way to take an act back. */
  whisper(sentence) {
    if (!this.bar) {
      this.show(sentence, {seconds: 4});
      return;
    }
    const words = this.bar.querySelector('small') ?? this.bar.firstChild.appendChild(el('small'));
    setText(words, sentence);
    this.say(sentence);
  }

  hide() {
    clearTimeout(this.timer);
    this.bar?.remove();
    this.bar = null;
  }

  /** For those who do not see the board: at most one sentence a second; a flood is counted, not read. */
  say(sentence) {
    this.waiting.push(sentence);
    if (this.sayTimer) return;
    const wait = Math.max(60, 1200 - (performance.now() - this.saidAt));
    this.sayTimer = setTimeout(() => {
      this.sayTimer = 0;
      this.saidAt = performance.now();
      const all = this.waiting.splice(0);
      const text = all.length > 3 ? `${all.length} changes. The last: ${all.at(-1)}` : all.join(' ');
      if (this.polite.textContent === text) setText(this.polite, '');
      setText(this.polite, text);
    }, wait);
  }
}

/** The change of a diff, in a sentence for people; null where it is not worth one. */
export function sentenceOf(changed, table) {
  const who = changed.cause.name || (changed.cause.verb === 'expire' ? 'The table' : 'Somebody');
  const rows = changed.rows;
  const name = (one) => (one.after ?? one.before)?.title || one.id;
  const section = (id) => table.sections.find((one) => one.id === id)?.title || id;
  const news = [];
  const came = [], went = [], moved = [];
  for (const one of rows) {
    if (!one.before) {
      if (one.after) came.push(one);
    } else if (!one.after) went.push(one);
    else if (one.moved) moved.push(one);
  }
  if (came.length) news.push(`${who} added ${list(came, name)} to ${section(came[0].to)}.`);
  if (went.length) news.push(`${who} removed ${list(went, name)}.`);
  if (moved.length) news.push(`${who} moved ${list(moved, name)} to ${section(moved[0].to)}.`);
  if (changed.what.has('editing')) news.push(`${who} turned edit mode ${table.editing ? 'on' : 'off'} for everybody.`);
  if (!news.length && ['set', 'act'].includes(changed.cause.verb) && rows.length) {
    news.push(`${who} changed ${list(rows, name)}.`);
  }
  return news.length ? news.join(' ') : null;
}

function list(rows, name) { return rows.length === 1 ? name(rows[0]) : `${rows.length} rows`; }
