/** The bar at the bottom, with one sentence at a time and a remedy; and the live region. */
import {el, setText} from './dom.js';
import {icon} from './icons.js';
import {word} from './words.js';

export class News {
  constructor() {
    this.foot = el('div', {class: 'foot', role: 'region', 'aria-label': word('news')});
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
      const run = () => {
        this.hide();
        act.run();
      };
      bar.append(el('button', {class: 'tool', text: act.title, click: run}));
    }
    const close = {class: 'tool', 'aria-label': word('news.close'), click: () => this.hide()};
    bar.append(el('button', close, icon('xmark', 18)));
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
      const text = all.length > 3 ? word('news.many', {count: all.length, last: all.at(-1)}) : all.join(' ');
      if (this.polite.textContent === text) setText(this.polite, '');
      setText(this.polite, text);
    }, wait);
  }
}

/** The change of a diff, in a sentence for people; null where it is not worth one. */
export function sentenceOf(changed, table) {
  const {cause, rows} = changed;
  const who = cause.name || word(cause.verb === 'expire' ? 'who.table' : 'who.somebody');
  const names = (some) => named(some.map((one) => (one.after ?? one.before)?.title || one.id));
  const section = (id) => table.sections.find((one) => one.id === id)?.title || id;
  const news = [];
  const came = [], went = [], moved = [];
  for (const one of rows) {
    if (!one.before) {
      if (one.after) came.push(one);
    } else if (!one.after) went.push(one);
    else if (one.moved) moved.push(one);
  }
  if (came.length) news.push(word('news.added', {who, rows: names(came), section: section(came[0].to)}));
  if (went.length) news.push(word('news.removed', {who, rows: names(went)}));
  if (moved.length) news.push(word('news.moved', {who, rows: names(moved), section: section(moved[0].to)}));
  if (changed.what.has('editing')) {
    if (table.editing) news.push(word('news.editOn', {who}));
    else if (cause.verb === 'expire') news.push(word('news.editOver'));
    else news.push(word(cause.undoes === undefined ? 'news.editOff' : 'news.editUndone', {who}));
  }
  if (!news.length && ['set', 'act'].includes(cause.verb) && rows.length) {
    news.push(word('news.changed', {who, rows: names(rows)}));
  }
  return news.length ? news.join(' ') : null;
}

/** One row has a name, several are counted. */
export function named(names) { return names.length === 1 ? names[0] : word('rows', {count: names.length}); }
