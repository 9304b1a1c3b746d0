/**
 * The answers of the board's server, in the words of people who stand in front of a board. Its own sentences name
 * fields, versions and ids, for whoever writes programs.
 */

import {ownReason} from '../model/reason.js';
import {about, hasWord, within, word} from './words.js';

/**
 * The values of a sentence that comes as data, {key, values} (docs/PROTOCOL.md): no more than texts. A name may be that of
 * a message with another start: `claimed.by` of a refusal is `refusal.claimed.by`.
 */
function valuesOf(saying) {
  return Object.fromEntries(Object.entries(saying?.values ?? {}).filter(([, value]) => typeof value === 'string'));
}

/** Why an action can not be performed on a row as it is. */
export function guardSaid(action) { return action.unless ?? word('refusal.guarded'); }

/** A row would go to a section that is not there. */
export function noSectionSaid(section) { return word('refusal.noSection', {section}); }

/** Why a row stands elsewhere than asked. `nameOf` and `sectionOf` give the names of a row and of a section. */
export function landedSaid(saying, nameOf, sectionOf) {
  const key = `landed.${saying?.key}`;
  if (!hasWord(key)) return word('landed.elsewhere');
  const values = valuesOf(saying);
  for (const name of ['row', 'gone'])
    if (values[name] !== undefined) values[name] = nameOf(values[name]);
  if (values.section !== undefined) values.section = sectionOf(values.section);
  return word(key, values);
}

/** Why something was refused. For a code without a word of its own: the sentence of who refused. */
export function refusalSaid(error) {
  const {code, saying} = error ?? {}, values = valuesOf(saying);
  if (saying?.key === 'said' && values.text) return values.text;
  // It says why it ended: whoever let go just then had not heard.
  if (/^putDown\./.test(saying?.key)) return putDownSaid(saying);
  const key = [saying?.key, code].find((one) => hasWord(`refusal.${one}`));
  if (key) return word(`refusal.${key}`, values);
  return typeof error?.message === 'string' && error.message ? word('refused', {message: error.message}) :
                                                               word('refused.noReason');
}

/** Says that a command ended without an answer that could be told: it was sent by a page that has gone. */
export function outcomeSaid(outcome) {
  return outcome.code === 'unknown' ? word('outcome.unknown') :
                                      word('outcome.refused', {why: within(refusalSaid(outcome))});
}

/** Changes that wait until one of the servers takes them. */
export function changingSaid(count) { return word('changing', {count}); }

/** Why an action failed: the words of its program, or what one of our own says in its place. */
export function reasonSaid(reason) {
  const {key, values} = ownReason(reason) ?? {};
  // The number of a status or a signal tells nothing to those who stand in front of a board.
  if (key === 'status' || key === 'signal') return word('reason.failed');
  if (key === 'late') return word('reason.late', {span: about(Number(values.seconds))});
  return key ? word(`reason.${key}`, values) : reason;
}

/** Why a condition is none, as model/predicate.js has it. */
export function faultSaid({key, values}) {
  return word(`fault.${key}`, values.found === '' ? {...values, found: word('fault.end')} : values);
}

/** The sentence of a row that others took away. */
export function takenBy({name, verb} = {}) {
  return word(verb === 'act' ? 'taken.done' : 'taken', {who: name || word('who.somebody')});
}

/** Why a row that is held is put down here. */
export const PUT_DOWN = {
  columns: {key: 'putDown.columns'},
  gone: {key: 'putDown.board'},
  taken: {key: 'putDown.removed'},
};

/** Why a row that was held is put down. */
export function putDownSaid(saying) {
  if (saying?.text) return word('putDown.why', {why: saying.text.replace(/\.$/, '')});
  if (!/^putDown\./.test(saying?.key) || !hasWord(saying.key)) return word('putDown');
  return word('putDown.why', {why: within(word(saying.key, valuesOf(saying)))});
}

/** Changes that nobody looks for in a history: how rows were looked at. */
const PASSING = new Set(['swipe', 'scroll', 'select']);

/** One thing that a change did. `titleOf` gives the title of an action, `title` is that of the row whose history it is. */
function didSaid(saying, titleOf, title) {
  const {row, more, action, ...values} = valuesOf(saying);
  const isOwn = title && row === title && more === undefined;
  const own = {'set': 'story.field', 'set.was': 'story.field.was'}[saying?.key];
  const key = isOwn && own ? own : `story.${saying?.key}`;
  if (!hasWord(key)) return null;
  // After the title of an action a name needs no quotes.
  const isPlain = row === undefined || key === 'story.act' && !more;
  const named = isPlain ? row : within(word(more ? 'story.rows' : 'story.row', {row, more}));
  return word(key, {...values, row: named, action: action && titleOf(action)});
}

/** The name of a deed that was taken back: `Bump of 2 × fries (table 7)`. `nameOf` gives the name of a row. */
export function deedSaid(change, titleOf, nameOf) {
  const {sayings = [], rows = []} = change;
  const action = valuesOf(sayings.find((one) => one.key === 'act')).action;
  if (action === undefined || rows.length === 0) return storySaid(change, titleOf);
  const what = rows.length === 1 ? nameOf(rows[0]) : word('rows', {count: rows.length});
  return word('deed', {action: titleOf(action), what});
}

/** The name with which the server's sentence begins: `kim (bob)` where the connection proved another user than was said. */
function shownActor({name, client, user}) {
  const said = name ?? client;
  if (!said || !user) return said ?? user;
  if (user === said || user === `key:${said}`) return said;
  return `${said} (${user.endsWith(`/${said}`) ? user.slice(0, -said.length - 1) : user})`;
}

/** The name for people. Devices of the usual gateway belong to the house: their name is enough. */
export function actorSaid(cause) {
  return cause.name && cause.user === `trestle-serve/${cause.name}` ? cause.name : shownActor(cause);
}

/**
 * A change in a sentence; null: it is not worth one. `titleOf` gives the title of an action. In the history of the row of
 * this `title` its fields need no name beside them. In a batch, actions come first. A server that tells no data tells its
 * own sentence.
 */
export function storySaid(change, titleOf, title = null) {
  const {cause = {}, sayings = [], text = ''} = change;
  if (PASSING.has(cause.verb)) return null;
  const acts = sayings.filter((one) => one.key === 'act'), others = sayings.filter((one) => one.key !== 'act');
  const told = cause.verb === 'act' && acts.length > 0 ? acts.slice(0, 1) : [...acts, ...others];
  const did = told.map((one) => didSaid(one, titleOf, title)).filter(Boolean);
  const what = did.join(' · ') || text || word('story.other');
  if (cause.undoes === undefined) return what;
  return word(cause.verb === 'redo' ? 'story.redo' : 'story.undo', {what: within(what)});
}

/** So many names are said, and the others are counted. */
const NAMED = 3;

/** Several names in one sentence. */
export function namesSaid(all) {
  const names = all.slice(0, NAMED).join(', ');
  return all.length > NAMED ? word('marks.names', {names, count: all.length - NAMED}) : names;
}
