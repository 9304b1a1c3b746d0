/** The two other pages: pairing a device, and choosing a board. */
import {addressOf} from './address.js';
import {el, setText} from './dom.js';
import {icon} from './icons.js';
import {ask} from './post.js';
import {refusalSaid} from './says.js';
import {keepSettings, readSettings} from './settings.js';
import {endSheets} from './sheet.js';
import {word} from './words.js';

function page(...children) {
  return el('div', {id: 'app'}, el('main', {class: 'page'}, el('div', {class: 'card'}, ...children)));
}

function picture() { return el('img', {class: 'mark-icon', src: '/icons/icon.svg', alt: '', width: 56, height: 56}); }

/** Exchanges a code for this device's cookie. Gives null, or a sentence that says why not. */
async function pair(code) {
  try {
    const {ok, said} = await ask('/pair', {code});
    if (ok) return null;
    return said?.error ? refusalSaid(said.error) : word('refusal.badCode');
  } catch {
    return word('noAnswer');
  }
}

/** How often a screen asks whether its code was confirmed. */
const ASKS_MS = 2000;

/**
 * Shows a short code until a device of an admin has confirmed it. Gives null, or a sentence that says why it was not; a
 * code that is too old gives way to another one.
 */
async function askToBeLetIn(shown, words) {
  for (;;) {
    const {ok, said} = await ask('/ask', {});
    // Something between has answered, and not the gateway.
    if (!said) return word('noAnswer');
    if (!ok) return said.error ? refusalSaid(said.error) : word('pair.noAsking');
    setText(shown, `${said.code.slice(0, 3)} ${said.code.slice(3)}`);
    shown.hidden = false;
    setText(words, word('pair.type'));
    for (let status = 202; status === 202 || status === 429;) {
      await new Promise((done) => {
        setTimeout(done, ASKS_MS);
      });
      ({status} = await ask('/pair', {code: said.secret}).catch(() => ({status: 202})));
      if (status === 200) return null;
    }
  }
}

/** The pairing page. A code in the address is used at once, and taken out of it. */
export function showPairing(place, said = null) {
  endSheets();
  const given = location.pathname === '/pair' ? location.hash.slice(1) : '';
  const words = el('p', {
    role: 'status',
    text: said ? refusalSaid(said) : word('pair.why'),
  });
  const input = el('input', {
    type: 'text',
    autocomplete: 'one-time-code',
    dir: 'ltr',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: 200,
    enterkeyhint: 'go',
  });
  const button = el('button', {class: 'answer main', type: 'submit', text: word('pair')});
  const form =
    el('form', {}, el('label', {class: 'field'}, word('pair.code'), input), el('div', {class: 'answers'}, button));
  const shows = el('output', {class: 'short-code', hidden: true});
  const without = el('button', {class: 'answer', text: word('pair.show')});
  const shown =
    page(picture(), el('h1', {text: word('pair')}), words, shows, form, el('div', {class: 'answers'}, without));
  const go = async (code) => {
    button.disabled = true;
    setText(words, word('pair.under'));
    words.classList.remove('wrong');
    finish(await pair(code));
    button.disabled = false;
  };
  const finish = (wrong) => {
    if (wrong === null) {
      // The link may say what this screen is for.
      const said = readSettings(location.pathname === '/pair' ? location.search : '');
      if (Object.keys(said).length > 0) keepSettings(said);
      location.replace(location.pathname === '/pair' ? '/' : location.href);
      return;
    }
    setText(words, wrong);
    words.classList.add('wrong');
    input.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const code = input.value.trim().replace(/^.*#/, '');
    if (code) go(code);
  });
  without.addEventListener('click', async () => {
    without.hidden = form.hidden = true;
    words.classList.remove('wrong');
    const wrong = await askToBeLetIn(shows, words).catch(() => word('noAnswer'));
    without.hidden = form.hidden = wrong === null;
    shows.hidden = true;
    finish(wrong);
  });
  place.replaceWith(shown);
  document.title = `${word('pair')} · Trestle`;
  if (given) {
    history.replaceState(null, '', `/pair${location.search}`);
    go(given);
  } else input.focus();
}

/** The boards that this device may see. */
export async function showTables(place, session) {
  document.title = `${word('boards')} · Trestle`;
  const words = el('p', {role: 'status', text: word('boards.looking')});
  const list = el('ul', {class: 'tables'});
  const shown = page(picture(), el('h1', {text: word('boards')}), words, list);
  place.replaceWith(shown);
  const draw = async () => {
    const wasOpen = session.isOpen;
    const reply = await session.tables();
    if (session.isTurnedAway) {
      setText(words, word('turnedAway'));
      list.replaceChildren();
      return;
    }
    // Not connected yet is no fault: it is asked again as soon as it is.
    if (!reply.ok && !wasOpen && (session.isOpen || performance.now() < 3000)) return;
    if (!reply.ok) {
      setText(words,
        ['notConnected', 'timeout'].includes(reply.error?.code) ? word('boards.noAnswer') : refusalSaid(reply.error));
      return;
    }
    const tables = reply.tables?.tables ?? [];
    setText(words, tables.length ? word('boards.count', {count: tables.length}) : word('boards.none'));
    const known = [...list.querySelectorAll('a')].map((link) => link.dataset.key).join('\n');
    const keys = tables.map((one) => `${one.table} ${one.rows ?? 0} ${sections(one)}`);
    if (keys.join('\n') === known) return;
    list.replaceChildren(
      ...tables.map((one, index) => el('li', {},
                      el('a', {
                        href: addressOf(one.table, location.search),
                        data: {key: keys[index]},
                      },
                        el('span', {}, el('span', {text: one.table}),
                          el('small', {text: word('boards.size', {rows: one.rows ?? 0, sections: sections(one)})})),
                        icon('chevron.right', 18)))));
  };
  session.onChange(({kind}) => {
    if (['device', 'connection'].includes(kind)) draw();
  });
  await draw();
  setInterval(draw, 5000);
}

function sections(table) { return Array.isArray(table.sections) ? table.sections.length : table.sections ?? 0; }

/** The end: the device was revoked, or the server wants nothing more from this page. */
export function showEnded(place, said) {
  endSheets();
  const again = el('button', {class: 'answer main', text: word('again'), click: () => location.reload()});
  place.replaceWith(page(picture(), el('h1', {text: word('ended')}),
    el('p', {role: 'alert', text: said ? refusalSaid(said) : word('ended.why')}),
    el('div', {class: 'answers'}, again)));
}
