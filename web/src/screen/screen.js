/** The sheet of this screen: what it shows, how large, and how it behaves. It is kept on the device. */
import {addressOf} from './address.js';
import {el, setText} from './dom.js';
import {BAR, SETTINGS, writeSettings} from './settings.js';
import {choice, group, sheet, toggle} from './sheet.js';

const AWAY = {
  hand: 'In the hand',
  counter: 'At a counter',
  wall: 'On a wall',
};
const VIEWS = {
  lists: 'Lists side by side',
  cards: 'Cards in a grid',
  totals: 'All day: how much of each',
};
const THEMES = {
  light: 'Light',
  dark: 'Dark',
};
const MOST_COLUMNS = 12;

/** The address that shows this board so on another screen. */
function addressHere(board) {
  const {board: home, ...others} = board.settings.values;
  return new URL(addressOf(board.name, writeSettings(others)), location.href).href;
}

export function showScreen(board) {
  const {settings} = board;
  return sheet('This screen', (close) => {
    const link = el('input', {type: 'text', readonly: true, value: addressHere(board)});
    const set = (name, value) => {
      settings.set(name, value);
      board.settled();
      link.value = addressHere(board);
    };
    const pick = (label, name, options, read = String) => {
      const select = el('select', {on: {change: () => set(name, read(select.value))}},
        ...options.map(([value, text]) => el('option', {value, text, selected: value === String(settings[name])})));
      return el('label', {class: 'field'}, label, select);
    };
    const named = (names) => Object.entries(names);
    const counts = Array.from({length: MOST_COLUMNS}, (_, at) => [String(at + 1), String(at + 1)]);
    return [
      ...sections(board, set),
      group('What it looks like'),
      pick('View', 'view', [['auto', 'Cards on a wall, else lists'], ...named(VIEWS)]),
      pick('Columns', 'columns', [['0', 'As many as fit'], ...counts], Number),
      pick('Where it is', 'distance', [['auto', `Automatic: ${AWAY[settings.away].toLowerCase()}`], ...named(AWAY)]),
      size(settings, set),
      pick('Colours', 'theme', [['auto', 'As the device has them'], ...named(THEMES)]),
      group('How it behaves'),
      ...sounds(settings, set),
      toggle('Wet hands', 'a tap shows what can be done', settings.wet, (isOn) => set('wet', isOn)),
      ...bar(settings, set),
      toggle('Kiosk', 'without the heading', settings.kiosk, (isOn) => set('kiosk', isOn)),
      toggle('Begin with this board', 'when the page is opened', settings.board === board.name,
        (isOn) => set('board', isOn ? board.name : '')),
      group('Another screen like this'),
      el('label', {class: 'field'}, 'Its address', link),
      copying(link),
      choice({
        title: 'Everything as on a new device',
        name: 'undo',
        run: () => {
          settings.forget();
          board.settled();
          close();
        },
      }),
      settings.kiosk && choice({title: 'Other boards', name: 'list', run: () => location.assign('/?boards')}),
    ];
  });
}

/** A switch for each section. All on, or all off, is no choice: then it shows those that come, too. */
function sections(board, set) {
  const all = board.table?.sections ?? [];
  if (all.length < 2) return [];
  const {settings} = board;
  return [
    group('Sections'),
    ...all.map(({id, title}) => toggle(title || id, '', settings.shows(id),
                 (isOn) => {
                   const shown = all.map((one) => one.id).filter((one) => (one === id ? isOn : settings.shows(one)));
                   set('section', shown.length === all.length ? [] : shown);
                 }))
  ];
}

/** A bump bar: whether there is one, and the keys that it sends where those are others. */
function bar(settings, set) {
  const keys =
    el('input', {type: 'text', value: settings.bump || BAR, maxlength: 10, autocapitalize: 'off', spellcheck: 'false'});
  const field =
    el('label', {class: 'field', hidden: !settings.bump}, 'Keys of the tiles 1 to 9, and to take back', keys);
  keys.addEventListener('change', () => {
    const read = SETTINGS.bump.read([keys.value.trim()]);
    if (read) set('bump', read);
    else keys.value = settings.bump;
  });
  return [
    toggle('Bump bar', 'a key for each of the first nine rows', settings.bump !== '',
      (isOn) => {
        set('bump', isOn ? keys.value : '');
        field.hidden = !isOn;
      }),
    field,
  ];
}

/** A switch for each rule that sounds. */
function sounds(settings, set) {
  const rules = [['new', 'Sound of new rows'], ['late', 'Sound of late rows']];
  const turned = (rule, isOn) => {
    const on = rules.map(([one]) => one).filter((one) => (one === rule ? isOn : settings.soundsFor(one)));
    set('sound', on.length === rules.length ? 'on' : on[0] ?? 'off');
  };
  return rules.map(([rule, title]) => toggle(title, '', settings.soundsFor(rule), (isOn) => turned(rule, isOn)));
}

/** It takes effect when the slider is let go: the sheet grows, too. */
function size(settings, set) {
  const said = el('span', {class: 'said', 'aria-hidden': 'true'});
  const slider = el('input', {type: 'range', min: '75', max: '300', step: '5', value: String(settings.scale)});
  const say = () => {
    setText(said, `${slider.value} %`);
    slider.setAttribute('aria-valuetext', `${slider.value} %`);
  };
  slider.addEventListener('input', say);
  slider.addEventListener('change', () => set('scale', Number(slider.value)));
  say();
  return el('label', {class: 'field'}, 'Size', said, slider);
}

function copying(link) {
  const button = el('button', {class: 'answer', type: 'button', text: 'Copy the address'});
  button.addEventListener('click', async () => {
    link.select();
    // Without https a browser has no clipboard: it is selected, to be copied by hand.
    const isCopied = await navigator.clipboard?.writeText(link.value).then(() => true, () => false);
    setText(button, isCopied ? 'Copied' : 'Selected: copy it');
  });
  return el('div', {class: 'answers'}, button);
}
