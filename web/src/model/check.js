// Everything from outside is checked before it is kept: types, ids, bounds. A wrong value is
// refused with a name (`Wrong`), so that no other part of the page meets a row that is none.

import {Wrong} from './hash.js';

const DIGEST = /^[0-9a-f]{16}$/;

/** It is an object of JSON, and no list. */
export function isObject(value) { return typeof value === 'object' && value !== null && !Array.isArray(value); }

function fail(what) { throw new Wrong(`${what} is not what the protocol says`); }

export function object(value, what) {
  if (!isObject(value)) fail(what);
  return value;
}

/** A text that is there. */
export function text(value, what) {
  if (typeof value !== 'string') fail(what);
  return value;
}

/** An id: a text that is not empty. */
export function id(value, what = 'an id') {
  if (typeof value !== 'string' || value.length === 0 || value.length > 4096) fail(what);
  return value;
}

/** A text, or nothing. */
export function maybeText(value, what) {
  if (value !== undefined && typeof value !== 'string') fail(what);
}

/** A whole number from 0 to 2^53, or nothing. */
export function maybeWhole(value, what) {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) fail(what);
}

function flag(value, what) {
  if (typeof value !== 'boolean') fail(what);
}

function maybeFinite(value, what) {
  if (value !== undefined && value !== null && !Number.isFinite(value)) fail(what);
}

/** A list, or nothing: then an empty one. */
export function list(value, what) {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) fail(what);
  return value;
}

export function digest(value, what = 'a digest') {
  if (typeof value !== 'string' || !DIGEST.test(value)) fail(what);
  return value;
}

/** A map of texts, or nothing. */
export function fields(value) {
  if (value === undefined || value === null) return;
  object(value, 'fields');
  for (const key of Object.keys(value)) text(value[key], 'a field');
}

const oneOf = (...words) => (value, what) => {
  if (!words.includes(value)) fail(what);
};

export const listOf = (check) => (value, what) => {
  for (const one of list(value, what)) check(one);
};

/** A check that `undefined` and `null` pass too. */
export const maybe = (check) => (value, what) => {
  if (value !== undefined && value !== null) check(value, what);
};

/** An object each of whose members here passes its check. Other members are not looked at. */
export function shape(what, members) {
  const checks = Object.entries(members).map(([key, check]) => [key, check, `the ${key} of ${what}`]);
  return (one) => {
    object(one, what);
    for (const [key, check, name] of checks) check(one[key], name);
    return one;
  };
}

export const edge = oneOf('leading', 'trailing', 'closed', undefined);

export const performance = shape('a performance', {
  action: id,
  state: oneOf('pending', 'done', 'failed'),
  invocation: maybeText,
  reason: maybeText,
  item: maybeText,
});

export const tap = maybe(shape('a tap', {digest}));

export const item = shape('an item', {id, title: maybeText, kind: maybeText, fields, tap});

export const claim = maybe(shape('a claim', {
  holder: text,
  note: maybeText,
  ttl: maybeFinite,
  sinceMs: maybeWhole,
}));

export const sleep = maybe(shape('a sleep', {untilMs: maybeWhole, top: maybe(flag)}));

export const states = listOf(shape('a state', {name: text, height: maybeFinite}));

export const scroll = maybe(shape('a scroll', {item: id, fraction: maybeFinite}));

export const selected = maybe(shape('a selection', {item: maybeText}));

const action = shape('an action', {
  id,
  title: maybeText,
  role: maybeText,
  icon: maybeText,
  background: maybeText,
  foreground: maybeText,
  when: maybeText,
  unless: maybeText,
});

const group = maybe(shape('a group', {background: maybeText, actions: listOf(action)}));

/** The actions of a row or a kind: groups at their edges. */
export const actions = maybe(shape('actions', {leading: group, trailing: group}));

function ownActions(one) {
  actions(one);
  digest(one.digest);
}

function items(value, what) {
  const ids = list(value, what).map((one) => item(one).id);
  if (new Set(ids).size !== ids.length) fail('an item that is there twice');
}

/** A row as snapshots and `insert` have it. */
export const row = shape('a row', {
  id,
  kind: id,
  title: maybeText,
  fields,
  version: maybeWhole,
  createdMs: maybeWhole,
  changedMs: maybeWhole,
  movedMs: maybeWhole,
  expand: maybeText,
  swipe: edge,
  actions: maybe(ownActions),
  performed: listOf(performance),
  items,
  claim,
  states,
  scroll,
  selected,
  cameFrom: maybeText,
  sleep,
});

/** A kind of rows. What of it layouts read, they read with defaults. */
export const kind = shape('a kind', {
  id,
  digest,
  states,
  leading: group,
  trailing: group,
  items: listOf(shape('a kind of items', {name: text, badge: maybeText})),
  ages: maybe(shape('ages', {in: listOf(text), since: maybeText})),
  show: maybe(shape('a face', {
    title: maybeText,
    line: maybe(shape('a line', {parts: listOf(text)})),
    badge: maybeText,
    detail: listOf(text),
    hide: listOf(text),
    as: fields,
    wrap: maybeFinite,
    color: maybeText,
  })),
  emphasis: listOf(shape('an emphasis', {
    when: maybeText,
    field: maybeText,
    background: maybeText,
    color: maybeText,
    icon: maybeText,
  })),
  form: listOf(text),
  appearance: listOf(shape('an appearance', {
    state: maybeText,
    background: maybeText,
    tint: maybeText,
    alpha: maybeFinite,
  })),
});

export const settings = shape('settings', {
  digest,
  alerts:
    listOf(shape('an alert', {on: text, in : listOf(text), kinds: listOf(text), sound: maybeText, repeat: maybeWhole})),
  pauses: listOf(shape('a pause', {actor: text, section: maybeText, action: maybeText, note: maybeText})),
});

/** Any number of milliseconds may come: it is only shown, and hashed. */
export const failure = shape('a failure', {
  reason: maybeText,
  dueMs: maybeWhole,
  over: maybe(flag),
});

export const invocation = shape('an invocation', {
  id,
  row: id,
  action: text,
  digest,
  holder: maybeText,
  item: maybeText,
  attempts: maybeWhole,
  failure: maybe(failure),
});
