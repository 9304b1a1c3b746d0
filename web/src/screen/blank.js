/** The text of a board without rows: waiting, not there, and empty are three different things. */
import {el} from './dom.js';
import {icon} from './icons.js';
import {TURNED_AWAY} from './says.js';

export function blank(board) {
  const {table, follow, name} = board;
  const state = follow?.freshness().state;
  const only = board.settings.section;
  const isFinding = Boolean(board.sifted?.test);
  const mayAdd = table?.size === 0 && board.mayChange && (board.mayDefine || table.sections.length > 0);
  let said = ['clock', `Waiting for ${name}`, 'Nothing has been heard of this board yet.'];
  if (isFinding && table.size > 0) {
    said = ['magnifyingglass', 'Nothing found', `None of the ${table.size} rows of ${name} is like that.`];
  } else if (table && table.size > 0) {
    said = [
      'list', 'No such section',
      `The board has no section ${only.join(' or ')} at present. It appears here when it is made.`
    ];
  } else if (table) {
    said = ['checkmark', 'Nothing to do', `${name} is up to date, and has no rows.`];
    if (board.mayChange && !mayAdd) said[2] += ' Its first section is yet to be made, which this screen may not do.';
  } else if (state === 'absent') {
    said = [
      'questionmark', `There is no board ${name}`, 'It was dropped, or not made yet. It appears here when it is made.'
    ];
  } else if (state === 'stale') {
    said = ['clock', `Waiting for ${name}`, 'Nothing is heard of this board at present.'];
  } else if (state === 'forbidden') {
    const why = board.session?.isTurnedAway ? TURNED_AWAY : 'This device may not see that board.';
    said = ['exclamationmark', 'Not allowed', why];
  } else if (state === 'disconnected') {
    said = [
      'exclamationmark', 'Not connected',
      `Nothing is known of ${name} until the server answers again. This page tries by itself.`
    ];
  }
  const button = mayAdd ?
    el('button',
      {class: 'answer main', type: 'button', text: 'Add a row', on: {click: () => board.actions.add(board.home)}}) :
    null;
  return el('div', {class: 'blank'}, icon(said[0], 44), el('h2', {text: said[1]}), el('p', {text: said[2]}),
    button && el('div', {class: 'answers'}, button));
}
