/**
 * A bump bar: the first rows in sight have a number, and the bar has a key for each that does what a full swipe does. Its
 * tenth key takes the latest action back.
 */

import {BAR} from './settings.js';
import {word} from './words.js';

const MOST = 9;
/** For so many milliseconds after a number came to stand on another row, its key does nothing. */
export const QUIET_MS = 300;

export class Tiles {
  constructor(board) {
    this.board = board;
    /** The number of each row that has one. */
    this.numbers = new Map();
    /** When a number came to stand on another row than before. */
    this.changedAt = -QUIET_MS;
  }

  of(id) { return this.numbers.get(id); }

  /** The deed of a tile's key for a row: {action, edge}; null: none. */
  mainOf(row) {
    const {actions} = this.board;
    const at = (edge) => ({edge, group: actions.group(row, edge)});
    const all = [at('trailing'), at('leading')].filter(({group}) => group);
    const found = all.find(({group}) => group.fullSwipe) ?? all[0];
    return found ? {action: found.group.actions[0], edge: found.edge} : null;
  }

  /** Rows were drawn: those in sight are numbered, column by column. */
  number() {
    const {board} = this;
    const numbers = new Map();
    // A row without a key has no number.
    const most = Math.min(MOST, board.settings.bump.length);
    if (board.settings.bump && board.mayChange && !board.isStill) {
      for (const list of board.lists) {
        const views = [...list.views.values()].filter((view) => view.row && list.isSeen(view) && this.mainOf(view.row));
        for (const view of views.sort((a, b) => a.place.y - b.place.y)) {
          if (numbers.size < most) numbers.set(view.id, numbers.size + 1);
        }
      }
    }
    const was = this.numbers;
    this.numbers = numbers;
    // A row of one column gives its number to one of another column, which does not move.
    const had = new Map([...was].map(([id, number]) => [number, id]));
    if ([...numbers].some(([id, number]) => had.has(number) && had.get(number) !== id))
      this.changedAt = performance.now();
    for (const id of new Set([...was.keys(), ...numbers.keys()])) {
      if (was.get(id) !== numbers.get(id)) board.viewOf(id)?.redraw();
    }
  }

  /**
   * A bar with figures sends them as places of the upper row. Where the system has other signs there, as in French, the
   * place counts.
   */
  readAsBar(event) {
    const [, figure] = /^Digit(\d)$/.exec(event.code ?? '') ?? [];
    if (!figure || this.board.settings.bump !== BAR || /^\d$/.test(event.key)) return;
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target?.closest?.('input, textarea, select')) return;
    Object.defineProperty(event, 'key', {value: figure});
  }

  has(key) { return key.length === 1 && this.board.settings.bump.includes(key); }

  key(key) {
    const at = this.board.settings.bump.indexOf(key);
    if (at === MOST) this.board.actions.undo();
    else this.press(at + 1);
  }

  press(number) {
    const {board} = this;
    const [id] = [...this.numbers].find(([, one]) => one === number) ?? [];
    const view = id === undefined ? null : board.viewOf(id);
    if (!view?.row) {
      board.news(word('tiles.none', {number}));
      return;
    }
    // Another row may have this number now than the one that was seen.
    if (performance.now() - this.changedAt < QUIET_MS || board.quiet(view.list, {detail: 1})) {
      board.whisper(word('tiles.moved'));
      return;
    }
    const {action, edge} = this.mainOf(view.row);
    board.actions.press(view, action.id, edge);
  }
}
