// The canonical form of section 9: numbers of 8 bytes, texts with their length before them.

import {Wrong, xxh64} from './hash.js';

const encoder = new TextEncoder();
const double = new DataView(new ArrayBuffer(8));

/** The bytes of what is hashed; one for the page, since hashes are made one after another. */
class Canon {
  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.length = 0;
  }

  begin() {
    this.length = 0;
    return this;
  }

  room(count) {
    if (this.length + count <= this.bytes.length) return;
    const more = new Uint8Array(2 * (this.length + count));
    more.set(this.bytes.subarray(0, this.length));
    this.bytes = more;
  }

  limbs(hi, lo) {
    this.room(8);
    const bytes = this.bytes;
    let at = this.length;
    bytes[at++] = lo;
    bytes[at++] = lo >>> 8;
    bytes[at++] = lo >>> 16;
    bytes[at++] = lo >>> 24;
    bytes[at++] = hi;
    bytes[at++] = hi >>> 8;
    bytes[at++] = hi >>> 16;
    bytes[at++] = hi >>> 24;
    this.length = at;
    return this;
  }

  number(value) {
    const given = value ?? 0;
    if (!Number.isSafeInteger(given) || given < 0) throw new Wrong('a number is none');
    return this.limbs(Math.floor(given / 4294967296), given >>> 0);
  }

  /** The 64 bits of a number (IEEE 754); of zero the positive one. */
  float(value) {
    const given = value ?? 0;
    if (typeof given !== 'number') throw new Wrong('a number is none');
    double.setFloat64(0, given || 0);
    return this.limbs(double.getUint32(0), double.getUint32(4));
  }

  text(value) {
    if (typeof value !== 'string') throw new Wrong('a text is none');
    const length = value.length;
    this.room(8 + 3 * length);
    const start = this.length + 8, bytes = this.bytes;
    let at = start;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) {
        at = start + encoder.encodeInto(value, bytes.subarray(start)).written;
        break;
      }
      bytes[at++] = code;
    }
    this.limbs(0, at - start);
    this.length = at;
    return this;
  }

  /** A digest that travels with a thing, as a number. */
  digest(value) {
    if (typeof value !== 'string' || !/^[0-9a-f]{16}$/.test(value)) {
      throw new Wrong('a digest is none');
    }
    return this.limbs(parseInt(value.slice(0, 8), 16), parseInt(value.slice(8), 16));
  }

  /** The hash of what was written, into `out`. */
  hash() { xxh64(this.bytes, this.length); }
}

export const canon = new Canon();

/** Texts in the order of their UTF-8 bytes, which is that of their code points. */
export function byBytes(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above all others.
    const high = (x & 0xf800) === 0xd800, other = (y & 0xf800) === 0xd800;
    if (high !== other) return high ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/** The keys of a map, in the order of their bytes. */
export function sortedKeys(map) {
  const keys = Object.keys(map);
  return keys.length > 1 ? keys.sort(byBytes) : keys;
}

function writeFields(fields) {
  if (fields === undefined || fields === null) {
    canon.number(0);
    return;
  }
  const keys = sortedKeys(fields);
  canon.number(keys.length);
  for (const key of keys) canon.text(key).text(fields[key]);
}

function writePerformed(performed) {
  canon.text('performed').number(performed.length);
  for (const one of performed) {
    canon.text(one.action).text(one.state);
    if (one.state === 'pending') canon.text(one.invocation ?? '');
    else if (one.state === 'failed') canon.text(one.reason ?? '');
  }
}

function writeItems(items) {
  canon.text('items').number(items.length);
  for (const item of items) {
    canon.text(item.id).text(item.title ?? '');
    writeFields(item.fields);
    if (item.tap) canon.digest(item.tap.digest);
    else canon.number(0);
  }
}

/** Writes a name that only some of a row's items or performances have, with their indexes. */
function writeNamed(word, list, key) {
  if (!list) return;
  const named = [];
  list.forEach((one, index) => {
    if (one[key]) named.push(index);
  });
  if (named.length === 0) return;
  canon.text(word).number(named.length);
  for (const index of named) canon.number(index).text(list[index][key]);
}

function writeStates(states) {
  canon.text('states').number(states.length);
  for (const state of states) {
    canon.text(state.name);
    if (state.height === undefined || state.height === null) canon.number(0);
    else canon.number(1).float(state.height);
  }
}

/** The hash of a row, into `out`. */
export function rowHash(row) {
  canon.begin().text(row.id).text(row.kind).text(row.title ?? '');
  writeFields(row.fields);
  canon.number(row.createdMs).text(row.expand ?? 'collapsed').text(row.swipe ?? 'closed');
  if (row.actions) canon.text('actions').digest(row.actions.digest);
  if (row.performed && row.performed.length) writePerformed(row.performed);
  if (row.items && row.items.length) writeItems(row.items);
  if (row.scroll) canon.text('scroll').text(row.scroll.item).number(1).float(row.scroll.fraction);
  if (row.changedMs) canon.text('changed').number(row.changedMs);
  if (row.movedMs) canon.text('moved').number(row.movedMs);
  if (row.claim) {
    const claim = row.claim;
    canon.text('claim').text(claim.holder).text(claim.note ?? '').number(1).float(claim.ttl).number(claim.sinceMs);
  }
  if (row.states && row.states.length) writeStates(row.states);
  if (row.selected) {
    canon.text('selected');
    if (row.selected.item === undefined) canon.number(0);
    else canon.number(1).text(row.selected.item);
  }
  writeNamed('item kinds', row.items, 'kind');
  writeNamed('performed on items', row.performed, 'item');
  if (row.cameFrom) canon.text('came from').text(row.cameFrom);
  if (row.sleep) canon.text('sleep').number(row.sleep.untilMs).text(row.sleep.top ? 'top' : 'place');
  canon.hash();
}

/** The hash of an invocation, into `out`. */
export function invocationHash(one) {
  canon.begin().digest(one.digest);
  if (one.holder) canon.number(1).text(one.holder);
  else canon.number(0);
  canon.number(one.attempts);
  if (one.failure) canon.text(one.failure.reason ?? '').number(one.failure.dueMs).number(one.failure.over ? 1 : 0);
  canon.hash();
}

/** The hash of the settings and the kinds, into `out`. */
export function definitionsHash(settings, kinds) {
  canon.begin().digest(settings.digest).number(kinds.size);
  for (const id of [...kinds.keys()].sort(byBytes)) canon.text(id).digest(kinds.get(id).digest);
  canon.hash();
}
