/** The line in which people look for rows, and say in which order they want them. It is this screen's own. */
import {orderOf, readFind, Sifted} from '../model/find.js';
import {clockOf} from './content.js';
import {el, fillSelect, setText} from './dom.js';
import {icon} from './icons.js';
import {faultSaid} from './says.js';
import {fieldsOf} from './totals.js';
import {word} from './words.js';

/** Letters that are as wide as two others: so the sign under a text stands at its place. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{3fffd}]/gu;

export class Find {
  constructor(board) {
    this.board = board;
    this.text = '';
    this.sort = '';
    this.test = null;
    this.isTimed = false;
    /** Whether the rows of now are those of a condition. */
    this.isCondition = false;
    this.input = el('input', {
      type: 'search',
      dir: 'auto',
      'aria-label': word('find.rows'),
      placeholder: word('find.example'),
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      enterkeyhint: 'search',
      input: () => this.typed(),
      keydown: (event) => this.key(event),
    });
    this.count = el('span', {class: 'count', role: 'status'});
    this.order = el('select', {'aria-label': word('order'), change: () => this.sorted()});
    const close =
      el('button', {class: 'tool', 'aria-label': word('find.stop'), click: () => this.close()}, icon('xmark', 20));
    this.fault = el('div', {class: 'fault', role: 'alert', hidden: true});
    this.element = el('search', {class: 'find', hidden: true},
      el('div', {class: 'line'}, icon('magnifyingglass', 20), this.input, this.count, this.order, close), this.fault);
  }

  get isOpen() { return !this.element.hidden; }

  open() {
    const {table} = this.board;
    if (!table) return;
    this.element.hidden = false;
    this.fillOrder();
    this.input.focus();
    this.input.select();
  }

  /** Everything is shown again, and the keys are for rows. */
  close() {
    const had = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.input.value = this.text = this.sort = '';
    this.test = null;
    this.isTimed = this.isCondition = false;
    this.fault.hidden = true;
    this.apply();
    if (had) this.board.keys.toRows();
  }

  fillOrder() {
    const fields = fieldsOf(this.board.table).map((name) => [`field.${name}`, word('order.field', {field: name})]);
    const all = [['', word('order.none')], ['-age', word('order.age')], ['title', word('order.title')], ...fields];
    fillSelect(this.order, all, this.sort);
  }

  sorted() {
    this.sort = this.order.value;
    this.apply();
  }

  typed() {
    this.text = this.input.value;
    const {test, fault, isTimed = false, isCondition = false} = readFind(this.text);
    this.fault.hidden = !fault;
    this.input.setAttribute('aria-invalid', String(Boolean(fault)));
    if (fault) {
      // The rows of before are shown on. A condition's first letters were no words: what those found is nothing.
      if (!this.isCondition && this.test) {
        this.test = null;
        this.apply();
      }
      const before = [...fault.text].slice(0, fault.at).join('');
      const blanks = before.replace(WIDE, '\u3000').replace(/\S/gu, ' ');
      this.fault.replaceChildren(el('pre', {text: fault.text, dir: 'ltr'}), el('pre', {text: `${blanks}^`, dir: 'ltr'}),
        ...[faultSaid(fault), this.hint(fault)].filter(Boolean).map((text) => el('p', {text})));
      return;
    }
    Object.assign(this, {test, isTimed, isCondition});
    this.apply();
  }

  /** The way to write a field, where somebody wrote its bare name; null: it is none. */
  hint({key, values}) {
    const {kinds, sections} = this.board.table ?? {kinds: new Map(), sections: []};
    const isAsked =
      [...kinds.values()].some((kind) => [...kind.form ?? [], ...kind.show?.detail ?? []].includes(values.what));
    const isField = () =>
      isAsked || sections.some(({rows}) => rows.some(({fields}) => Object.hasOwn(fields ?? {}, values.what)));
    return key === 'unknown' && isField() ? word('find.field', {name: `field.${values.what}`}) : null;
  }

  apply() {
    const {board} = this;
    board.sift();
    this.draw();
  }

  /** The table as it is to be shown; null: as it is. */
  sifted(table) {
    const {test} = this;
    const order = orderOf(this.sort);
    const clock = () => clockOf(this.board.now());
    return test || order ? new Sifted(table, {test, order, clock}) : null;
  }

  /** Where a condition names times, other rows may fit by now. */
  look() {
    const {sifted} = this.board;
    if (!this.isTimed || !sifted) return;
    const found = this.test(sifted.table, sifted.clock());
    if (found.size !== sifted.size || [...found].some((id) => !sifted.row(id))) this.apply();
  }

  draw() {
    const {board} = this;
    if (!board.table) return;
    setText(this.count, this.test ? word('find.count', {found: board.shownTable.size, all: board.table.size}) : '');
  }

  key(event) {
    // The key is for what puts letters together, as in Japanese. Safari tells it by its code alone.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      this.board.keys.toRows();
    }
  }
}
