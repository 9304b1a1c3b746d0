/**
 * How fresh the board is: said in words, in the head and where it matters in a banner. "Live" has to be
 * earned again and again: it is drawn by an animation that runs out when the truth could have ended, so
 * also a page whose program stands still stops saying it.
 */
import {el, setAttribute, setHidden, setText} from './dom.js';
import {changingSaid} from './says.js';
import {span, word} from './words.js';

/** A change of the server that takes no longer is not worth a banner. */
const CHANGES_MS = 1000;
/** Changes that come sooner are not worth that rows become grey and are themselves again. */
const COMES_MS = 300;
/** States of which nothing counts seconds: `live` ends when its proof does. */
const SETTLED = new Set(['live', 'absent', 'forbidden']);
/** Seconds for which changes may wait to be drawn before a banner says so. */
const BEHIND_SECONDS = 3;

/**
 * The animation, [keyframes, timing], by which a word is gone after so many milliseconds. The browser waits for the end
 * of a delay without a frame, and does not need this program then; an animation that runs all the time asks for sixty
 * frames in each second. WebKit leaves a delay to the page, which may stand still: there the animation runs at once.
 */
export function expiring(ms, agent) {
  if (/AppleWebKit(?!.*Chrom)/.test(agent))
    return [[{opacity: 1}, {opacity: 1, offset: 0.999}, {opacity: 0}], {duration: Math.max(ms, 1), fill: 'forwards'}];
  return [[{opacity: 1}, {opacity: 0}], {delay: ms, duration: 1, fill: 'forwards'}];
}

export class Freshness {
  constructor(board) {
    this.board = board;
    this.live =
      el('span', {class: 'says-live'}, el('span', {class: 'spot', 'aria-hidden': 'true'}), word('fresh.live'));
    this.other = el('span', {class: 'says-else'});
    this.pill = el('div', {class: 'fresh', role: 'status', 'aria-live': 'off', id: 'freshness'}, this.other, this.live);
    this.words = el('span', {});
    this.banner = el('div', {class: 'banner', hidden: true, role: 'alert'}, this.words);
    this.state = this.said = '';
    /** When it draws itself again. */
    this.due = Infinity;
  }

  start() {
    this.watchFrames();
    // In a kiosk all else ends before it, however wide it is.
    const measure = () => document.documentElement.style.setProperty('--fresh', `${this.pill.offsetWidth}px`);
    if (globalThis.ResizeObserver) new ResizeObserver(measure).observe(this.pill);
    const look = () => {
      this.board.session.woke?.();
      this.draw();
    };
    for (const name of ['pageshow', 'focus', 'online', 'offline']) addEventListener(name, look);
    document.addEventListener('visibilitychange', look);
    document.addEventListener('resume', look);
    document.addEventListener('freeze', () => this.show('stale'));
    this.draw();
  }

  /** Three heartbeats, in milliseconds. */
  get beats() { return 3 * (this.board.follow.follower?.proof.heartbeatMs ?? 1000); }

  /**
   * Looks before each frame that anybody asks for: one that was asked for before the page stood still has an old time,
   * and would be drawn with the animation where it was then. Where nothing moves there is no frame, and no look.
   */
  watchFrames() {
    const ask = requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = (f) => {
      this.frame ||= ask(() => {
        this.frame = 0;
        this.draw();
      });
      return ask(f);
    };
  }

  /**
   * Says what holds now. Cheap: it changes the document only when there is something else to say. The session tells of
   * what it hears; for what time alone changes, this draws itself again when the first of it comes.
   */
  draw() {
    const {board} = this;
    if (!board.follow) return;
    const said = board.follow.freshness();
    this.nextMs = Infinity;
    const {state} = said;
    // Stale is said when three heartbeats are missing: nothing was heard since before that.
    this.sinceMs = (said.sinceMs ?? 0) + (state === 'stale' ? this.beats : 0);
    if (board.known) this.sinceMs = Math.max(0, Date.now() - board.known.at);
    if (state === 'live') {
      this.earn();
      board.alerts.listen();
    }
    const seconds = Math.floor(this.sinceMs / 1000);
    const empty = !board.table;
    const waits = empty && !['absent', 'disconnected', 'forbidden'].includes(state);
    const key = `${waits ? 'waiting' : state} ${seconds}`;
    if (key !== this.said) setText(this.other, word(`fresh.${waits ? 'waiting' : state}`, {span: span(seconds)}));
    this.said = key;
    if (state !== this.state) {
      this.show(state);
      if (empty) board.reset();
    }
    this.pale();
    this.sentence(state, seconds, said);
    // A sentence may count seconds.
    if (!SETTLED.has(state)) this.again(1000 - this.sinceMs % 1000);
    this.wake();
  }

  /** Draws itself again when there is something else to say. One that comes sooner than that stays: most frames ask for none. */
  wake() {
    const due = performance.now() + this.nextMs + 1;
    if (this.due <= due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => {
      this.due = Infinity;
      this.draw();
    }, this.nextMs + 1);
  }

  /** In so many milliseconds there may be something else to say, unless there is before. */
  again(ms) { this.nextMs = Math.max(0, Math.min(this.nextMs, ms)); }

  show(state) {
    this.state = state;
    this.shownAt = performance.now();
    this.pill.dataset.state = state;
    this.pale();
    this.live.hidden = state !== 'live';
    if (state !== 'live') this.expiry?.cancel();
  }

  /** Rows that may not be those of now are grey. Those that are about to come may take a moment. */
  pale() {
    const {dataset} = this.board.columns;
    const wasLive = !dataset.state || dataset.state === 'live';
    const left = COMES_MS - (performance.now() - this.shownAt);
    if (this.state === 'catchingUp' && wasLive && left > 0) {
      this.again(left);
      return;
    }
    if (dataset.state !== this.state) dataset.state = this.state;
  }

  /**
   * The word "Live" holds until the next three heartbeats should have been heard. Each renewal costs three frames, so
   * not every heartbeat renews it: where the page stands still it goes up to a heartbeat sooner, and never later.
   */
  earn() {
    const {beats, board: {follow: {follower}}} = this;
    const proven = follower?.proof ? follower.proof.age(follower.now()) : 0;
    const left = Math.max(0, beats - proven), holds = this.until - performance.now(), gains = left - holds;
    const least = Math.min(200, beats / 6);
    this.again(left);
    if (this.expiry?.playState === 'running' && gains > -least) {
      if (gains < least) return;
      if (holds > 0.4 * beats) return this.again(holds - 0.1 * beats);
    }
    this.until = performance.now() + left;
    this.expiry?.cancel();
    this.expiry = this.live.animate(...expiring(left, navigator.userAgent));
  }

  sentence(state, seconds, said) {
    const {board} = this;
    let text = '';
    const isBehind = state === 'catchingUp' && said.behind > 0 && seconds >= BEHIND_SECONDS;
    if (!board.table) text = '';
    else if (state === 'stale') text = word('banner.stale', {span: span(seconds)});
    else if (state === 'disconnected') text = word('banner.disconnected', {span: span(seconds)});
    else if (state === 'absent') text = word('banner.absent');
    else if (isBehind) text = word('banner.behind', {count: said.behind, span: span(seconds)});
    else if (state === 'forbidden') text = word('turnedAway');
    const {pending} = board.follow;
    const waiting = pending.length;
    const changing = pending.filter((one) => {
      if (one.state !== 'changing') return false;
      const left = CHANGES_MS - (Date.now() - one.sinceMs);
      if (left >= 0) this.again(left);
      return left < 0;
    });
    if (!text && changing.length) text = changingSaid(changing.length);
    if (text && waiting && !changing.length) text += ` ${word('banner.kept', {count: waiting})}`;
    if (!text) return this.offer();
    this.offered = false;
    if (this.banner.dataset.state !== state) this.banner.dataset.state = state;
    if (this.update) setHidden(this.update, true);
    setText(this.words, text);
    setHidden(this.banner, false);
    return undefined;
  }

  /** A new version is offered, never forced: only when no gesture is under way. */
  offer() {
    const {session, gestures} = this.board;
    const offered = Boolean(session.newAssets) && !gestures?.active;
    if (!offered) {
      setHidden(this.banner, true);
      this.offered = false;
      return;
    }
    if (this.offered) return;
    this.offered = true;
    this.banner.dataset.state = 'offer';
    setText(this.words, word('banner.newVersion'));
    this.update ??=
      this.banner.appendChild(el('button', {class: 'tool', text: word('banner.load'), click: () => location.reload()}));
    setHidden(this.update, false);
    setHidden(this.banner, false);
    // A screen that nobody touches takes it by itself, unless somebody is in the middle of something.
    if (this.board.settings.kiosk && this.board.follow.pending.length === 0) {
      setTimeout(() => {
        const {marks, find} = this.board;
        if (!gestures.active && marks.size === 0 && !find.test && !document.querySelector('dialog[open]'))
          location.reload();
      }, 5000);
    }
  }
}
