// Chance that is the same each time for a seed (mulberry32).

export class Dice {
  constructor(seed) {
    this.state = 2166136261;
    for (const one of String(seed)) this.state = Math.imul(this.state ^ one.codePointAt(0), 16777619);
  }

  /** From 0 up to 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(n) { return Math.floor(this.next() * n); }

  pick(list) { return list[this.below(list.length)]; }

  chance(p) { return this.next() < p; }
}
