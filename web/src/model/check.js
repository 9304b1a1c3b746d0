// What comes from outside is looked at before it is kept: types, ids, bounds. What is wrong is
// refused with a name (`Wrong`), so that no other part of the page meets a row that is none.

import {Wrong} from './hash.js';

const STATES = new Set(['pending', 'done', 'failed']);
const EDGES = new Set(['leading', 'trailing', 'closed']);
const DIGEST = /^[0-9a-f]{16}$/;

/** It is an object of JSON, and no list. */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fail(what) {
  throw new Wrong(`${what} is not what the protocol says`);
}

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

export function edge(value) {
  if (value !== undefined && !EDGES.has(value)) fail('swipe');
}

export function performance(one) {
  object(one, 'a performance');
  id(one.action, 'an action');
  if (!STATES.has(one.state)) fail('a performance');
  maybeText(one.invocation, 'an invocation');
  maybeText(one.reason, 'a reason');
  maybeText(one.item, 'an item');
}

export function item(one) {
  object(one, 'an item');
  id(one.id, 'an item');
  maybeText(one.title, 'a title');
  maybeText(one.kind, 'a kind');
  fields(one.fields);
  tap(one.tap);
}

export function tap(one) {
  if (one === undefined || one === null) return;
  digest(object(one, 'a tap').digest);
}

export function claim(one) {
  if (one === undefined || one === null) return;
  text(object(one, 'a claim').holder, 'a holder');
  maybeText(one.note, 'a note');
  maybeFinite(one.ttl, 'a ttl');
  maybeWhole(one.sinceMs, 'a time');
}

export function states(value) {
  for (const one of list(value, 'states')) {
    text(object(one, 'a state').name, 'a state');
    maybeFinite(one.height, 'a height');
  }
}

export function scroll(one) {
  if (one === undefined || one === null) return;
  id(object(one, 'a scroll').item, 'an item');
  maybeFinite(one.fraction, 'a fraction');
}

export function selected(one) {
  if (one === undefined || one === null) return;
  maybeText(object(one, 'a selection').item, 'an item');
}

/** The actions of a row or a kind: groups at their edges. */
export function actions(one) {
  if (one === undefined || one === null) return;
  object(one, 'actions');
  group(one.leading);
  group(one.trailing);
}

export function group(one) {
  if (one === undefined || one === null) return;
  maybeText(object(one, 'a group').background, 'a colour');
  for (const action of list(one.actions, 'actions')) {
    id(object(action, 'an action').id, 'an action');
    for (const key of ['title', 'role', 'icon', 'background', 'foreground']) {
      maybeText(action[key], `the ${key} of an action`);
    }
  }
}

/** A row as snapshots and `insert` have it. */
export function row(one) {
  object(one, 'a row');
  id(one.id, 'a row');
  id(one.kind, 'a kind');
  maybeText(one.title, 'a title');
  fields(one.fields);
  maybeWhole(one.version, 'a version');
  maybeWhole(one.createdMs, 'a time');
  maybeWhole(one.changedMs, 'a time');
  maybeWhole(one.movedMs, 'a time');
  maybeText(one.expand, 'a state');
  edge(one.swipe);
  if (one.actions) {
    actions(one.actions);
    digest(one.actions.digest);
  }
  if (one.performed !== undefined) list(one.performed, 'performed').forEach(performance);
  if (one.items !== undefined) {
    const seen = new Set();
    for (const each of list(one.items, 'items')) {
      item(each);
      if (seen.has(each.id)) fail('an item that is there twice');
      seen.add(each.id);
    }
  }
  if (one.claim) claim(one.claim);
  if (one.states !== undefined) states(one.states);
  if (one.scroll) scroll(one.scroll);
  if (one.selected) selected(one.selected);
  return one;
}

/** A kind of rows. What of it layouts read, they read with defaults. */
export function kind(one) {
  object(one, 'a kind');
  id(one.id, 'a kind');
  digest(one.digest);
  states(one.states);
  group(one.leading);
  group(one.trailing);
  for (const each of list(one.items, 'kinds of items')) {
    text(object(each, 'a kind of items').name, 'a name');
    maybeText(each.badge, 'a badge');
  }
  for (const each of list(one.appearance, 'appearances')) {
    for (const key of ['state', 'background', 'tint']) {
      maybeText(object(each, 'an appearance')[key], 'an appearance');
    }
    maybeFinite(each.alpha, 'an alpha');
  }
  return one;
}

export function settings(one) {
  object(one, 'settings');
  digest(one.digest);
  return one;
}

export function invocation(one) {
  object(one, 'an invocation');
  id(one.id, 'an invocation');
  id(one.row, 'a row');
  text(one.action, 'an action');
  digest(one.digest);
  maybeText(one.holder, 'a holder');
  maybeText(one.item, 'an item');
  maybeWhole(one.attempts, 'attempts');
  return one;
}
