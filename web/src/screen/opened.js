/**
 * How far rows are open on this screen alone, in a table whose rows each screen opens for itself (`expandScope: viewer`).
 * A row begins as the table has it, and a change of that counts on all screens. TableSync/Viewer/ViewerExpansions.swift
 * says the same for terminals.
 */
import {statesOf} from '../model/read.js';

const stateOf = (row) => row.expand ?? 'collapsed';

export class Opened {
  constructor(board) {
    this.board = board;
    /** By row: its state here, and what the table said when a person chose it. */
    this.own = new Map();
    this.made = new WeakMap();
  }

  get table() { return this.board.table; }

  get isOwn() { return this.table?.settings.expandScope === 'viewer'; }

  /** A row as this screen shows it: the same object as long as nothing about it changes. */
  shown(row) {
    const expand = this.own.get(row.id)?.state;
    if (expand === undefined || expand === stateOf(row)) return row;
    if (this.made.get(row)?.expand !== expand) this.made.set(row, {...row, expand});
    return this.made.get(row);
  }

  names(row) { return statesOf(row, this.table.kinds.get(row.kind)).map(({name}) => name); }

  put(row, state) { this.own.set(row.id, {state, before: stateOf(row)}); }

  /** Puts a row into a state, or into the next one. An accordion closes others. */
  expand(id, to) {
    const row = this.table.row(id);
    if (!row) return;
    const names = this.names(row);
    const state = to ?? names[(names.indexOf(stateOf(this.shown(row))) + 1) % names.length];
    const others = state === 'collapsed' ? [] : this.companions(row);
    for (const other of others) this.put(other, 'collapsed');
    this.put(row, state);
    this.board.reopened([row, ...others]);
  }

  /** The open rows that an accordion closes when this one opens. */
  companions(row) {
    const {sections, settings} = this.table;
    if (!String(settings.expandPolicy).startsWith('accordion')) return [];
    const home = settings.expandPolicy === 'accordionSection' ? this.table.sectionOf(row.id) : null;
    return sections.filter(({id}) => home === null || id === home)
      .flatMap(({rows}) => rows)
      .filter((one) =>
                one.id !== row.id && stateOf(this.shown(one)) !== 'collapsed' && this.names(one).includes('collapsed'));
  }

  expandAll(open) {
    const state = open ? 'expanded' : 'collapsed';
    const rows = this.table.sections.flatMap((one) => one.rows)
                   .filter((row) => stateOf(this.shown(row)) !== state && this.names(row).includes(state));
    for (const row of rows) this.put(row, state);
    this.board.reopened(rows);
  }

  /** The table has changed. */
  follow() {
    for (const [id, {state, before}] of this.own) {
      const row = this.isOwn ? this.table.row(id) : undefined;
      if (!row || stateOf(row) !== before || !this.names(row).includes(state)) this.own.delete(id);
    }
  }
}
