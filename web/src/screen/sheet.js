/**
 * A sheet: a dialog with a heading and a way out. The browser keeps the focus in it. It goes back to the row that it
 * was on.
 */
import {el} from './dom.js';
import {icon} from './icons.js';
import {word} from './words.js';

let count = 0;
/** Whether this page has ended: then no sheet opens, also if it waited for an answer. */
let isOver = false;
/** For so many milliseconds a sheet rises. A tap meanwhile was meant for what was there before. */
const RISES_MS = 300;

/** Opens a sheet. `fill(close)` gives its children; the promise has what `close(value)` was called with. */
export function sheet(title, fill, {empty = null} = {}) {
  if (isOver) return Promise.resolve(empty);
  return new Promise((done) => {
    const giveBack = focusTaken();
    count += 1;
    const id = `sheet-${count}`;
    let result = empty;
    const dialog = el('dialog', {class: 'sheet', 'aria-labelledby': id});
    const close = (value = empty) => {
      result = value;
      dialog.close();
      // At once: another sheet may be opened now, and it is to know where the focus was.
      giveBack(dialog);
    };
    dialog.leave = close;
    const away = el('button', {class: 'tool', 'aria-label': word('close'), click: () => close()}, icon('xmark', 22));
    dialog.append(el('header', {}, el('h2', {id, text: title}), away),
      el('div', {class: 'inside'}, ...[fill(close, dialog)].flat().filter(Boolean)));
    // Its contents take no taps meanwhile (chrome.css). Keys work as ever.
    dialog.classList.add('rising');
    setTimeout(() => dialog.classList.remove('rising'), RISES_MS);
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog && !dialog.classList.contains('rising')) close();
    });
    dialog.addEventListener('keydown', (event) => chooseBy(event, dialog));
    // Esc, or a phone's way back. The browser says only later that it is closed, and a key meanwhile would be nobody's.
    dialog.addEventListener('cancel', (event) => {
      if (event.target === dialog) close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      giveBack(dialog);
      done(result);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Ends all that are open, as if nothing was chosen, and those to come: there is nothing any more that they could do. */
export function endSheets() {
  isOver = true;
  for (const dialog of document.querySelectorAll('dialog.sheet')) dialog.close();
}

/**
 * Takes the focus from where it is. Gives what gives it back once, unless it is elsewhere by then. The browser would
 * give it to the same element, which may be another row's meanwhile: the next key would be done to that one.
 */
function focusTaken() {
  const back = document.activeElement;
  const row = back?.closest('.row')?.dataset.row;
  back?.blur();
  let isOver = false;
  return (dialog) => {
    const now = document.activeElement;
    if (isOver || (now && now !== document.body && !dialog.contains(now))) return;
    isOver = true;
    const isIts = (element) => row === undefined || element?.dataset.row === row;
    if (isIts(back?.closest('.row'))) back?.focus({preventScroll: true});
    if (row === undefined || document.activeElement === back) return;
    const rows = [...document.querySelectorAll('.row:not([hidden], .shown-leaving)')];
    rows.find(isIts)?.focus({preventScroll: true});
  };
}

/**
 * The keys that lines and answers show do what these do. One that is held down does it once. A bump bar's key may have been
 * pressed twice for the row: a question takes none before it has risen.
 */
function chooseBy(event, dialog) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, textarea, select')) return;
  const line = [...dialog.querySelectorAll('[data-key]')].find((one) => one.dataset.key === event.key);
  if (!line) return;
  event.preventDefault();
  event.stopPropagation();
  const isEarly = line.matches('.answer') && dialog.classList.contains('rising');
  if (!event.repeat && !isEarly) line.click();
}

/** A line that closes its sheet, unless that `stays`, and does something; `key` does it, too. */
export function choice({title, second, name, run, destructive, key, disabled, color, front, stays}) {
  const swatch = name ? el('span', {class: 'swatch'}, icon(name, 20)) : null;
  if (swatch && color) swatch.style.background = color;
  if (swatch && front) swatch.style.color = front;
  const made = el('button', {
    class: destructive ? 'choice destructive' : 'choice',
    'aria-disabled': disabled ? 'true' : null,
    data: key ? {key} : null,
    click: () => {
      if (disabled) return;
      if (!stays) made.closest('dialog').leave();
      run();
    },
  },
    swatch, el('span', {}, el('span', {text: title}), second ? el('span', {class: 'second', text: second}) : null),
    key ? el('kbd', {text: key, 'aria-hidden': 'true'}) : null);
  return made;
}

/** A line that performs an action, unless it is `barred` by a reason. */
export function actChoice(action, {barred = null, ...more}) {
  return choice({
    title: action.title || action.id,
    second: barred,
    disabled: Boolean(barred),
    name: action.icon || 'checkmark',
    destructive: action.role === 'destructive',
    ...more,
  });
}

/** A switch. `run(isOn)` is told when it was turned. */
export function toggle(title, second, isOn, run) {
  let state = isOn;
  const made = choice({
    title,
    second,
    stays: true,
    run: () => {
      state = !state;
      made.setAttribute('aria-checked', String(state));
      run(state);
    },
  });
  made.setAttribute('role', 'switch');
  made.classList.add('switch');
  made.setAttribute('aria-checked', String(state));
  made.append(document.createElement('i'));
  return made;
}

export function group(text) { return el('h3', {class: 'group-name', text}); }
