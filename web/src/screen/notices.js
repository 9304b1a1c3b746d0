/** Notices that hold for a while, in lines above the rows: who edits, and that this screen's clock is wrong. */
import {el, setHidden, setText} from './dom.js';
import {refusalSaid} from './says.js';
import {pausedSaid, resume} from './work.js';
import {span, within, word} from './words.js';

export class Notices {
  constructor(board) {
    this.board = board;
    this.everybody = line('', word('notice.end'), () => board.actions.send({edit: {on: false}}));
    this.paused = line('', word('pause.resume'), () => resume(board));
    this.own = line(word('notice.editing'), word('done'), () => board.edit(false));
    this.clock = line('');
    this.element = el('div', {role: 'status'}, this.everybody, this.paused, this.own, this.clock);
  }

  draw() {
    const {board} = this;
    setHidden(this.everybody, board.table?.editing !== true);
    setHidden(this.everybody.lastChild, !board.mayChange);
    const who = board.editor.name;
    setText(this.everybody.firstChild, who ? word('notice.editBy', {who}) : refusalSaid({code: 'editing'}));
    const pauses = board.table?.settings?.pauses ?? [];
    setHidden(this.paused, pauses.length === 0);
    setHidden(this.paused.lastChild, !board.mayChange);
    setText(this.paused.firstChild, pauses.map((one) => pauseSaid(board, one)).join(' '));
    // Elsewhere the button in the heading says so, which a kiosk does not show.
    setHidden(this.own, !(board.table && board.isEditing && board.settings.kiosk));
    const ahead = board.session.clockAhead ?? 0;
    setHidden(this.clock, ahead === 0);
    if (ahead === 0) return;
    const far = span(Math.round(Math.abs(ahead) / 1000));
    setText(this.clock.firstChild, word(ahead > 0 ? 'notice.ahead' : 'notice.behind', {span: far}));
  }
}

/** A sentence about paused work: who paused it, and why. */
function pauseSaid(board, {section, action, actor, note}) {
  const what = within(pausedSaid(board, {section, action}));
  return word(note ? 'pause.saidWhy' : 'pause.said', {what, who: actor, why: note});
}

function line(text, title, run) {
  const button = title ? el('button', {class: 'tool', text: title, click: run}) : null;
  return el('div', {class: 'notice', hidden: true}, el('span', {text}), button);
}
