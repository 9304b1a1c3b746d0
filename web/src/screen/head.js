/** The head of a board: its name, how fresh it is, who else is there, and what can be done. */
import {el, setAttribute, setText} from './dom.js';
import {icon} from './icons.js';
import {boardMenu} from './menus.js';
import {showScreen} from './screen.js';
import {word} from './words.js';

export class Head {
  constructor(board) {
    this.board = board;
    this.title = el('h1', {text: board.name});
    this.facts = el('span', {class: 'facts'});
    this.viewers = el('span', {class: 'viewers'});
    this.edit = el('button', {class: 'tool', click: () => board.actions.edit()});
    const tool = (label, name, size, click, more = {}) =>
      el('button', {class: 'tool', 'aria-label': label, click, ...more}, icon(name, size));
    this.find = tool(word('find.rows'), 'magnifyingglass', 22, () => board.find.open(), {class: 'tool seek'});
    this.undo = tool(word('undo.latest'), 'undo', 22, () => board.actions.undo());
    const opens = {'aria-haspopup': 'dialog'};
    const more = tool(word('more'), 'ellipsis', 24, () => boardMenu(board), opens);
    this.gear = tool(word('screen'), 'gear', 22, () => showScreen(board), {class: 'tool gear', ...opens});
    this.where = el('div', {class: 'where'}, this.title);
    this.element = el('header', {class: 'head'}, this.where, this.viewers, this.find, this.undo, this.edit, more);
  }

  draw() {
    const {board} = this;
    const {table} = board;
    if (!this.pill) {
      this.pill = board.fresh.pill;
      this.where.append(this.pill, this.facts);
    }
    // A kiosk does not show the head. How fresh the board is has to be seen all the same, and there is a way out.
    const {kiosk} = board.settings;
    if (kiosk && this.pill.parentElement !== board.element) board.element.append(this.pill, this.gear);
    else if (!kiosk && this.pill.parentElement !== this.where) {
      this.title.after(this.pill);
      this.gear.remove();
    }
    const rows = table?.size ?? 0;
    setText(this.facts, table ? word('rows', {count: rows}) : '');
    const editing = board.isEditing;
    this.find.hidden = !table;
    this.edit.hidden = !table || !board.mayChange;
    this.undo.hidden = !table || !board.mayChange;
    setText(this.edit, word(editing ? 'done' : 'edit'));
    setAttribute(this.edit, 'aria-pressed', String(editing));
    this.drawViewers();
  }

  /** Initials of who else looks at it. */
  drawViewers() {
    const {device} = this.board.session;
    const all = this.board.follow?.presence.viewers ?? [];
    const names =
      all.filter((one) => !device?.prefix || !one.client?.startsWith(device.prefix)).map((one) => one.name || '?');
    const key = names.join('\n');
    if (key === this.drawn) return;
    this.drawn = key;
    const shown = names.slice(0, 3).map(
      (name) => el('span', {class: 'viewer', title: name, 'aria-hidden': 'true', text: initials(name)}));
    if (names.length > 3)
      shown.push(el('span', {class: 'viewer', 'aria-hidden': 'true', text: `+${names.length - 3}`}));
    // On a phone this alone is shown: the room is for the board's name.
    if (names.length)
      shown.push(el('span', {class: 'viewer count', 'aria-hidden': 'true', text: String(names.length)}));
    const words = names.length ?
      el('span', {class: 'unseen', text: word('head.here', {names: names.slice(0, 12).join(', ')})}) :
      null;
    this.viewers.replaceChildren(...shown, ...(words ? [words] : []));
  }
}

function initials(name) {
  return name.split(/\s+/).map((word) => [...word][0] ?? '').join('').slice(0, 2).toUpperCase();
}
