/** Questions and lists: confirm, a title, what can be brought back, what happened, the keys. */
import {standing} from './content.js';
import {el, setText} from './dom.js';
import {actorSaid, refusalSaid, storySaid} from './says.js';
import {choice, sheet} from './sheet.js';
import {timeOfDay, word} from './words.js';

/** An answer that a bump bar has a key for, and the number of that key, as rows have theirs. */
function keyed(button, bar, at) {
  if (!bar) return button;
  button.dataset.key = bar[at];
  button.setAttribute('aria-keyshortcuts', bar[at]);
  button.append(el('span', {class: 'tile', 'aria-hidden': 'true', text: String((at + 1) % 10)}));
  return button;
}

/**
 * Asks before an action on a row, whose face says what stands out also here, or on what has only a name. A bump bar has no
 * other keys: its first one means yes, and the one that takes back, or else its last, means no.
 */
export function confirmAct(board, action, name, face = null) {
  const title = action.title || action.id;
  const {bump} = board.settings;
  const main = action.role === 'destructive' ? 'destructive' : 'main';
  return sheet(word('ask.sure', {action: title}),
    (close) => [el('p', {text: face?.title || name}),
      ...(face ? standing(face) : []),
      el('div', {class: 'answers'},
        keyed(el('button', {class: 'answer', text: word('cancel'), autofocus: true, click: () => close(false)}), bump,
          bump.length - 1),
        keyed(el('button', {class: `answer ${main}`, text: title, click: () => close(true)}), bump, 0)),
  ],
    {empty: false});
}

/** Shows rows that were removed or acted upon lately, so that they can be brought back. */
export function showRecall(board) {
  return listed(board, word('recall'), {}, (change) => {
    const gone = (change.rows ?? []).filter((id) => !board.table?.row(id));
    // Marked rows are deleted by a batch.
    const isLost =
      ['act', 'remove'].includes(change.cause?.verb) || (change.cause?.verb === 'batch' && gone.length > 0);
    if (!isLost || change.undoneBy !== undefined) return null;
    return choice({
      title: storyOf(board, change),
      second: [shownOf(board, change), stamp(change)].filter(Boolean).join(' · '),
      name: 'arrow.uturn.backward',
      run: async () => {
        const {actions, follow} = board;
        const reply =
          await actions.answered(gone.length ? follow.recall(gone) : follow.undo({revision: change.revision}));
        if (!reply.ok) return;
        const undo = {title: word('undo'), run: () => actions.undo({revision: reply.revision})};
        board.news(word('recall.done'), {act: undo});
        if (gone[0]) board.keys.focusOn(gone[0], true);
      },
    });
  }, word('recall.nothing'));
}

/** Shows the changes, newest first; each can be taken back. */
export function showHistory(board, row) {
  const title = row ? word('history.of', {row: row.title || row.id}) : word('history');
  return listed(board, title, row ? {row: row.id} : {}, (change) => storyOf(board, change) && choice({
    title: storyOf(board, change, row?.title),
    second: stamp(change) + (change.undoneBy !== undefined ? ` · ${word('history.takenBack')}` : ''),
    name: change.undoneBy !== undefined ? 'xmark' : 'clock',
    run: async () => {
      const sure = await confirmAct(board, {title: word('history.takeBack')}, storyOf(board, change));
      if (sure) board.actions.undo({revision: change.revision});
    },
  }),
    word('history.nothing'));
}

function storyOf(board, change, title) { return storySaid(change, (id) => board.actions.titleOf(id), title); }

/** The facts by which people know a row beside its title, such as its table and order: those that its kind shows. */
function shownOf(board, {rows = []}) {
  const row = rows.length === 1 ? board.actions.rowOf(rows[0]) : null;
  return row ? board.actions.faceOf(row).line.join(' · ') : '';
}

function stamp(change) {
  const {name, user, timeMs} = change.cause ?? {};
  return [actorSaid({name, user}), timeMs ? timeOfDay(timeMs) : ''].filter(Boolean).join(' · ');
}

function listed(board, title, filters, line, nothing) {
  return sheet(title, () => {
    const box = el('div', {});
    const words = el('p', {text: word('moment'), role: 'status'});
    board.follow.history({most: 100, ...filters}).then((reply) => {
      const changes = reply.ok ? reply.changes?.changes ?? [] : [];
      const lines = changes.map(line).filter(Boolean);
      if (lines.length) words.remove();
      else setText(words, reply.ok ? nothing : refusalSaid(reply.error));
      box.append(...lines);
    });
    return [words, box];
  });
}

/** Each key that does something, and the name of what it does. */
const KEYS = [
  ['↓ ↑, j k', 'down'],
  ['Home End, g G', 'ends'],
  ['] [', 'sections'],
  ['→ ←', 'swipe'],
  ['Enter', 'enter'],
  ['1 … 9', 'digit'],
  ['Space', 'space'],
  ['.', 'dot'],
  ['m', 'lift'],
  ['t', 'tap'],
  ['c', 'claim'],
  ['s', 'snooze'],
  ['/', 'find'],
  ['#', 'totals'],
  ['u U', 'undo'],
  ['r', 'recall'],
  ['a', 'add'],
  ['e', 'edit'],
  ['E', 'editMode'],
  ['p', 'pause'],
  ['v', 'mark'],
  ['x i', 'control'],
  ['+ -', 'openAll'],
  ['n', 'late'],
  ['Esc', 'escape'],
  ['?', 'help'],
];

export function showKeys() {
  return sheet(word('keys'),
    () => el('div', {tabindex: '0'},
      ...KEYS.map(([keys, does]) => el('div', {class: 'choice'}, el('span', {text: word(`key.${does}`)}),
                    el('kbd', {text: keys, dir: 'ltr'})))));
}
