/**
 * The answers of the board's server, in the words of people who stand in front of a board. Its own sentences name
 * fields, versions and ids, for whoever writes programs.
 */

import {about, hasWord, word} from './words.js';

const named = (key, name) => (found) => word(key, {[name]: found});

/** Sentences of the server that name somebody. */
const NAMED = [
  ['leased', /is being dragged by (.+)\.$/s, named('refusal.leased.by', 'who')],
  ['claimed', /is claimed by (.+)\.$/s, named('refusal.claimed.by', 'who')],
  // It says why it ended: whoever let go just then had not heard.
  ['noSuchLease', /^There is no lease "[^"]*": (.+)\.$/s, (why) => putDownSaid(why)],
  ['notUndoable', /^A program ran for "(.+?)"/s, named('refusal.sent', 'what')],
  ['nothingToUndo', /to redo/, () => word('refusal.nothingToRedo')],
  ['notAllowed', /that takes the role \w+, since it makes section "(.*)"\.$/s, (section) => noSectionSaid(section)],
  ['notAllowed', /has the role (\w+)\. That needs|that takes the role \w+/, () => word('refusal.role')],
  ['notAllowed', /^Rows of kind ".*" cannot be moved\.$/s, () => word('cannotMove')],
  ['notAllowed', /^Rows of kind ".*" cannot be removed\.$/s, () => word('refusal.cannotRemove')],
  ['guarded', /^It is performed only where \x60/, () => guardSaid({})],
  ['notAllowed', /only one row can be expanded/, () => word('onlyOneOpen')],
];

/** Why an action can not be performed on a row as it is. */
export function guardSaid(action) { return action.unless ?? word('refusal.guarded'); }

/** A row would go to a section that is not there. */
export function noSectionSaid(section) { return word('refusal.noSection', {section}); }

/** Why something was refused. For a code without a word of its own: the sentence of who refused. */
export function refusalSaid(error) {
  const message = typeof error?.message === 'string' ? error.message : '';
  for (const [code, pattern, say] of NAMED) {
    const found = error?.code === code ? pattern.exec(message) : null;
    if (found) return say(found[1]);
  }
  if (hasWord(`refusal.${error?.code}`)) return word(`refusal.${error.code}`);
  return message ? word('refused', {message}) : word('refused.noReason');
}

/** Says that a command ended without an answer that could be told: it was sent by a page that has gone. */
export function outcomeSaid(outcome) {
  return outcome.code === 'unknown' ? word('outcome.unknown') : word('outcome.refused', {why: refusalSaid(outcome)});
}

/** Changes that wait until one of the servers takes them. */
export function changingSaid(count) { return word('changing', {count}); }

const REASONS = [
  [/^deadline: not finished within (.+) s$/, (seconds) => word('reason.late', {span: about(Number(seconds))})],
  [/^(exit status \d+|killed by signal \d+)$/, () => word('reason.failed')],
];

/** Why an action failed: what its program said, or what the server says in its place. */
export function reasonSaid(reason) {
  for (const [pattern, say] of REASONS) {
    const found = pattern.exec(reason);
    if (found) return say(found[1]);
  }
  return reason;
}

/** Why a condition is none, as model/predicate.js says it, with the message that says the same. */
const FAULTS = Object.entries({
  'fault.escape': /^expected one of (?<signs>.*) after \\$/s,
  'fault.open': /^this text has no end$/,
  'fault.number': /^`(?<text>.*)` is no number$/s,
  'fault.written': /^`(?<sign>.*)` is written `(?<right>.*)`$/s,
  'fault.strange': /^nothing that begins with `(?<sign>.*)` stands here$/s,
  'fault.tooLong': /^more than (?<most>\d+) words and signs$/,
  'fault.tooDeep': /^more than (?<most>\d+) levels$/,
  'fault.comparison': /^expected a comparison such as `==`, found (?<found>.*)$/s,
  'fault.value': /^expected a value, found (?<found>.*)$/s,
  'fault.name': /^expected a name, found (?<found>.*)$/s,
  'fault.id': /^expected an id in quotes, found (?<found>.*)$/s,
  'fault.joined': /^expected `and`, `or` or the end, found (?<found>.*)$/s,
  'fault.wanted': /^expected (?<wanted>.*?), found (?<found>.*)$/s,
  'fault.unknown': /^`(?<what>.*)` is not known here$/s,
  'fault.ofRow': /^`(?<what>.*)` is of a row: write (?<code>.*), or use it after `where`$/s,
  'fault.names': /^expected one of: (?<names>.*)$/s,
  'fault.noneOf': /^`(?<what>.*)` is none of: (?<names>.*)$/s,
});

/** Why a condition is none. */
export function faultSaid(message) {
  for (const [key, pattern] of FAULTS) {
    const found = pattern.exec(message);
    if (!found) continue;
    const values = {...found.groups};
    if (values.found === 'the end') values.found = word('fault.end');
    return word(key, values);
  }
  return word('find.fault', {fault: message});
}

/** Why a row that is held is put down. */
export const PUT_DOWN = {
  columns: 'other columns',
  gone: 'the board is gone',
  taken: 'somebody took it away',
};

const ENDS = [
  [/not renewed in time/, () => word('putDown.late')],
  [/was removed by (.+)$/s, named('putDown.removedBy', 'who')],
  [/was removed$|^somebody took it away/, () => word('putDown.removed')],
  [/was moved by (.+)$/s, named('putDown.movedBy', 'who')],
  [/was moved$/, () => word('putDown.moved')],
  [/started anew|restarted since|not heard|connection was lost/, () => word('putDown.connection')],
  [/there is no such table|may not see that table|a snapshot|the board is gone/, () => word('putDown.board')],
  [/^other columns$/, () => word('putDown.columns')],
];

/** Why a row that was held is put down. `given`: a reason, or a refusal that ends in one. */
export function putDownSaid(given) {
  const reason = (given ?? '').replace(/^There is no lease "[^"]*"(?:: (.+))?\.$/s, '$1');
  const [pattern, say] = ENDS.find(([one]) => one.test(reason)) ?? [];
  const why = pattern ? say(pattern.exec(reason)[1]) : reason.replace(/\.$/, '');
  return why ? word('putDown.why', {why}) : word('putDown');
}

/** Changes that nobody looks for in a history: how rows were looked at. */
const PASSING = new Set(['swipe', 'scroll', 'select']);

/** Sentences of the server about one row, with the message that says the same; its names are those of the values. */
const STORIES = Object.entries({
  'story.claim': /^claimed "(?<row>[^"]*)"$/s,
  'story.claimNote': /^claimed "(?<row>[^"]*)": (?<note>.*)$/s,
  'story.unclaim': /^ended the claim of "(?<row>[^"]*)"$/s,
  'story.add.after': /^added "(?<row>[^"]*)" after "(?<other>[^"]*)"$/s,
  'story.add.top': /^added "(?<row>[^"]*)" at the top of (?<section>[^"]*)$/s,
  'story.back.after': /^brought back "(?<row>[^"]*)" after "(?<other>[^"]*)"$/s,
  'story.back.top': /^brought back "(?<row>[^"]*)" at the top of (?<section>[^"]*)$/s,
  'story.move.after': /^(?:moved|dragged) "(?<row>[^"]*)" after "(?<other>[^"]*)"$/s,
  'story.move.top': /^(?:moved|dragged) "(?<row>[^"]*)" to the top of (?<section>[^"]*)$/s,
  'story.across.after':
    /^(?:moved|dragged) "(?<row>[^"]*)" from (?<from>[^"]*) to (?<to>[^"]*), after "(?<other>[^"]*)"$/s,
  'story.across.top': /^(?:moved|dragged) "(?<row>[^"]*)" from (?<from>[^"]*) to (?<to>[^"]*), at the top$/s,
  'story.set': /^set (?<field>[^" ]*) of "(?<row>[^"]*)" to "(?<value>[^"]*)"$/s,
  'story.set.was': /^set (?<field>[^" ]*) of "(?<row>[^"]*)" to "(?<value>[^"]*)", which was "(?<was>[^"]*)"$/s,
  'story.field': /^set (?<field>[^" ]*) to "(?<value>[^"]*)"$/s,
  'story.field.was': /^set (?<field>[^" ]*) to "(?<value>[^"]*)", which was "(?<was>[^"]*)"$/s,
  'story.clear': /^cleared (?<field>[^" ]*) of "(?<row>[^"]*)"$/s,
  'story.rename': /^renamed "(?<was>[^"]*)" to "(?<row>[^"]*)"$/s,
  'story.remove': /^removed "(?<row>[^"]*)"$/s,
  'story.open': /^expanded "(?<row>[^"]*)"$/s,
  'story.close': /^collapsed "(?<row>[^"]*)"$/s,
  'story.openAll': /^expanded all rows$/,
  'story.closeAll': /^collapsed all rows$/,
  'story.edit': /^began to edit$/,
  'story.editEnd': /^ended editing$/,
  'story.undo': /^undid revision \d+(?:, and so|:) (?<what>.*)$/s,
  'story.redo': /^took the undo in revision \d+ back(?:, and so|:) (?<what>.*)$/s,
});

/** A change that the server tells, in words of the page; a sentence without such words stays the server's. */
function phraseSaid(text) {
  for (const [key, pattern] of STORIES) {
    const found = pattern.exec(text);
    const {what, ...values} = found?.groups ?? {};
    if (found) return word(key, what === undefined ? values : {what: phraseSaid(what)});
  }
  return text.replace(/"([^"]*)"/g, '“$1”');
}

/** The name of a deed that was taken back: `Bump of 2 × fries (table 7)`. `nameOf` gives the name of a row. */
export function deedSaid(change, titleOf, nameOf) {
  const {text = '', rows = []} = change;
  const action = /performed "([^"]*)" on /s.exec(text)?.[1];
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
 * this `title` its fields need no name beside them.
 */
export function storySaid(change, titleOf, title = null) {
  const {cause = {}, text = ''} = change;
  if (PASSING.has(cause.verb)) return null;
  const starts = [shownActor(cause), 'somebody', 'the daemon'].filter(Boolean).map((name) => `${name} `);
  const start = starts.find((one) => text.startsWith(one)) ?? '';
  let said = text.slice(start.length);
  const acted = /performed "([^"]*)" on (?:"[^"]*" of )?"(.*?)"(?: and closed the swipe of ".*")?$/s.exec(said);
  if (acted && cause.verb === 'act') return `${titleOf(acted[1])}: ${acted[2]}`;
  if (title) said = said.replaceAll(` of "${title}"`, '');
  said = phraseSaid(said) || cause.verb || word('story.other');
  return said[0].toUpperCase() + said.slice(1);
}
