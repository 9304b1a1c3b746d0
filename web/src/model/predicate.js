/**
 * Conditions on a table and on a row, written as text (docs/PREDICATES.md): the language of `trestle wait --until` and of
 * what stands out in rows. The programs, the client in Python and this are held against one file of vectors.
 */
import {byBytes} from './canonical.js';
import {groupScopes, onceForGroup} from './groups.js';
import {beganMs, fieldOf, madeOnce} from './read.js';

/** More than a person writes. */
const MOST_TOKENS = 2000;
/** Nested parentheses and negations: each is a call within a call. */
const MOST_DEPTH = 100;
const SIGNS = new Set(['==', '!=', '<=', '>=', '!~', '<', '>', '~', '(', ')', '.']);
const HINTS = new Map([['=', '=='], ['&&', 'and'], ['||', 'or'], ['!', 'not'], ['&', 'and']]);
const ESCAPES = new Map([['n', '\n'], ['t', '\t'], ['\\', '\\'], ['"', '"'], ['\'', '\'']]);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)$/;
/** Whole numbers of days, hours, minutes and seconds: `1h30m`. */
const DURATION = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?/;
const UNITS = [86400, 3600, 60, 1];
/** A time of the day: `9:30`, `14:00` or `14:00:30`. */
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const DAY_MS = 86400000;

/**
 * The text is no predicate. `offset`: the place, in code points from 0. `key` and `values` say why, for a sentence of the
 * catalogue (web/languages): `fault.KEY`. An empty `found` is the end of the text.
 */
export class BadPredicate extends Error {
  constructor(offset, key, values = {}) {
    super(`${key} at ${offset}: ${JSON.stringify(values)}`);
    Object.assign(this, {offset, key, values});
  }
}

/** The decimal number in a text, as fields hold them; null for any other text. */
function numberIn(text) {
  if (!NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

// Tokens.

const isDigit = (one) => one >= '0' && one <= '9';
const beginsName = (one) => one === '_' || /\p{L}/u.test(one);
const goesOn = (one) => beginsName(one) || isDigit(one) || one === '-' || /[\p{M}\u200c\u200d]/u.test(one);

function textToken(all, start) {
  const quote = all[start];
  let at = start + 1, value = '';
  while (at < all.length && all[at] !== quote) {
    if (all[at] === '\\' && at + 1 < all.length) {
      at += 1;
      if (!ESCAPES.has(all[at])) throw new BadPredicate(at - 1, 'escape', {signs: '\\ " \' n t'});
      value += ESCAPES.get(all[at]);
    } else {
      value += all[at];
    }
    at += 1;
  }
  if (at >= all.length) throw new BadPredicate(start, 'open');
  return [{kind: 'text', value, offset: start}, at + 1];
}

function numberToken(all, start) {
  let at = start + 1;
  const digits = () => {
    while (at < all.length && isDigit(all[at])) at += 1;
  };
  digits();
  if (all[at] === '.' && isDigit(all[at + 1] ?? '')) {
    while (at < all.length && (isDigit(all[at]) || all[at] === '.')) at += 1;
  }
  const text = all.slice(start, at).join('');
  const value = numberIn(text);
  if (value === null) throw new BadPredicate(start, 'number', {text});
  return [{kind: 'number', value, offset: start}, at];
}

/** Null: no duration begins there. */
function durationToken(all, start) {
  const [text, ...counts] = DURATION.exec(all.slice(start, start + 44).join(''));
  const end = start + text.length;
  if (text === '' || end < all.length && goesOn(all[end])) return null;
  const value = counts.reduce((sum, count, n) => sum + Number(count ?? 0) * UNITS[n], 0);
  return [{kind: 'duration', value, text, offset: start}, end];
}

function token(all, at) {
  const first = all[at];
  if (first === '"' || first === '\'') return textToken(all, at);
  if (isDigit(first) || first === '-' && isDigit(all[at + 1] ?? '')) {
    return durationToken(all, at) ?? numberToken(all, at);
  }
  if (beginsName(first)) {
    let end = at + 1;
    while (end < all.length && goesOn(all[end])) end += 1;
    return [{kind: 'word', value: all.slice(at, end).join(''), offset: at}, end];
  }
  for (const length of [2, 1]) {
    if (at + length > all.length) continue;
    const sign = all.slice(at, at + length).join('');
    if (SIGNS.has(sign)) return [{kind: 'sign', value: sign, offset: at}, at + length];
    if (HINTS.has(sign)) throw new BadPredicate(at, 'written', {sign, right: HINTS.get(sign)});
  }
  throw new BadPredicate(at, 'strange', {sign: first});
}

function tokens(text) {
  const all = [...text], found = [];
  let at = 0;
  for (;;) {
    while (at < all.length && /\p{White_Space}/u.test(all[at])) at += 1;
    if (at === all.length) return [...found, {kind: 'end', value: '', offset: at}];
    if (found.length === MOST_TOKENS) throw new BadPredicate(at, 'tooLong', {most: String(MOST_TOKENS)});
    const [one, end] = token(all, at);
    found.push(one);
    at = end;
  }
}

/** The name of a token in messages. */
function nameOf({kind, value, text}) {
  if (kind === 'duration') return `\`${text}\``;
  if (kind === 'end') return '';
  if (kind === 'number') return Number.isInteger(value) ? `${value}.0` : `${value}`;
  return kind === 'text' ? `"${value}"` : `\`${value}\``;
}

// Values: undefined (none), true, false, a number, a text, or a moment: {ms, midnight}, beside the start of that day.

const isMoment = (value) => typeof value === 'object';

function numberOf(value) {
  if (typeof value === 'string') return numberIn(value);
  if (isMoment(value)) return value.ms;
  return typeof value === 'number' ? value : null;
}

/** The moment that a clock time of the day from `midnight` on means; of any other value the number. */
function momentOf(value, midnight) {
  const clock = typeof value === 'string' ? CLOCK.exec(value) : null;
  if (!clock) return numberOf(value);
  const [hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0));
  return midnight + (hours * 3600 + minutes * 60 + seconds) * 1000;
}

/** The two numbers to compare; each may be null. */
function numbersOf(a, b) {
  if (isMoment(a)) return [a.ms, momentOf(b, a.midnight)];
  if (isMoment(b)) return [momentOf(a, b.midnight), b.ms];
  return [numberOf(a), numberOf(b)];
}

function same(a, b) {
  if (typeof a === typeof b && !isMoment(a)) return a === b;
  if (typeof a === 'boolean' || typeof b === 'boolean') return false;
  const [left, right] = numbersOf(a, b);
  return left !== null && left === right;
}

function less(a, b) {
  if (typeof a === 'string' && typeof b === 'string') return byBytes(a, b) < 0;
  const [left, right] = numbersOf(a, b);
  return left !== null && right !== null && left < right;
}

function textOf(value) {
  if (isMoment(value)) return textOf(value.ms);
  if (typeof value !== 'number') return typeof value === 'string' ? value : null;
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63) return `${BigInt(value)}`;
  const size = Math.abs(value);
  const text = size < 1e-4 || size >= 2 ** 53 ? value.toExponential() : `${value}`;
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function contains(a, b) {
  const whole = textOf(a), part = textOf(b);
  return whole !== null && part !== null && whole.includes(part);
}

const COMPARISONS = new Map([
  ['==', same],
  ['!=', (a, b) => !same(a, b)],
  ['<', less],
  ['>', (a, b) => less(b, a)],
  ['<=', (a, b) => less(a, b) || a !== undefined && same(a, b)],
  ['>=', (a, b) => less(b, a) || a !== undefined && same(a, b)],
  ['~', contains],
  ['!~', (a, b) => !contains(a, b)],
]);

// A scope is {table, clock, row, section, index}: the table, the daemon's time with the zone of the reader, and after
// `where` one of the rows.

function moment({nowMs, zoneSeconds}, ms) {
  const zone = zoneSeconds * 1000;
  return {ms, midnight: Math.floor((nowMs + zone) / DAY_MS) * DAY_MS - zone};
}

const secondsSince = ({nowMs}, ms) => Math.max(0, Math.floor((nowMs - ms) / 1000));

const kindOf = ({table, row}) => table.kinds?.get(row.kind ?? 'row');

const ageBegan = (scope) => beganMs(scope.row, kindOf(scope)) ?? 0;

function isLate(scope) {
  if (scope.row.sleep) return false;
  const {late, in : sections = []} = kindOf(scope)?.ages ?? {};
  if (late === undefined || sections.length > 0 && !sections.includes(scope.section)) return false;
  return secondsSince(scope.clock, ageBegan(scope)) >= late;
}

const OF_TABLE = new Map([
  ['revision', {value: ({table}) => table.revision}],
  ['sections', {value: ({table}) => table.sections.length}],
  ['invocations', {value: ({table}) => table.invocations.size}],
  ['editing', {value: ({table}) => table.editing, isCondition: true}],
  ['now', {value: ({clock}) => moment(clock, clock.nowMs)}],
]);

const OF_ROW = new Map([
  ['id', ({row}) => row.id],
  ['title', ({row}) => row.title ?? ''],
  ['kind', ({row}) => row.kind ?? 'row'],
  ['section', ({section}) => section],
  ['index', ({index}) => index],
  ['version', ({row}) => row.version ?? 0],
  ['state', ({row}) => row.expand ?? 'collapsed'],
  ['swipe', ({row}) => row.swipe ?? 'closed'],
  ['items', ({row}) => (row.items ?? []).length],
  ['age', (scope) => secondsSince(scope.clock, ageBegan(scope))],
  ['since', ({row, clock}) => secondsSince(clock, row.movedMs || (row.createdMs ?? 0))],
  ['late', isLate],
  ['claimed', ({row}) => row.claim !== undefined],
  ['holder', ({row}) => row.claim?.holder],
  ['createdMs', ({row, clock}) => moment(clock, row.createdMs ?? 0)],
  ['movedMs', ({row, clock}) => row.movedMs ? moment(clock, row.movedMs) : undefined],
  ['asleep', ({row}) => row.sleep !== undefined],
  ['wakes', ({row, clock}) => row.sleep ? moment(clock, row.sleep.untilMs ?? 0) : undefined],
]);
const CONDITIONS = new Set(['late', 'claimed', 'asleep']);
const NAMES = [...OF_ROW.keys(), 'field.NAME', 'action.NAME'].join(', ');
const CONSTANTS = ['true', 'false', 'none'];
/** A condition on a row alone comes to the same wherever the row stands. */
const ALONE = {
  words: new Set([...CONSTANTS, 'title', 'kind', 'state', 'items', 'field']),
  fault: 'notAlone',
};
/** A guard looks at one row with its place and its times, at the rows of its group, and at the time. */
const ONE_ROW = {
  words: new Set([...CONSTANTS, ...OF_ROW.keys(), 'field', 'action', 'now', 'count', 'any', 'all']),
  fault: 'notOfRow',
};

/** Each row as a scope. What is found of all rows is kept in `once`, for all of them. */
function* rowsOf({table, clock, once = new Map()}) {
  for (const section of table.sections) {
    let index = 0;
    for (const row of section.rows) yield {table, clock, once, row, section: section.id, index: index++};
  }
}

function scopeOf({table, clock}, id) {
  const row = table.row(id);
  if (!row) return null;
  // Nearly no condition asks where the row stands, which takes a while to find.
  return {
    table,
    clock,
    row,
    get section() { return table.sectionOf(id); },
    get index() { return table.indexOf(id); },
  };
}

const holds = (node, scope) => node.value(scope) === true;

/** Parses by recursive descent, into nodes: {value(scope), isCondition}. */
class Parser {
  /** `reach`: the words that it may have; null: all. */
  constructor(text, {inRow, reach = null}) {
    this.tokens = tokens(text);
    this.inRow = inRow;
    this.reach = reach;
    this.at = this.depth = 0;
  }

  get token() { return this.tokens[this.at]; }

  fault(key, values = {}, offset = this.token.offset) { throw new BadPredicate(offset, key, values); }

  is(kind, value) { return this.token.kind === kind && this.token.value === value; }

  takes(kind, value) {
    if (!this.is(kind, value)) return false;
    this.at += 1;
    return true;
  }

  expect(sign) {
    if (!this.takes('sign', sign)) this.fault('wanted', {wanted: `\`${sign}\``, found: nameOf(this.token)});
  }

  whole() {
    const node = this.condition();
    if (this.token.kind !== 'end') this.fault('joined', {found: nameOf(this.token)});
    return node;
  }

  deeper() {
    this.depth += 1;
    if (this.depth >= MOST_DEPTH) this.fault('tooDeep', {most: String(MOST_DEPTH)});
  }

  /** Refuses a value in the place of a condition. */
  checked(node, start) {
    if (node.isCondition) return node;
    return this.fault('comparison', {found: nameOf(this.token)}, Math.max(this.token.offset, start));
  }

  condition() {
    this.deeper();
    let start = this.token.offset;
    const either = [[this.negation()]];
    while (this.token.kind === 'word' && (this.token.value === 'and' || this.token.value === 'or')) {
      this.checked(either.at(-1).at(-1), start);
      if (this.token.value === 'or') either.push([]);
      this.at += 1;
      start = this.token.offset;
      either.at(-1).push(this.checked(this.negation(), start));
    }
    this.depth -= 1;
    if (either.length === 1 && either[0].length === 1) return either[0][0];
    return {value: (scope) => either.some((part) => part.every((node) => holds(node, scope))), isCondition: true};
  }

  negation() {
    let count = 0, start = 0;
    while (this.takes('word', 'not')) {
      this.deeper();
      start = this.token.offset;
      count += 1;
    }
    const node = this.comparison();
    if (count > 0) this.checked(node, start);
    this.depth -= count;
    return count % 2 === 0 ? node : {value: (scope) => !holds(node, scope), isCondition: true};
  }

  comparison() {
    const start = this.token.offset, left = this.operand();
    const compare = this.token.kind === 'sign' ? COMPARISONS.get(this.token.value) : undefined;
    if (!compare) return this.checked(left, start);
    this.at += 1;
    const right = this.operand();
    return {value: (scope) => compare(left.value(scope), right.value(scope)), isCondition: true};
  }

  operand() {
    const {kind, value} = this.token;
    if (this.takes('sign', '(')) {
      const node = this.condition();
      this.expect(')');
      return node;
    }
    if (kind !== 'text' && kind !== 'number' && kind !== 'duration' && kind !== 'word') {
      this.fault('value', {found: nameOf(this.token)});
    }
    this.at += 1;
    return kind === 'word' ? this.word(value) : {value: () => value};
  }

  word(word) {
    if (this.reach && !this.reach.words.has(word)) {
      this.at -= 1;
      this.fault(this.reach.fault, {what: word, names: NAMES});
    }
    if (word === 'true' || word === 'false') return {value: () => word === 'true', isCondition: true};
    if (word === 'none') return {value: () => undefined};
    if (word === 'count' || word === 'any' || word === 'all') return this.rows(word);
    if (word === 'exists') return this.existence();
    if (word === 'row' && this.is('sign', '(')) {
      const id = this.name();
      this.expect('.');
      const isCondition = CONDITIONS.has(this.token.value), of = this.property();
      return {
        value: (outer) => {
          const scope = scopeOf(outer, id);
          return scope ? of(scope) : undefined;
        },
        isCondition
      };
    }
    const isOfRow = word === 'field' || word === 'action' || OF_ROW.has(word);
    if (this.inRow && isOfRow) {
      this.at -= 1;
      return {value: this.property(), isCondition: CONDITIONS.has(word)};
    }
    if (OF_TABLE.has(word)) return OF_TABLE.get(word);
    this.at -= 1;
    if (isOfRow) this.fault('ofRow', {what: word, code: `row("…").${word}`});
    return this.fault('unknown', {what: word});
  }

  /** `(rows)` or `(rows where CONDITION)`, or the same of `group`. */
  rows(word) {
    this.expect('(');
    // A group is one row's, and has no groups in it.
    const allowed = [...this.reach ? [] : ['rows'], ...this.inRow && !this.inGroup ? ['group'] : []];
    if (!allowed.some((one) => this.is('word', one))) {
      const wanted = allowed.map((one) => `\`${one}\``).join(' or ') || 'a value';
      this.fault('wanted', {wanted, found: nameOf(this.token)});
    }
    const ofGroup = this.is('word', 'group');
    this.at += 1;
    const outer = this.inGroup;
    this.inGroup ||= ofGroup;
    const node = this.over(word, ofGroup ? groupScopes : rowsOf);
    this.inGroup = outer;
    if (!ofGroup) return node;
    return {...node, value: (scope) => onceForGroup(scope, node, () => node.value(scope)), isCount: word === 'count'};
  }

  /** The rest behind `rows` or `group`: nothing, or `where CONDITION`. */
  over(word, scopes) {
    if (word !== 'all' && this.takes('sign', ')')) {
      if (scopes === groupScopes) {
        return word === 'any' ? {value: () => true, isCondition: true} : {value: (scope) => groupScopes(scope).length};
      }
      return word === 'any' ? {value: ({table}) => table.size > 0, isCondition: true} :
                              {value: ({table}) => table.size};
    }
    if (!this.takes('word', 'where')) this.fault('wanted', {wanted: '`where`', found: nameOf(this.token)});
    const outer = this.inRow;
    this.inRow = true;
    const start = this.token.offset;
    const node = this.checked(this.condition(), start);
    this.expect(')');
    this.inRow = outer;
    const count = (outer, wanted) => {
      let found = 0;
      for (const one of scopes(outer)) {
        const scope = scopes === groupScopes && outer.once ? Object.create(one, {once: {value: outer.once}}) : one;
        if (holds(node, scope) === (word !== 'all')) found += 1;
        if (found === wanted) break;
      }
      return found;
    };
    const value = {
      any: (scope) => count(scope, 1) > 0,
      all: (scope) => count(scope, 1) === 0,
      count: (scope) => count(scope, -1),
    }[word];
    const isCondition = word !== 'count';
    if (scopes === groupScopes) return {value, isCondition};
    // It is the same for each row that asks.
    const found = (scope) => (scope.once ? madeOnce(scope.once, value, () => value(scope)) : value(scope));
    return {value: found, isCondition};
  }

  existence() {
    if (this.takes('word', 'row')) {
      const id = this.name();
      return {value: ({table}) => table.row(id) !== undefined, isCondition: true};
    }
    if (this.takes('word', 'section')) {
      const id = this.name();
      return {value: ({table}) => table.sections.some((one) => one.id === id), isCondition: true};
    }
    return this.fault('wanted', {wanted: 'row("…") or section("…")', found: nameOf(this.token)});
  }

  /** `("…")` */
  name() {
    this.expect('(');
    if (this.token.kind !== 'text') this.fault('id', {found: nameOf(this.token)});
    const {value} = this.token;
    this.at += 1;
    this.expect(')');
    return value;
  }

  property() {
    if (this.token.kind !== 'word') this.fault('names', {names: NAMES});
    const word = this.token.value;
    if (OF_ROW.has(word)) {
      this.at += 1;
      return OF_ROW.get(word);
    }
    if (word !== 'field' && word !== 'action') this.fault('noneOf', {what: word, names: NAMES});
    this.at += 1;
    this.expect('.');
    const {kind, value} = this.token;
    const isWhole = kind === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15;
    if (kind !== 'word' && kind !== 'text' && !isWhole) this.fault('name', {found: nameOf(this.token)});
    this.at += 1;
    const name = String(value);
    if (word === 'field') return ({row}) => fieldOf(row, name);
    return ({row}) => (row.performed ?? []).find((one) => one.action === name && !one.item)?.state;
  }
}

/** Words of properties whose values, or what they come to beside a clock time, change with time. */
const TIMED = new Set(['age', 'since', 'late', 'createdMs', 'movedMs', 'wakes', 'now']);

/** No time has passed since 1970. */
const START = {
  nowMs: 0,
  zoneSeconds: 0
};

/**
 * Gives what says whether the condition holds for a table. `clock` is the daemon's time, with the zone of the reader.
 * BadPredicate: the text is none.
 */
export function predicate(text) {
  const node = new Parser(text, {inRow: false}).whole();
  return (table, clock = START) => holds(node, {table, clock});
}

/**
 * Gives a function that lists the ids of the rows that meet the condition, in order. Its `isTimed` says whether they may
 * be others although the table does not change.
 */
export function rowPredicate(text) {
  const parser = new Parser(text, {inRow: true});
  const node = parser.whole();
  const fitting = (table, clock = START) => {
    const scopes = [...rowsOf({table, clock})].filter((scope) => holds(node, scope));
    return scopes.map(({row}) => row.id);
  };
  const isTimed = parser.tokens.some(({kind, value}) => kind === 'word' && TIMED.has(value));
  return Object.assign(fitting, {isTimed});
}

/** A function that says whether a condition of this reach holds. A condition with a fault never does. */
function ofRow(text, reach) {
  try {
    const node = new Parser(text, {inRow: true, reach}).whole();
    return (scope) => holds(node, scope);
  } catch (error) {
    if (error instanceof BadPredicate) return () => false;
    throw error;
  }
}

/** Gives what says whether a condition on a row alone holds for a row. */
export function rowCondition(text) {
  const condition = ofRow(text, ALONE);
  return (row) => condition({row});
}

/**
 * Gives what counts rows of a row's group, as names in braces say it: `count(group where section == "pass")`. Undefined:
 * the row stands alone, or the name has a fault.
 */
export function groupCount(text) {
  try {
    const parser = new Parser(text, {inRow: true, reach: ONE_ROW});
    const node = parser.operand();
    if (!node.isCount || parser.token.kind !== 'end') return () => undefined;
    return (table, row) => {
      const scope = {table, row, clock: START};
      return groupScopes(scope).length > 1 ? node.value(scope) : undefined;
    };
  } catch (error) {
    if (error instanceof BadPredicate) return () => undefined;
    throw error;
  }
}

const guards = new WeakMap();

/**
 * Whether an action may be performed on a row: `when` says so, at a moment of the daemon's. As there, clock times are
 * those of UTC.
 */
export function allows(action, table, id, nowMs) {
  if (action.when === undefined) return true;
  const guard = madeOnce(guards, action, () => ofRow(action.when, ONE_ROW));
  const scope = scopeOf({table, clock: {nowMs, zoneSeconds: 0}}, id);
  return scope !== null && guard(scope);
}
