/**
 * Where the page begins: it reads its own address, and shows pairing, the boards, or a board. The session is opened first,
 * and follows its board while the screen's modules are still on their way.
 */
import {addressOf, boardOf} from './address.js';
import {openSession} from '../sync/session.js';
import {spell} from './dom.js';
import {dropDraft, forgetDrafts, sentKey} from './drafts.js';
import {keepAwake} from './kiosk.js';
import {isPaired, watchPairing} from './pairing.js';
import {Settings} from './settings.js';
import {chosen, isMirrored, learn} from './words.js';

const place = () => document.getElementById('app');

/** The service worker keeps the page's own files. Its address goes through the one policy that the CSP allows. */
function register() {
  if (!('serviceWorker' in navigator)) return;
  const policy = globalThis.trustedTypes?.createPolicy('trestle', {
    createScriptURL: (url) => {
      if (url !== '/worker.js') throw new TypeError('no other script');
      return url;
    },
  });
  navigator.serviceWorker.register(policy?.createScriptURL('/worker.js') ?? '/worker.js')
    .catch(() => {
             // Without one the page works all the same, and does not open without the network.
           });
  navigator.serviceWorker.ready.then((worker) => setTimeout(() => {
    const loaded = performance.getEntriesByType('resource').map((one) => new URL(one.name));
    const keep = loaded.filter((url) => url.origin === location.origin).map((url) => url.pathname);
    worker.active?.postMessage({keep: [...new Set([...keep, '/fonts/sans.woff2', '/fonts/sans-bold.woff2'])]});
  }, 1500));
}

function open() {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return openSession({url: `${scheme}//${location.host}/socket`});
}

/** The page speaks a language, once its messages have come. */
async function speaks(language) {
  const {documentElement: page} = document;
  page.lang = language;
  await learn(language, document.querySelector('meta[name=languages]').content);
  page.dir = isMirrored() ? 'rtl' : 'ltr';
}

/** This device was let go: what it has kept of boards and of drafts is for nobody who has it now. */
async function forget() {
  forgetDrafts();
  (await import('./known.js')).forgetKnown();
  (await import('./alerts.js')).forgetHeard();
}

async function begin() {
  const settings = new Settings();
  const spoken = speaks(chosen(settings.lang));
  const pages = spoken.then(() => import('./pages.js'));
  const showPairing = async (...said) => (await pages).showPairing(place(), ...said);
  if (location.pathname === '/pair') return showPairing();
  register();
  const name = boardOf(location);
  // The address of the installed page names no board: this screen has its own.
  if (name === null && settings.board && !new URLSearchParams(location.search).has('boards'))
    return location.replace(addressOf(settings.board, location.search));
  const session = open();
  globalThis.trestle = {session};
  // Whatever board this page shows: what an earlier page has sent is no draft any more.
  session.onChange(({kind, table, command}) => {
    if (kind === 'carriedOut') dropDraft(table, sentKey(command));
  });
  if (name !== null) session.follow(name);
  watchPairing(session, () => {
    forget();
    showPairing();
  });
  settings.ended = async (said) => {
    forget();
    if ((await isPaired()) === false) showPairing(said);
    else if (said?.code !== 'shutdown') (await pages).showEnded(place(), said);
  };
  if (name === null) {
    session.onChange(({kind}) => {
      if (kind === 'ended') settings.ended(session.ended);
    });
    const {showTables} = await pages;
    return session.closed || session.ended ? null : showTables(place(), session);
  }
  document.title = spell(`${name} · Trestle`);
  const [{Board}] = await Promise.all([import('./board.js'), spoken, font]);
  // It was let go meanwhile: pairing is shown, and stays.
  if (session.ended) return settings.ended(session.ended);
  if (session.closed) return null;
  const board = new Board(session, name, settings);
  globalThis.trestle.board = board;
  board.start(place());
  keepAwake();
  return board;
}

/** Whether a style sheet has come, or does not come. */
const ended = (link) => new Promise((done) => {
  for (const end of ['load', 'error']) link.addEventListener(end, done);
});
const sheets = [...document.querySelectorAll('link[rel=stylesheet]')].filter((link) => !link.sheet);

/** Our letters. On a system without any font Chromium may refuse a font's address (NetworkError); it takes its bytes. */
async function takeFont([weight, file]) {
  const found = await document.fonts.load(`${weight} 15px "Trestle Sans"`).catch(() => []);
  if (found.length > 0) return;
  const bytes = await (await fetch(`/fonts/${file}.woff2`)).arrayBuffer();
  document.fonts.add(await new FontFace('Trestle Sans', bytes, {weight}).load());
}

/** Texts are measured in it. */
const font = Promise.all(sheets.map(ended))
               .then(() => Promise.all(Object.entries({400: 'sans', 700: 'sans-bold'}).map(takeFont)))
               .catch(() => {});
// Not from here: a browser notes from where a socket is opened, and would read the whole program once more for that.
queueMicrotask(begin);
