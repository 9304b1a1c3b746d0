/** Notifications of the system, while nobody sees this page: of the news for which the board has a sound, also where that is off. */
import {spell} from './dom.js';
import {namesSaid} from './says.js';
import {word} from './words.js';

/** News come in floods: those of so many milliseconds are told together. */
const GATHER_MS = 1000;

/** Whether the browser can do it. Without https it does not. */
export const canNotify = () => globalThis.isSecureContext === true && globalThis.Notification !== undefined;

/** Whether the person has let this page do it. */
export const mayNotify = () => canNotify() && Notification.permission === 'granted';

/** Asks the person, by the browser's own question. Whoever has refused is not asked again. */
export async function askToNotify() { return mayNotify() || await Notification.requestPermission() === 'granted'; }

export class Notifications {
  constructor(board) {
    this.board = board;
    /** The rows of which nobody was told, by the sort of news: id and title. */
    this.untold = new Map();
    /** The rows of which somebody was told, until the page is seen again; the latest first. */
    this.told = new Map();
    this.timer = null;
    addEventListener('visibilitychange', () => document.hidden || this.seen());
  }

  /** There is such news of a row. */
  raise(event, row) {
    if (!this.board.settings.notify || !mayNotify() || !document.hidden) return;
    const rows = this.untold.get(event) ?? new Map();
    rows.set(row.id, row.title || row.id);
    this.untold.set(event, rows);
    this.timer ??= setTimeout(() => this.tell(), GATHER_MS);
  }

  /** Tells everything that was gathered: one notification for each sort of news, which takes the place of the one before. */
  async tell() {
    this.timer = null;
    const worker = await navigator.serviceWorker?.getRegistration();
    const {untold} = this;
    this.untold = new Map();
    for (const [event, rows] of untold) {
      if (!document.hidden) return;
      const before =
        [...this.told.get(event) ?? []].filter(([id]) => !rows.has(id) && this.board.table?.entries.has(id));
      const all = new Map([...rows, ...before]);
      this.told.set(event, all);
      const options = {
        body: spell(word(`notify.${event}`, {rows: namesSaid([...all.values()])})),
        tag: this.tag(event),
        renotify: true,
        icon: '/icons/icon-192.png',
        lang: document.documentElement.lang,
        dir: document.documentElement.dir,
        data: location.pathname + location.search,
      };
      // On a phone only the worker may.
      try {
        if (worker) await worker.showNotification(spell(this.board.name), options);
        else new Notification(spell(this.board.name), options);
      } catch { /* the person does not let it any more, or this browser wants a worker */
      }
    }
  }

  tag(event) { return `${this.board.name} ${event}`; }

  /** Somebody sees the page: what it told of stands there. */
  async seen() {
    clearTimeout(this.timer);
    this.timer = null;
    const events = [...this.told.keys()];
    this.untold.clear();
    this.told.clear();
    const worker = await navigator.serviceWorker?.getRegistration();
    for (const event of events) {
      for (const one of await worker?.getNotifications({tag: this.tag(event)}) ?? []) one.close();
    }
  }
}
