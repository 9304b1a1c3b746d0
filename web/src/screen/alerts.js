/** New and late rows: a flash, and a sound where it is switched on. For this screen's sections only. */
import {ages} from '../layout/motion.js';
import {word} from './words.js';

/** In larger tables nobody would notice which rows came while the page heard nothing. */
const MOST_KNOWN = 20_000;
/** Changes come in floods. What is late is counted once in so many milliseconds. */
const LOOK_MS = 300;
/** A rule sounds no more than once in so many milliseconds. */
const ONCE_MS = 1000;
/** Seconds from one tone to the next, and of a tone. */
const TONE = 0.16;

export class Alerts {
  constructor(board) {
    this.board = board;
    this.context = null;
    /** When each rule sounded last, and when the sound of now ends. */
    this.last = new Map();
    this.free = 0;
    /** The section of each row, as this screen knows it; null: it knows none yet. */
    this.known = null;
    /** The rows that are late; null: nobody has looked yet. And how many there are, by section. */
    this.late = null;
    this.counts = new Map();
    addEventListener('pointerdown', () => this.unlock(), {once: true, capture: true});
    addEventListener('keydown', () => this.unlock(), {once: true, capture: true});
  }

  /** Browsers let a page sound only after it was touched once. */
  unlock() {
    if (this.context || !this.board.settings.sounds) return;
    try {
      this.context = new AudioContext();
    } catch { /* this machine has no sound */
    }
  }

  changed(changes) {
    for (const changed of changes) {
      for (const one of changed.rows) {
        if (one.after) this.known?.set(one.id, one.to);
        else this.known?.delete(one.id);
        const came = one.after && (!one.before || (one.moved && one.from !== one.to));
        // It comes late: that is no news of its own.
        if (came && !(one.before && this.watches(one.from)) && this.isLate(one.after, one.to)) this.late?.add(one.id);
        if (!came || this.board.mine(changed.cause) || !this.watches(one.to)) continue;
        this.flash(one.id, false);
        // It is new here, by a move too: the station before this one has passed it on.
        if (!one.before || !this.watches(one.from)) this.sound([880, 1174], 'new');
      }
    }
    this.looking ??= this.board.table && setTimeout(() => this.look(), LOOK_MS);
  }

  /** The table as a whole: rows that have come while nothing was heard are new. Those of the first table were there. */
  reset(table) {
    if (!table) return;
    const {known} = this;
    const isSame = known && this.history === table.history;
    this.history = table.history;
    this.known = table.size > MOST_KNOWN ? null : new Map();
    if (!isSame) this.late = null;
    let hasCome = false;
    for (const {id: section, rows} of table.sections) {
      if (!this.known) break;
      for (const row of rows) {
        this.known.set(row.id, section);
        const old = known?.get(row.id);
        if (!isSame || !this.watches(section) || (old !== undefined && this.watches(old))) continue;
        if (this.isLate(row, section)) this.late?.add(row.id);
        this.flash(row.id, false);
        hasCome = true;
      }
    }
    if (hasCome) this.sound([880, 1174], 'new');
    this.look();
  }

  /** Ages begin to count anew: nothing has become late by that. */
  forget() { this.late = null; }

  isLate(row, section) {
    const {table} = this.board;
    const kind = table?.kinds.get(row.kind);
    return Boolean(kind?.ages) && ages(row, kind, this.board.now(), section).level === 'late';
  }

  /** Rows that have become late since the last look, also those out of sight; and how many are late in each section. */
  look() {
    clearTimeout(this.looking);
    this.looking = undefined;
    const was = this.late;
    this.late = new Set();
    this.counts = new Map();
    for (const section of this.board.table?.sections ?? []) {
      if (!this.watches(section.id)) continue;
      for (const row of section.rows) {
        if (!this.isLate(row, section.id)) continue;
        this.late.add(row.id);
        this.counts.set(section.id, (this.counts.get(section.id) ?? 0) + 1);
        if (was && !was.has(row.id)) this.nowLate(row);
      }
    }
    for (const list of this.board.lists) list.drawLate();
  }

  nowLate(row) {
    this.flash(row.id, true);
    this.sound([660, 495, 660], 'late');
    this.board.say(word('late.now', {row: row.title || row.id}));
  }

  /** How many rows of a section are late, in words. */
  lateSaid(section) {
    const count = this.counts.get(section) ?? 0;
    return count > 0 ? word('late', {count}) : '';
  }

  watches(section) { return this.board.settings.shows(section); }

  flash(id, late) {
    const view = this.board.viewOf(id);
    if (!view) return;
    const list = view.element.classList;
    list.remove('flash', 'is-late');
    void view.element.offsetWidth;
    list.add('flash');
    list.toggle('is-late', late);
    setTimeout(() => {
      if (view.id === id) list.remove('flash', 'is-late', 'comes');
    }, 3400);
  }

  /** Short tones. Those of another rule wait until these have ended. */
  sound(tones, rule) {
    if (!this.board.settings.soundsFor(rule) || performance.now() - (this.last.get(rule) ?? -ONCE_MS) < ONCE_MS) return;
    this.unlock();
    if (!this.context || this.context.state === 'closed') return;
    this.last.set(rule, performance.now());
    this.context.resume?.();
    const start = Math.max(this.context.currentTime + 0.02, this.free);
    this.free = start + (tones.length + 1) * TONE;
    tones.forEach((tone, index) => {
      const source = this.context.createOscillator();
      const loud = this.context.createGain();
      const at = start + index * TONE;
      source.frequency.value = tone;
      loud.gain.setValueAtTime(0.0001, at);
      loud.gain.exponentialRampToValueAtTime(0.3, at + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.15);
      source.connect(loud).connect(this.context.destination);
      source.start(at);
      source.stop(at + 0.17);
    });
  }
}
