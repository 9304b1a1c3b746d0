/** New and late rows: a flash, and a sound and a notification where they are switched on. For this screen's sections only. */
import {isLate} from '../layout/motion.js';
import {showOf} from '../layout/rowface.js';
import {keep, kept} from './kept.js';
import {Notifications} from './notify.js';
import {word} from './words.js';

/** In larger tables nobody would notice which rows came while the page heard nothing. */
const MOST_KNOWN = 20_000;
/** Changes come in floods. What is late is counted once in so many milliseconds. */
const LOOK_MS = 300;
/** A rule sounds no more than once in so many milliseconds. */
const ONCE_MS = 1000;
/** Seconds from one tone to the next, and of a tone. */
const TONE = 0.16;
/** A sound that would begin later, in seconds, is left out. */
const MOST_WAITING = 5;
const SOUNDS = {
  chime: [880, 1174],
  bell: [660, 495, 660],
  alarm: [988, 740, 988, 740, 988]
};
/** The rules of a board that has none of its own. */
const PLAIN = [{on: 'new', sound: 'chime'}, {on: 'late', sound: 'bell'}];

/** The page that a reload makes of this one begins with all that this one has heard of. */
const KEPT = 'trestle.heard';

/** Two rules that say the same are one, also after the kinds were defined anew. */
const keyOf = (rule) => JSON.stringify(rule);

const failures = (row) => (row.performed ?? []).filter((one) => one.state === 'failed').length;

/** Forgets what a reload would be told of. */
export function forgetHeard() { keep(KEPT, null, 'tab'); }

export class Alerts {
  constructor(board) {
    this.board = board;
    this.notifications = new Notifications(board);
    this.context = null;
    /** When each sound was last played, and when that of now ends. */
    this.last = new Map();
    this.free = 0;
    /** The rows that nobody has seen yet, with the rule that sounds again for them and its timer, by the key of the rule. */
    this.unseen = new Map();
    /** By row: {section, row: as it was heard of last}; null: this screen knows none yet. Of rows a reload keeps the section. */
    this.known = null;
    /** Whether diffs are news. A snapshot may be some seconds old, and what leads from there to now was there before. */
    this.hears = false;
    /** The rows that are late; null: nobody has looked yet. And how many there are, by section. */
    this.late = null;
    this.counts = new Map();
    /** The sections that the last look was at. What is late in another was so before this screen showed it. */
    this.looked = new Set();
    addEventListener('pointerdown', () => this.unlock(), {once: true, capture: true});
    addEventListener('keydown', () => this.unlock(), {once: true, capture: true});
    for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => this.seen(), {capture: true});
    addEventListener('pagehide', () => this.keep());
  }

  /** The rules about this news of a row. */
  rules(event, row, section) {
    const rules = this.board.table?.settings.alerts;
    return (rules?.length ? rules : PLAIN)
      .filter((rule) => rule.on === event && (!rule.in?.length || rule.in.includes(section))
          && (!rule.kinds?.length || rule.kinds.includes(row.kind)));
  }

  /** Something is new about a row: what is said of it by the rules sounds, and again until somebody has seen it. */
  raise(event, row, section) {
    for (const rule of this.rules(event, row, section)) {
      const sound = SOUNDS[rule.sound ?? 'chime'];
      if (!sound) continue;
      this.notifications.raise(event, row);
      this.sound(sound, event, keyOf(rule));
      if (rule.repeat > 0) this.remind(rule, row.id);
    }
  }

  remind(rule, id) {
    const key = keyOf(rule);
    const waiting = this.unseen.get(key) ?? {rule, rows: new Set()};
    waiting.rows.add(id);
    waiting.timer ??= setInterval(() => this.again(key, waiting), rule.repeat * 1000);
    this.unseen.set(key, waiting);
  }

  again(key, {rule, rows, timer}) {
    for (const id of rows)
      if (!this.needs(id, rule)) rows.delete(id);
    if (rows.size > 0) return this.sound(SOUNDS[rule.sound ?? 'chime'], rule.on, key);
    clearInterval(timer);
    return this.unseen.delete(key);
  }

  /** Whether a row needs somebody still. One that has gone does not, nor one that is where the rule does not hold. */
  needs(id, rule) {
    const entry = this.board.table?.entries.get(id), section = this.known?.get(id)?.section;
    if (!entry || (rule.on === 'late' && !this.late?.has(id))) return false;
    // In so large a table nobody keeps where each row is.
    if (section === undefined) return true;
    const {row} = entry;
    const isSame = (one) => keyOf(one) === keyOf(rule);
    if (!this.watches(section) || !this.rules(rule.on, row, section).some(isSame)) return false;
    if (rule.on === 'emphasised') return this.standing(row) > 0;
    return rule.on !== 'failed' || failures(row) > 0;
  }

  /** Keeps it for the page that a reload makes of this one. */
  keep() {
    const {board: {name, session}, history, known, unseen} = this;
    if (!known || session.ended || session.closed) return;
    const waiting = [...unseen.values()].map(({rule, rows}) => ({rule, rows: [...rows]}));
    const sections = [...known].map(([id, {section}]) => [id, section]);
    keep(KEPT, {name, history, known: sections, waiting}, 'tab');
  }

  /** Takes over all that the page before this one had heard of, in the same tab. */
  remember(table) {
    const had = kept(KEPT, 'tab');
    forgetHeard();
    if (had?.name !== this.board.name || had.history !== table.history) return;
    this.known = new Map(had.known.map(([id, section]) => [id, {section}]));
    this.history = had.history;
    for (const {rule, rows} of had.waiting)
      for (const id of rows) this.remind(rule, id);
  }

  /** Somebody is at the screen. */
  seen() {
    for (const {timer} of this.unseen.values()) clearInterval(timer);
    this.unseen.clear();
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
        if (one.after) this.known?.set(one.id, {row: one.after, section: one.to});
        else this.known?.delete(one.id);
        const came = one.after && (!one.before || (one.moved && one.from !== one.to));
        // It comes late: that is no news of its own.
        if (came && !(one.before && this.watches(one.from)) && this.isLate(one.after, one.to)) this.late?.add(one.id);
        if (!this.hears || !one.after || this.board.mine(changed.cause) || !this.watches(one.to)) continue;
        this.compare(one);
        if (!came) continue;
        this.flash(one.id, false);
        // It is new here, by a move too: the station before this one has passed it on.
        if (!one.before || !this.watches(one.from)) this.raise('new', one.after, one.to);
      }
    }
    this.looking ??= this.board.table && setTimeout(() => this.look(), LOOK_MS);
  }

  /** The board is live, and drawn as it is: what comes now is news. */
  listen() { this.hears ||= this.board.table !== null && this.board.changes.length === 0; }

  /**
   * The table as a whole: rows that have come while nothing was heard are new, and what has come to stand out or has
   * failed meanwhile is news too. Those of the first table were there.
   */
  reset(table) {
    if (!table) return;
    if (!this.known) this.remember(table);
    const {known} = this;
    const isSame = known && this.history === table.history;
    this.history = table.history;
    this.hears = Boolean(isSame);
    this.known = table.size > MOST_KNOWN ? null : new Map();
    if (!isSame) this.late = null;
    const came = [];
    for (const {id: section, rows} of table.sections) {
      if (!this.known) break;
      for (const row of rows) {
        this.known.set(row.id, {row, section});
        if (!isSame || !this.watches(section)) continue;
        const {section: from, row: before} = known.get(row.id) ?? {};
        const wasHere = from !== undefined && this.watches(from);
        if (!wasHere || before) this.compare({before, after: row, from, to: section});
        if (wasHere) continue;
        if (this.isLate(row, section)) this.late?.add(row.id);
        came.push(row.id);
        this.raise('new', row, section);
      }
    }
    // On a page that begins, the first rows are drawn a task later.
    setTimeout(() => came.forEach((id) => this.flash(id, false)));
    // The board is drawn first: to look through a large table is a task of its own.
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.look());
  }

  /** Finds what stands out that did not, and what has failed since. A row that comes from elsewhere brings it along. */
  compare({before, after, from, to}) {
    const old = before && this.watches(from) ? before : null;
    if (this.rules('emphasised', after, to).length > 0 && this.standing(after) > (old ? this.standing(old) : 0))
      this.raise('emphasised', after, to);
    if (this.rules('failed', after, to).length > 0 && failures(after) > (old ? failures(old) : 0))
      this.raise('failed', after, to);
  }

  standing(row) {
    return showOf(this.board.table?.kinds.get(row.kind)).emphasis.filter((look) => look.holds(row)).length;
  }

  /** Ages begin to count anew: nothing has become late by that. */
  forget() { this.late = null; }

  isLate(row, section, nowMs) {
    const kind = this.board.table?.kinds.get(row.kind);
    return Boolean(kind?.ages) && isLate(row, kind, nowMs ?? this.board.now(), section);
  }

  /** Rows that have become late since the last look, also those out of sight; and how many are late in each section. */
  look() {
    clearTimeout(this.looking);
    this.looking = undefined;
    const {late: was, looked} = this;
    this.late = new Set();
    this.looked = new Set();
    this.counts = new Map();
    const nowMs = this.board.now();
    for (const section of this.board.table?.sections ?? []) {
      if (!this.watches(section.id)) continue;
      this.looked.add(section.id);
      for (const row of section.rows) {
        if (!this.isLate(row, section.id, nowMs)) continue;
        this.late.add(row.id);
        this.counts.set(section.id, (this.counts.get(section.id) ?? 0) + 1);
        if (was && looked.has(section.id) && !was.has(row.id)) this.nowLate(row, section.id);
      }
    }
    for (const list of this.board.lists) list.drawLate();
  }

  nowLate(row, section) {
    this.flash(row.id, true);
    this.raise('late', row, section);
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
  sound(tones, event, key) {
    const last = this.last.get(key) ?? -ONCE_MS;
    if (!this.board.settings.soundsFor(event) || performance.now() - last < ONCE_MS) return;
    this.unlock();
    if (!this.context || this.context.state === 'closed') return;
    this.last.set(key, performance.now());
    this.context.resume?.();
    const start = Math.max(this.context.currentTime + 0.02, this.free);
    // A browser that plays nothing before a touch must not play all of it then.
    if (start > this.context.currentTime + MOST_WAITING) return;
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
