/** Questions and lists: confirm, a title, what can be brought back, what happened, the keys. */
import {standing} from './content.js';
import {el, setText} from './dom.js';
import {refusalSaid, storySaid} from './says.js';
import {choice, sheet} from './sheet.js';

/** Asks before an action on a row, whose face says what stands out also here, or on what has only a name. */
export function confirmAct(action, name, face = null) {
  const title = action.title || action.id;
  return sheet(`${title}?`,
    (close) => [el('p', {text: name}),
      ...(face ? standing(face) : []),
      el('div', {class: 'answers'},
        el('button',
          {class: 'answer', type: 'button', text: 'Cancel', autofocus: true, on: {click: () => close(false)}}),
        el('button', {
          class: action.role === 'destructive' ? 'answer destructive' : 'answer main',
          type: 'button',
          text: title,
          on: {click: () => close(true)},
        })),
  ],
    {empty: false});
}

let format = null;

/** The time of day. What formats it takes long to be made, and not every screen shows it. */
function time(ms) {
  format ??= new Intl.DateTimeFormat([], {hour: '2-digit', minute: '2-digit', second: '2-digit'});
  return format.format(ms);
}

/** Shows rows that were removed or acted upon lately, so that they can be brought back. */
export function showRecall(board) {
  return listed(board, 'Bring back', {}, (change, close) => {
    if (!['act', 'remove'].includes(change.cause?.verb) || change.undoneBy !== undefined) return null;
    const gone = (change.rows ?? []).filter((id) => !board.table?.row(id));
    return choice({
      title: storyOf(board, change),
      second: [shownOf(board, change), stamp(change)].filter(Boolean).join(' · '),
      name: 'arrow.uturn.backward',
      run: async () => {
        close();
        const reply =
          gone.length ? await board.follow.recall(gone) : await board.follow.undo({revision: change.revision});
        if (reply.ok) {
          board.news('Brought back.', {act: {title: 'Undo', run: () => board.actions.undo()}});
          if (gone[0]) board.keys.focusOn(gone[0], true);
        } else board.refused(reply.error);
      },
    });
  }, 'Nothing was removed or done lately.');
}

/** Shows the changes, newest first; each can be taken back. */
export function showHistory(board, row) {
  const title = row ? `History of ${row.title || row.id}` : 'History';
  return listed(board, title, row ? {row: row.id} : {}, (change, close) => storyOf(board, change) && choice({
    title: storyOf(board, change, row?.title),
    second: stamp(change) + (change.undoneBy !== undefined ? ' · taken back' : ''),
    name: change.undoneBy !== undefined ? 'xmark' : 'clock',
    run: async () => {
      close();
      const sure = await confirmAct({title: 'Take back'}, storyOf(board, change));
      if (sure) board.actions.undo({revision: change.revision});
    },
  }),
    'Nothing has happened yet.');
}

function storyOf(board, change, title) { return storySaid(change, (id) => board.actions.titleOf(id), title); }

/** The facts by which people know a row beside its title, such as its table and order: those that its kind shows. */
function shownOf(board, {rows = []}) {
  const row = rows.length === 1 ? board.actions.rowOf(rows[0]) : null;
  return row ? board.actions.faceOf(row).line.join(' · ') : '';
}

function stamp(change) {
  const {name, timeMs} = change.cause ?? {};
  return [name, timeMs ? time(timeMs) : ''].filter(Boolean).join(' · ');
}

function listed(board, title, filters, line, nothing) {
  return sheet(title, (close) => {
    const box = el('div', {});
    const words = el('p', {text: 'One moment …', role: 'status'});
    board.follow.history({most: 100, ...filters}).then((reply) => {
      const changes = reply.ok ? reply.changes?.changes ?? [] : [];
      const lines = changes.map((change) => line(change, close)).filter(Boolean);
      if (lines.length) words.remove();
      else setText(words, reply.ok ? nothing : refusalSaid(reply.error));
      box.append(...lines);
    });
    return [words, box];
  });
}

const KEYS = [
  ['↓ ↑, j k', 'next row, row before'],
  ['Home End, g G', 'first, last row'],
  ['] [', 'next section, section before'],
  ['→ ←', 'swipe open, next action; in a strip the next item'],
  ['Enter', 'do the action, or tap the row'],
  ['1 … 9', 'do that action of a row that is swiped open'],
  ['Space', 'open the row, one state further'],
  ['.', 'all that can be done'],
  ['m', 'lift: then ↓ ↑ move it, Tab to the next section, Enter puts it down, Esc puts it back'],
  ['t', 'tap the row, or the item'],
  ['c', 'I work on the row, or no longer'],
  ['/', 'find rows, and sort them; Esc shows all again'],
  ['#', 'all day: how much of each there is'],
  ['u U', 'undo, redo'],
  ['r', 'bring back'],
  ['a', 'add a row'],
  ['e', 'edit the row: its title, fields and kind'],
  ['E', 'edit mode'],
  ['v', 'mark the row, and go on; then . does the same to all marked rows, Esc unmarks them'],
  ['x i', 'in edit mode: delete, insert below, as its − or + does'],
  ['+ -', 'open all, close all'],
  ['n', 'next row that is late, or soon will be'],
  ['Esc', 'close, put back'],
  ['?', 'this list'],
];

export function showKeys() {
  return sheet('Keys',
    () => el('div', {},
      ...KEYS.map(([keys, does]) => el('div', {class: 'choice'}, el('span', {text: does}), el('kbd', {text: keys})))));
}
