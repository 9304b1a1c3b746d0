/** Who has turned edit mode on for everybody. The table says only that it is on: its changes say who did it. */
import {actorSaid} from './says.js';

export class Editor {
  constructor(board) {
    this.board = board;
    /** The name; empty: nobody edits for everybody, or it is not known who. */
    this.name = '';
    this.asked = null;
  }

  /** The table came as a whole, without the change that began it: the server is asked, and what was heard meanwhile goes first. */
  async ask() {
    const {follow} = this.board;
    this.name = '';
    this.asked = null;
    if (!follow?.table?.editing) return;
    const asked = this.asked = {};
    // It may have ended by itself since the latest command about it: then it was turned on again by none that is found here.
    const replies =
      await Promise.all([follow.history({verb: 'edit', most: 1}), follow.history({verb: 'expire', most: 100})]);
    if (this.asked !== asked) return;
    const [[change], ends] = replies.map((reply) => reply.changes?.changes ?? []);
    // Where an undo has turned it on again, the latest command about it is the one that turned it off; and where a redo
    // has, one that is undone.
    const isBegun = change?.undoneBy === undefined && change?.sayings?.some(({key}) => key === 'edit');
    const hasEnded =
      ends.some((end) => end.revision > change?.revision && end.sayings?.some(({key}) => key === 'editEnd'));
    this.name = isBegun && !hasEnded ? actorSaid(change.cause ?? {}) ?? '' : '';
    this.board.notices.draw();
  }

  /** Diffs were applied. */
  changed(changes) {
    const last = changes.findLast((one) => one.what.has('editing'));
    if (!last) return;
    this.asked = null;
    this.name = this.board.table.editing ? actorSaid(last.cause) ?? '' : '';
  }
}
