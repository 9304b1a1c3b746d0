/** How much of each thing there is on this screen's sections. A sheet, or what a screen shows in place of rows. */
import {totalsOf} from '../model/totals.js';
import {el, fillSelect, setText} from './dom.js';
import {sheet} from './sheet.js';
import {number, word} from './words.js';

/** More lines nobody would read. */
const MOST = 200;
/** More fields nobody would choose from. */
const MOST_FIELDS = 12;

/** The fields that a table's kinds ask for, or else show. */
export function fieldsOf(table) {
  const all = [...table?.kinds.values() ?? []].flatMap((kind) => kind.form ?? kind.show?.detail ?? []);
  return [...new Set(all)].slice(0, MOST_FIELDS);
}

export class Totals {
  constructor(board) {
    this.board = board;
    this.select = el('select', {'aria-label': word('totals.by'), change: () => this.draw()});
    this.list = el('ol', {});
    this.none = el('p', {text: word('totals.nothing')});
    this.element = el('div', {class: 'totals'}, this.select, this.none, this.list);
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
    const fields = fieldsOf(this.board.table).map((one) => [one, word('order.field', {field: one})]);
    const options = [['', word('totals.title')], ...fields];
    const key = JSON.stringify(options);
    if (key === this.filled) return;
    this.filled = key;
    fillSelect(this.select, options, this.select.value);
  }

  draw() {
    if (!this.element.isConnected) return;
    this.fill();
    const totals = totalsOf(this.rows, this.select.value).slice(0, MOST);
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
