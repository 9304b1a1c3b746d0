/** How much of each thing there is on this screen's sections. A sheet, or what a screen shows in place of rows. */
import {totalsOf} from '../model/totals.js';
import {el, setText} from './dom.js';
import {sheet} from './sheet.js';
import {number, word} from './words.js';

/** More lines nobody would read. */
const MOST = 200;
const MOST_FIELDS = 12;

export class Totals {
  constructor(board) {
    this.board = board;
    this.by = '';
    this.select = el('select', {'aria-label': word('totals.by'), change: () => this.chosen()});
    this.list = el('ol', {});
    this.none = el('p', {text: word('totals.nothing')});
    this.element = el('div', {class: 'totals'}, this.select, this.none, this.list);
  }

  chosen() {
    this.by = this.select.value;
    this.draw();
  }

  /** The rows of this screen, but for those that only tell something. */
  get rows() {
    const {table, settings} = this.board;
    const isCounted = (row) => {
      const kind = table.kinds.get(row.kind);
      return !kind?.pinned && !kind?.strip;
    };
    return (table?.sections ?? []).filter(({id}) => settings.shows(id)).flatMap(({rows}) => rows.filter(isCounted));
  }

  fill() {
    const names = new Set();
    for (const kind of this.board.table?.kinds.values() ?? [])
      for (const name of kind.form ?? kind.show?.detail ?? []) names.add(name);
    const options = [
      ['', word('totals.title')],
      ...[...names].slice(0, MOST_FIELDS).map((one) => [one, word('order.field', {field: one})])
    ];
    const key = JSON.stringify(options);
    if (key === this.filled) return;
    this.filled = key;
    this.select.replaceChildren(
      ...options.map(([value, text]) => el('option', {value, text, selected: value === this.by})));
  }

  draw() {
    if (!this.element.isConnected) return;
    this.fill();
    const totals = totalsOf(this.rows, this.by).slice(0, MOST);
    this.none.hidden = totals.length > 0;
    const lines = [...this.list.children];
    totals.forEach(({name, count}, at) => {
      const line = lines[at] ?? this.list.appendChild(el('li', {}, el('b', {}), el('span', {})));
      setText(line.firstChild, number(count));
      setText(line.lastChild, name);
    });
    for (const line of lines.slice(totals.length)) line.remove();
  }

  /** Over the board, until it is closed. */
  async open() {
    if (!this.board.table || this.element.isConnected) return;
    const shown = sheet(word('totals'), () => this.element);
    this.draw();
    await shown;
  }
}
