/** The text of a board without rows: waiting, not there, and empty are three different things. */
import {el} from './dom.js';
import {icon} from './icons.js';
import {word} from './words.js';

export function blank(board) {
  const {table, follow, name} = board;
  const state = follow?.freshness().state;
  const only = board.settings.section;
  const isFinding = Boolean(board.sifted?.test);
  const there = (table?.sections ?? []).filter(({id}) => board.settings.shows(id));
  const isEmpty = table?.size === 0 || (!isFinding && there.length > 0);
  const mayAdd = table && isEmpty && board.mayChange && (board.mayDefine || there.length > 0);
  let said = ['clock', word('blank.waiting', {board: name}), word('blank.waiting.more')];
  if (isFinding && !isEmpty) {
    said = ['magnifyingglass', word('blank.notFound'), word('blank.notFound.more', {count: table.size, board: name})];
  } else if (table && !isEmpty) {
    said = ['list', word('blank.noSection'), word('blank.noSection.more', {sections: only.join(', ')})];
  } else if (table) {
    const of = only.length > 0 && there.length > 0 ? ` (${there.map(({id, title}) => title || id).join(', ')})` : '';
    said = ['checkmark', word('blank.empty'), word('blank.empty.more', {board: name + of})];
    if (board.mayChange && !mayAdd) said[2] += ` ${word('blank.empty.noSection')}`;
  } else if (state === 'absent') {
    said = ['questionmark', word('blank.absent', {board: name}), word('blank.absent.more')];
  } else if (state === 'stale') {
    said = ['clock', word('blank.waiting', {board: name}), word('blank.stale.more')];
  } else if (state === 'forbidden') {
    const why = word(board.session?.isTurnedAway ? 'turnedAway' : 'blank.forbidden.more');
    said = ['exclamationmark', word('blank.forbidden'), why];
  } else if (state === 'disconnected') {
    said = ['exclamationmark', word('blank.disconnected'), word('blank.disconnected.more', {board: name})];
  }
  const run = () => board.actions.add(board.home);
  const button = mayAdd ? el('button', {class: 'answer main', text: word('add.row'), click: run}) : null;
  return el('div', {class: 'blank'}, icon(said[0], 44), el('h2', {text: said[1]}), el('p', {text: said[2]}),
    button && el('div', {class: 'answers'}, button));
}
