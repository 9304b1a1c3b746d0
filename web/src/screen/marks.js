/** Rows that are marked on this screen, to do the same to all of them: one batch, one revision, one undo. */
import {confirmAct} from './dialogs.js';
import {el, setText} from './dom.js';
import {icon} from './icons.js';
import {isPinned} from './places.js';
import {namesSaid, refusalSaid} from './says.js';
import {actChoice, choice, group, sheet} from './sheet.js';
import {snoozeSheet} from './work.js';
import {within, word} from './words.js';

/** The number of rows that one command may name. */
const MOST = 1000;

export class Marks {
  constructor(board) {
    this.board = board;
    this.ids = new Set();
    this.words = el('p', {});
    const go = {class: 'tool', text: word('marks.do'), 'aria-haspopup': 'dialog', click: () => this.menu()};
    const clear = {class: 'tool', 'aria-label': word('marks.clear'), click: () => this.clear()};
    this.element = el('div', {class: 'marks'}, this.words, el('button', go), el('button', clear, icon('xmark', 18)));
  }

  get size() { return this.ids.size; }

  has(id) { return this.ids.has(id); }

  get rows() {
    const {sections} = this.board.table ?? {sections: []};
    return sections.flatMap((one) => one.rows).filter(({id}) => this.ids.has(id));
  }

  toggle(id) {
    if (!this.board.mayChange) return;
    if (this.ids.has(id)) this.ids.delete(id);
    else if (this.ids.size < MOST) this.ids.add(id);
    else this.board.news(word('marks.most', {count: MOST}));
    this.draw();
    const row = this.board.table.row(id)?.title || id;
    this.board.say(`${word(this.ids.has(id) ? 'marks.marked' : 'marks.unmarked', {row})} ${this.said}`);
  }

  clear() {
    this.ids.clear();
    this.draw();
  }

  /** Rows that have gone, or stand where this screen shows nothing, are not marked any more, also if they come back. */
  follow() {
    const {ids, board: {table, settings}} = this;
    if (ids.size === 0) return;
    for (const id of ids)
      if (!table?.row(id) || !settings.shows(table.sectionOf(id))) ids.delete(id);
    this.draw();
  }

  get said() { return word('marks.count', {count: this.ids.size}); }

  draw() {
    const {board} = this;
    if (this.ids.size === 0) this.element.remove();
    else if (!this.element.isConnected) board.newsBar.foot.prepend(this.element);
    setText(this.words, this.said);
    board.redrawRows();
  }

  /** Everything that can be done to all of them. */
  menu() {
    const {board} = this;
    const {rows} = this;
    if (rows.length === 0) return null;
    return sheet(word('did', {done: this.said, row: this.names(rows)}), () => {
      const ids = rows.map(({id}) => id);
      const sections = board.table.sections.filter(() => rows.every((row) => board.canMove(row)));
      const mayRemove = rows.every((row) => board.table.kinds.get(row.kind)?.canDelete !== false);
      return [
        ...this.acts(rows).map(({action, edge}, index) => actChoice(action, {
          key: index < 9 ? String(index + 1) : null,
          run: () => this.act(rows, action, edge),
        })),
        rows.length === 1 && choice({
          title: word('edit'),
          second: word('edit.more'),
          name: 'pencil',
          key: 'e',
          run: () => board.actions.change(rows[0]),
        }),
        choice({
          title: word('claim.them'),
          name: 'person',
          key: 'c',
          run: () => this.send(word('did.claimed'), rows, {claim: {rows: ids}}),
        }),
        choice({
          title: word('snooze.them'),
          name: 'clock',
          key: 's',
          run: () => snoozeSheet(
            board, word('snooze.them'), (end) => this.send(word('did.putOff'), rows, {snooze: {rows: ids, ...end}})),
        }),
        mayRemove && choice({
          title: word('delete'),
          name: 'trash',
          destructive: true,
          run: () => this.remove(rows),
        }),
        sections.length > 0 && group(word('move')),
        ...sections.map(({id, title}) => choice({
          title: word('move.to', {section: title || id}),
          name: 'arrow.right',
          run: () => this.send(word('did.moved'), rows, {move: {rows: ids, section: id, bottom: true}}),
        })),
      ];
    });
  }

  /** The actions that all of them have, at the same edge: [{action, edge}]. */
  acts(rows) {
    const {actions, table} = this.board;
    if (table.editing) return [];
    const [first, ...others] = rows.map((row) => actions.all(row));
    const same = (one) => ({action, edge}) => action.id === one.action.id && edge === one.edge;
    const common = first.filter(
      (one) => rows.every((row) => !actions.barred(one.action, row)) && others.every((all) => all.some(same(one))));
    // Where one of them asks before it is done, all of them do.
    return common.map((one) => [one, ...others.flat().filter(same(one))].find(({action}) => action.confirm) ?? one);
  }

  names(rows) { return namesSaid(rows.map((row) => row.title || row.id)); }

  /** What stands out of any of them stands in the question, too. */
  standing(rows) { return {emphasised: rows.flatMap((row) => this.board.actions.faceOf(row).emphasised)}; }

  async act(rows, action, edge) {
    if (action.confirm && !(await confirmAct(this.board, action, this.names(rows), this.standing(rows)))) return;
    const confirmed = action.confirm ? {confirmed: true} : {};
    // The versions are those that were seen when the sheet was opened, so that nothing is done twice.
    const batch = rows.map((row) => ({
      act: {row: row.id, action: action.id, edge, ...confirmed},
      ...(action.repeat ? {} : {ifVersion: row.version}),
    }));
    await this.send(action.title || action.id, rows, null, {batch});
  }

  async remove(rows) {
    const deletion = {title: word('delete'), role: 'destructive'};
    if (!(await confirmAct(this.board, deletion, this.names(rows), this.standing(rows)))) return;
    // Rows that were changed while the question was there are not deleted unseen, and neither are the others.
    const batch = rows.map(({id, version}) => ({remove: {rows: [id]}, ifVersion: version}));
    await this.send(word('did.deleted'), rows, null, {batch});
  }

  /** Nothing was done to any of them, and it is said for which row. That one can be unmarked, for another try. */
  refused(error, rows) {
    const {board} = this;
    if (rows.length === 1) return board.refused(error);
    const row = rows[error?.command];
    const why = within(refusalSaid(error));
    const said = row ? word('marks.refused.row', {row: row.title || row.id, why}) : word('marks.refused', {why});
    const act = row && {title: word('mark.end'), run: () => this.has(row.id) && this.toggle(row.id)};
    return board.news(said, {kind: 'refused', act, seconds: 20});
  }

  async send(what, rows, command, more) {
    const {board} = this;
    const reply = await board.follow.send(command, more);
    if (!reply.ok) {
      this.refused(reply.error, rows);
      return;
    }
    await board.shown(reply.revision);
    board.actions.landed(reply);
    const {id} = rows[0];
    const name = rows.length === 1 ? rows[0].title || id : word('rows', {count: rows.length});
    for (const row of rows) this.ids.delete(row.id);
    this.draw();
    board.actions.undoable(what, name, reply);
  }

  /** Whether a row may be marked: what is pinned stands for itself. */
  canMark(row) { return this.board.mayChange && !isPinned(this.board.table, row); }
}
