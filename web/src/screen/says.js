/**
 * The answers of the board's server, in the words of people who stand in front of a board. Its own sentences name
 * fields, versions and ids, for whoever writes programs.
 */

/** For codes that people meet. Others keep the sentence of who refused. */
const SENTENCES = new Map(Object.entries({
  notConnected: 'Not connected: nothing was changed.',
  timeout: 'No answer came. Please try again.',
  unknown: 'Nobody can tell whether this was done. Please look.',
  notLeader: 'Another server takes over. Please try again in a moment.',
  diskFull: 'The server has no room left. Nothing can be changed until it has.',
  tooLarge: 'That is too long.',
  noSuchTable: 'This board is gone.',
  noSuchRow: 'It is gone: somebody took it away.',
  noSuchItem: 'It is gone: somebody took it away.',
  noSuchSection: 'That section is gone.',
  noSuchKind: 'This board no longer has rows of that kind.',
  noSuchState: 'It cannot be shown like that any more.',
  noSuchAction: 'That can no longer be done to it.',
  wrongEdge: 'That can no longer be done to it.',
  noFullSwipe: 'That can no longer be done by swiping on.',
  needsConfirmation: 'You are asked first now. Please press it again.',
  stale: 'Somebody changed it just now. Please look, and try again.',
  alreadyDone: 'That is done already, or under way.',
  editing: 'Edit mode is on for everybody: no row can be swiped, and no action performed.',
  pinned: 'It has a fixed place. Nothing goes past it.',
  badAnchor: 'It cannot go there.',
  leased: 'Somebody is moving it.',
  noSuchLease: 'It was put down before you let go.',
  claimed: 'Somebody else is working on it.',
  notClaimed: 'You are not working on it.',
  nothingToUndo: 'There is nothing to take back.',
  alreadyUndone: 'That was taken back already.',
  notUndoable: 'That cannot be taken back.',
  conflict: 'It has changed since. Take that back first.',
}));

/** The daemon refuses the gateway itself, so no board can be shown. */
export const TURNED_AWAY = 'The server lets no screen in at present: its guest list has no line about the user that ' +
  'trestle-serve runs as. Whoever runs the server can add one.';

/** Sentences of the server that name somebody. */
const NAMED = [
  ['leased', /is being dragged by (.+)\.$/s, (who) => `${who} is moving it.`],
  ['claimed', /is claimed by (.+)\.$/s, (who) => `${who} is working on it.`],
  // It says why it ended: whoever let go just then had not heard.
  ['noSuchLease', /^There is no lease "[^"]*": (.+)\.$/s, (why) => putDownSaid(why)],
  ['notUndoable', /^A program ran for "(.+?)"/s, (what) => `${what} was sent off and cannot be taken back.`],
  ['nothingToUndo', /to redo/, () => 'There is nothing to redo.'],
  ['notAllowed', /has the role (\w+)\. That needs/, () => 'This screen may not do that.'],
  ['notAllowed', /that takes the role \w+, since it makes section "(.*)"\.$/s, (section) => noSectionSaid(section)],
  ['notAllowed', /that takes the role \w+/, () => 'This screen may not do that.'],
  ['notAllowed', /^Rows of kind ".*" cannot be moved\.$/s, () => 'It cannot be moved.'],
  ['notAllowed', /^Rows of kind ".*" cannot be removed\.$/s, () => 'It cannot be removed.'],
  ['guarded', /^It is performed only where `/, () => guardSaid({})],
  ['notAllowed', /only one row can be expanded/, () => 'Only one row can be open on this board.'],
];

/** Why an action can not be performed on a row as it is. */
export function guardSaid(action) { return action.unless ?? 'That can not be done to it now.'; }

/** A row would go to a section that is not there. */
export function noSectionSaid(section) {
  return `There is no section “${section}” yet, and this screen may not make one.`;
}

/** Why something was refused. */
export function refusalSaid(error) {
  const message = typeof error?.message === 'string' ? error.message : '';
  for (const [code, pattern, say] of NAMED) {
    const found = error?.code === code ? pattern.exec(message) : null;
    if (found) return say(found[1]);
  }
  return SENTENCES.get(error?.code) ?? (message || 'That was refused. No reason was given.');
}

/** Says that a command ended without an answer that could be told: it was sent by a page that has gone. */
export function outcomeSaid(outcome) {
  if (outcome.code === 'unknown') return 'Nobody can tell whether your last change was made. Please look.';
  return `Your last change was not made. ${refusalSaid(outcome)}`;
}

/** Changes that wait until one of the servers takes them. */
export function changingSaid(count) {
  const kept = count === 1 ? 'Your change is kept, and made' : `${count} changes are kept, and made`;
  return `Another server takes over. ${kept} in a moment.`;
}

const REASONS = [
  [/^deadline: not finished within (.+) s$/, (seconds) => `no answer within ${time(Number(seconds))}`],
  [/^(exit status \d+|killed by signal \d+)$/, () => 'it did not work'],
];

/** Why an action failed: what its program said, or what the server says in its place. */
export function reasonSaid(reason) {
  for (const [pattern, say] of REASONS) {
    const found = pattern.exec(reason);
    if (found) return say(found[1]);
  }
  return reason;
}

function time(seconds) {
  if (!(seconds >= 120)) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

const ENDS = [
  [/not renewed in time/, 'you held it for too long'],
  [/was removed by (.+)$/s, (who) => `${who} took it away`],
  [/was removed$/, 'somebody took it away'],
  [/was moved by (.+)$/s, (who) => `${who} moved it`],
  [/was moved$/, 'it was moved'],
  [/started anew|restarted since|not heard|connection was lost/, 'the connection was lost'],
  [/there is no such table|may not see that table|a snapshot/, 'the board is gone'],
];

/** Why a row that was held is put down. `given`: a reason, or a refusal that ends in one. */
export function putDownSaid(given) {
  const reason = (given ?? '').replace(/^There is no lease "[^"]*"(?:: (.+))?\.$/s, '$1');
  const [pattern, say] = ENDS.find(([one]) => one.test(reason)) ?? [];
  const why = typeof say === 'function' ? say(pattern.exec(reason)[1]) : say ?? reason;
  return why ? `It was put down: ${why}.`.replace(/\.\.$/, '.') : 'It was put down.';
}

/** Changes that nobody looks for in a history: how rows were looked at. */
const PASSING = new Set(['swipe', 'scroll', 'select']);

const STORIES = [
  [/^ended the claim of /, 'no longer works on '],
  [/^claimed /, 'works on '],
  [/^began to edit$/, 'began to edit the board'],
  [/^ended editing$/, 'ended editing the board'],
  [/^undid revision \d+: /, 'took back: '],
  [/^took the undo in revision \d+ back: /, 'did again: '],
  [/^expanded /, 'opened '],
  [/^collapsed /, 'closed '],
];

/** The name of a deed that was taken back: `Bump of 2 × fries (table 7)`. `nameOf` gives the name of a row. */
export function deedSaid(change, titleOf, nameOf) {
  const {text = '', rows = []} = change;
  const action = /performed "([^"]*)" on /s.exec(text)?.[1];
  if (action === undefined || rows.length === 0) return storySaid(change, titleOf);
  return `${titleOf(action)} of ${rows.length === 1 ? nameOf(rows[0]) : `${rows.length} rows`}`;
}

/**
 * A change in a sentence; null: it is not worth one. `titleOf` gives the title of an action. In the history of the row of
 * this `title` its fields need no name beside them.
 */
export function storySaid(change, titleOf, title = null) {
  const {cause = {}, text = ''} = change;
  if (PASSING.has(cause.verb)) return null;
  const starts = [cause.name, 'somebody', 'the daemon'].filter(Boolean).map((name) => `${name} `);
  const start = starts.find((one) => text.startsWith(one)) ?? '';
  let said = text.slice(start.length);
  const acted = /performed "([^"]*)" on (?:"[^"]*" of )?"(.*)"$/s.exec(said);
  if (acted && cause.verb === 'act') return `${titleOf(acted[1])}: ${acted[2]}`;
  for (const [pattern, word] of STORIES) said = said.replace(pattern, word);
  if (title) said = said.replaceAll(` of "${title}"`, '');
  said = said.replace(/"([^"]*)"/g, '“$1”') || cause.verb || 'a change';
  return said[0].toUpperCase() + said.slice(1);
}
