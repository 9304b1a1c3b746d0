// XXH64 and the arithmetic modulo 2^61 - 1, in 32-bit limbs (docs/PROTOCOL.md, section 9).
//
// A 64-bit number is two limbs: high and low, each an integer from 0 to 2^32 - 1. Functions that
// have two limbs to give back leave them in `out`, so that nothing is allocated for a hash.

/** Something does not fit: the replica is wrong, or the message is none (section 7). */
export class Wrong extends Error {}

/** The last result: its high and its low limb. */
export const out = {
  hi: 0,
  lo: 0
};

const TWO32 = 4294967296;

// The primes of XXH64.
const P1H = 0x9e3779b1, P1L = 0x85ebca87;
const P2H = 0xc2b2ae3d, P2L = 0x27d4eb4f;
const P3H = 0x165667b1, P3L = 0x9e3779f9;
const P4H = 0x85ebca77, P4L = 0xc2b2ae63;
const P5H = 0x27d4eb2f, P5L = 0x165667c5;

// The four lanes of a long text, and their index in this array: high limbs first.
const lanes = new Int32Array(8);

/** a * b modulo 2^64 into `out`, as signed limbs. */
function multiply(ah, al, bh, bl) {
  const a0 = al & 0xffff, a1 = al >>> 16, b0 = bl & 0xffff, b1 = bl >>> 16;
  const low = a0 * b0;
  const mid = a1 * b0 + (low >>> 16);
  const mid2 = a0 * b1 + (mid % 65536);
  out.lo = Math.imul(al, bl);
  out.hi = (a1 * b1 + Math.floor(mid / 65536) + Math.floor(mid2 / 65536) + Math.imul(ah, bl) + Math.imul(al, bh)) | 0;
}

/** One step of a lane: rotate(acc + word * P2, 31) * P1. */
function round(ah, al, wh, wl) {
  multiply(wh, wl, P2H, P2L);
  const lo = (al >>> 0) + (out.lo >>> 0);
  const sh = (ah + out.hi + (lo >= TWO32 ? 1 : 0)) | 0, sl = lo | 0;
  multiply((sh << 31) | (sl >>> 1), (sl << 31) | (sh >>> 1), P1H, P1L);
}

/** A word of the text goes into a lane. */
function feed(lane, bytes, at) {
  round(lanes[lane], lanes[lane + 4], word(bytes, at + 4), word(bytes, at));
  lanes[lane] = out.hi;
  lanes[lane + 4] = out.lo;
}

function word(bytes, at) { return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24); }

/** All lanes in one number, as the algorithm joins them. */
function joinLanes() {
  let hi = 0, lo = 0;
  const shifts = [1, 7, 12, 18];
  for (let i = 0; i < 4; i++) {
    const h = lanes[i], l = lanes[i + 4], n = shifts[i];
    const sum = lo + (((l << n) | (h >>> (32 - n))) >>> 0);
    hi = (hi + ((h << n) | (l >>> (32 - n))) + (sum >= TWO32 ? 1 : 0)) | 0;
    lo = sum >>> 0;
  }
  for (let i = 0; i < 4; i++) {
    round(0, 0, lanes[i], lanes[i + 4]);
    multiply(hi ^ out.hi, lo ^ out.lo, P1H, P1L);
    const sum = (out.lo >>> 0) + P4L;
    hi = (out.hi + P4H + (sum >= TWO32 ? 1 : 0)) | 0;
    lo = sum >>> 0;
  }
  out.hi = hi;
  out.lo = lo;
}

/** XXH64 with seed 0 of the first `length` bytes, into `out`. */
export function xxh64(bytes, length) {
  let at = 0, hi, lo;
  if (length >= 32) {
    // Seed 0: P1 + P2, P2, 0, -P1.
    lanes[0] = P1H + P2H;
    lanes[4] = P1L + P2L;
    lanes[1] = P2H;
    lanes[5] = P2L;
    lanes[2] = 0;
    lanes[6] = 0;
    lanes[3] = ~P1H;
    lanes[7] = -P1L;
    for (const last = length - 32; at <= last; at += 32) {
      feed(0, bytes, at);
      feed(1, bytes, at + 8);
      feed(2, bytes, at + 16);
      feed(3, bytes, at + 24);
    }
    joinLanes();
    hi = out.hi;
    lo = out.lo >>> 0;
  } else {
    hi = P5H;
    lo = P5L;
  }
  lo += length;
  if (lo >= TWO32) {
    lo -= TWO32;
    hi = (hi + 1) | 0;
  }
  finish(bytes, at, length, hi | 0, lo | 0);
}

/** The words and bytes that no lane took, and the last mixing. */
function finish(bytes, from, length, hi, lo) {
  let at = from, sum;
  for (; at + 8 <= length; at += 8) {
    round(0, 0, word(bytes, at + 4), word(bytes, at));
    const h = hi ^ out.hi, l = lo ^ out.lo;
    multiply((h << 27) | (l >>> 5), (l << 27) | (h >>> 5), P1H, P1L);
    sum = (out.lo >>> 0) + P4L;
    hi = (out.hi + P4H + (sum >= TWO32 ? 1 : 0)) | 0;
    lo = sum | 0;
  }
  if (at + 4 <= length) {
    multiply(0, word(bytes, at), P1H, P1L);
    const h = hi ^ out.hi, l = lo ^ out.lo;
    multiply((h << 23) | (l >>> 9), (l << 23) | (h >>> 9), P2H, P2L);
    sum = (out.lo >>> 0) + P3L;
    hi = (out.hi + P3H + (sum >= TWO32 ? 1 : 0)) | 0;
    lo = sum | 0;
    at += 4;
  }
  for (; at < length; at++) {
    multiply(0, bytes[at], P5H, P5L);
    const h = hi ^ out.hi, l = lo ^ out.lo;
    multiply((h << 11) | (l >>> 21), (l << 11) | (h >>> 21), P1H, P1L);
    hi = out.hi;
    lo = out.lo;
  }
  multiply(hi, lo ^ (hi >>> 1), P2H, P2L);
  hi = out.hi;
  lo = out.lo;
  multiply(hi ^ (hi >>> 29), lo ^ ((lo >>> 29) | (hi << 3)), P3H, P3L);
  out.lo = (out.lo ^ out.hi) >>> 0;
  out.hi >>>= 0;
}

// Modulo p = 2^61 - 1. A value is below p: its high limb has 29 bits.

const MASK29 = 0x1fffffff;

/** A hash modulo p, into `out`. */
export function reduce(hi, lo) {
  // hi:lo = top * 2^61 + rest, and 2^61 is 1 modulo p.
  settle(hi & MASK29, lo + (hi >>> 29));
}

/** Carries, and takes p away once, where the value is p or more. `lo` may be up to 2^53. */
function settle(high, low) {
  let hi = high, lo = low;
  if (lo >= TWO32) {
    const carry = Math.floor(lo / TWO32);
    lo -= carry * TWO32;
    hi += carry;
  }
  if (hi > MASK29) {
    const top = Math.floor(hi / 536870912);
    hi -= top * 536870912;
    lo += top;
    if (lo >= TWO32) {
      lo -= TWO32;
      hi += 1;
    }
  }
  if (hi === MASK29 && lo === 0xffffffff) {
    hi = 0;
    lo = 0;
  }
  if (hi > MASK29) {
    hi -= 536870912;
    lo += 1;
  }
  out.hi = hi;
  out.lo = lo;
}

/** The sum of two values below p, into `out`. */
export function addMod(ah, al, bh, bl) { settle(ah + bh, al + bl); }

// Pieces of 16 bits: four of each factor, and the sums of their products.
/** The product of two values below p, into `out`. */
export function mulMod(ah, al, bh, bl) {
  const a0 = al & 0xffff, a1 = al >>> 16, a2 = ah & 0xffff, a3 = ah >>> 16;
  const b0 = bl & 0xffff, b1 = bl >>> 16, b2 = bh & 0xffff, b3 = bh >>> 16;
  let t = a0 * b0;
  const r0 = t % 65536;
  t = Math.floor(t / 65536) + a0 * b1 + a1 * b0;
  const r1 = t % 65536;
  t = Math.floor(t / 65536) + a0 * b2 + a1 * b1 + a2 * b0;
  const r2 = t % 65536;
  t = Math.floor(t / 65536) + a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  const r3 = t % 65536;
  t = Math.floor(t / 65536) + a1 * b3 + a2 * b2 + a3 * b1;
  const r4 = t % 65536;
  t = Math.floor(t / 65536) + a2 * b3 + a3 * b2;
  const r5 = t % 65536;
  const r6 = Math.floor(t / 65536) + a3 * b3; // below 2^26: the product has 122 bits
  // The low 61 bits, and what is above them: both below 2^61.
  const lowHi = (r3 * 65536 + r2) % 536870912;
  const lowLo = r1 * 65536 + r0;
  const top = Math.floor(r3 / 8192); // bits 61 to 63
  const m = r5 * 65536 + r4;         // bits 64 to 95
  const highLo = (m % 536870912) * 8 + top;
  const highHi = r6 * 8 + Math.floor(m / 536870912);
  settle(lowHi + highHi, lowLo + highLo);
}

/** The B of section 9, reduced. */
export const BASE = {
  hi: 0x13c6ef37,
  lo: 0x2fe94f82
};

/** v * B + hash: the next value of a sequence, into `out`. */
export function append(vh, vl, hh, hl) {
  mulMod(vh, vl, BASE.hi, BASE.lo);
  const h = out.hi, l = out.lo;
  reduce(hh, hl);
  settle(h + out.hi, l + out.lo);
}

const powers = [{hi: 0, lo: 1}];

/** B^n, remembered up to 256 and made by squaring beyond. */
export function power(n) {
  if (n < 256) {
    while (powers.length <= n) {
      const last = powers[powers.length - 1];
      mulMod(last.hi, last.lo, BASE.hi, BASE.lo);
      powers.push({hi: out.hi, lo: out.lo});
    }
    return powers[n];
  }
  const half = power(n >>> 1);
  mulMod(half.hi, half.lo, half.hi, half.lo);
  if (n % 2 === 1) mulMod(out.hi, out.lo, BASE.hi, BASE.lo);
  return {hi: out.hi, lo: out.lo};
}

/** 16 lower-case hexadecimal digits. */
export function hex(hi, lo) {
  return (hi >>> 0).toString(16).padStart(8, '0') + (lo >>> 0).toString(16).padStart(8, '0');
}
