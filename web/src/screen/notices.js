/** Notices that hold for a while, in lines above the rows: who edits, and that this screen's clock is wrong. */
import {el, setText} from './dom.js';
import {refusalSaid} from './says.js';
import {span, word} from './words.js';

export class Notices {
  constructor(board) {
    this.board = board;
    this.everybody = line(refusalSaid({code: 'editing'}), word('notice.end'), () => board.actions.endEditing());
    this.own = line(word('notice.editing'), word('done'), () => board.edit(false));
    this.clock = line('');
    this.element = el('div', {role: 'status'}, this.everybody, this.own, this.clock);
  }

  draw() {
    const {board} = this;
    this.everybody.hidden = board.table?.editing !== true;
    this.everybody.lastChild.hidden = !board.mayChange;
    // Elsewhere the button in the heading says so, which a kiosk does not show.
    this.own.hidden = !(board.table && board.isEditing && board.settings.kiosk);
    const ahead = board.session.clockAhead ?? 0;
    this.clock.hidden = ahead === 0;
    if (ahead === 0) return;
    const far = span(Math.round(Math.abs(ahead) / 1000));
    setText(this.clock.firstChild, word(ahead > 0 ? 'notice.ahead' : 'notice.behind', {span: far}));
  }
}

function line(text, title, run) {
  const button = title ? el('button', {class: 'tool', type: 'button', text: title, on: {click: run}}) : null;
  return el('div', {class: 'notice', hidden: true}, el('span', {text}), button);
}
