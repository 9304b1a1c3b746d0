/** The sheet of this screen: what it shows, how large, and how it behaves. It is kept on the device. */
import {addressOf} from './address.js';
import {el, select, setText} from './dom.js';
import {askToNotify, canNotify, mayNotify} from './notify.js';
import {BAR, NEWS, SETTINGS, writeSettings} from './settings.js';
import {choice, group, sheet, toggle} from './sheet.js';
import {LANGUAGES, number, percent, word} from './words.js';

const AWAY = ['hand', 'counter', 'wall'];
const VIEWS = ['lists', 'cards', 'totals'];
const THEMES = ['light', 'dark'];
const MOST_COLUMNS = 12;

/** The address that shows this board so on another screen. */
function addressHere(board) {
  const {board: home, ...others} = board.settings.values;
  return new URL(addressOf(board.name, writeSettings(others)), location.href).href;
}

export function showScreen(board) {
  const {settings} = board;
  return sheet(word('screen'), () => {
    const link = el('input', {type: 'text', readonly: true, dir: 'ltr', value: addressHere(board)});
    const set = (name, value) => {
      settings.set(name, value);
      board.settled();
      link.value = addressHere(board);
    };
    const pick = (label, name, options, read = String) => {
      const made = select(options, String(settings[name]), (value) => set(name, read(value)));
      return el('label', {class: 'field'}, label, made);
    };
    const named = (of, names) => names.map((name) => [name, word(`screen.${of}.${name}`)]);
    const counts = Array.from({length: MOST_COLUMNS}, (_, at) => [String(at + 1), number(at + 1)]);
    return [
      // A kiosk has no heading, and so no other menu.
      settings.kiosk && choice({
        title: word('more'),
        second: [word('undo'), word('recall'), word('find')].join(' · '),
        name: 'list',
        run: async () => (await import('./menus.js')).boardMenu(board),
      }),
      ...sections(board, set),
      group(word('screen.looks')),
      pick(word('screen.view'), 'view', [['auto', word('screen.view.auto')], ...named('view', VIEWS)]),
      pick(word('screen.columns'), 'columns', [['0', word('screen.columns.auto')], ...counts], Number),
      pick(word('screen.away'), 'distance',
        [['auto', word('screen.away.auto', {place: word(`screen.away.${settings.guessed}`)})], ...named('away', AWAY)]),
      size(settings, set),
      pick(word('screen.theme'), 'theme', [['auto', word('screen.theme.auto')], ...named('theme', THEMES)]),
      spoken(settings),
      group(word('screen.behaves')),
      ...sounds(settings, set, board.table?.settings.alerts),
      ...notifications(settings, set),
      toggle(word('screen.wet'), word('screen.wet.more'), settings.wet, (isOn) => set('wet', isOn)),
      ...bar(settings, set),
      toggle(word('screen.kiosk'), word('screen.kiosk.more'), settings.kiosk, (isOn) => set('kiosk', isOn)),
      toggle(word('screen.home'), word('screen.home.more'), settings.board === board.name,
        (isOn) => set('board', isOn ? board.name : '')),
      group(word('screen.like')),
      el('label', {class: 'field'}, word('screen.address'), link),
      copying(link),
      choice({
        title: word('screen.forget'),
        name: 'undo',
        run: () => {
          settings.forget();
          board.settled();
        },
      }),
    ];
  });
}

/** A switch for each section. All on, or all off, is no choice: then it shows those that come, too. */
function sections(board, set) {
  const all = board.table?.sections ?? [];
  const {settings} = board;
  if (all.length < 2 && settings.section.length === 0) return [];
  const ids = all.map(({id}) => id), on = new Set(ids.filter((id) => settings.shows(id)));
  // Another board has these, or this one will.
  const others = settings.section.filter((id) => !ids.includes(id));
  return [
    group(word('sections')),
    ...all.map(({id, title}) => toggle(title || id, '', on.has(id),
                 (isOn) => {
                   if (isOn) on.add(id);
                   else on.delete(id);
                   set('section',
                     on.size === 0 || on.size === ids.length ? [] : [...ids.filter((one) => on.has(one)), ...others]);
                 }))
  ];
}

/** A bump bar: whether there is one, and the keys that it sends where those are others. */
function bar(settings, set) {
  const keys = el('input',
    {type: 'text', value: settings.bump || BAR, maxlength: 10, autocapitalize: 'off', spellcheck: 'false', dir: 'ltr'});
  const field = el('label', {class: 'field', hidden: !settings.bump}, word('screen.bump.keys'), keys);
  keys.addEventListener('change', () => {
    const read = SETTINGS.bump.read([keys.value.trim()]);
    if (read) set('bump', read);
    else keys.value = settings.bump;
  });
  return [
    toggle(word('screen.bump'), word('screen.bump.more'), settings.bump !== '',
      (isOn) => {
        set('bump', isOn ? keys.value : '');
        field.hidden = !isOn;
      }),
    field,
  ];
}

/** The language of the page. It is opened anew in another one. */
function spoken(settings) {
  const nameOf = (language) => new Intl.DisplayNames([language], {type: 'language'}).of(language);
  const select = el('select', {
    change: () => {
      settings.set('lang', select.value);
      location.reload();
    },
  },
    el('option', {value: 'auto', text: word('screen.lang.auto'), selected: settings.lang === 'auto'}),
    ...LANGUAGES.map(
      (one) => el('option', {value: one, text: nameOf(one), lang: one, dir: 'auto', selected: settings.lang === one})));
  return el('label', {class: 'field'}, word('screen.lang'), select);
}

/** A switch for each sort of news that sounds on this board. */
function sounds(settings, set, alerts) {
  const shown = alerts?.length ? NEWS.filter((event) => alerts.some((rule) => rule.on === event)) : ['new', 'late'];
  const turned = (event, isOn) => {
    const on = shown.filter((one) => (one === event ? isOn : settings.soundsFor(one)));
    set('sound', on.length === shown.length ? 'on' : on.join(' ') || 'off');
  };
  return shown.map(
    (event) => toggle(word(`screen.sound.${event}`), '', settings.soundsFor(event), (isOn) => turned(event, isOn)));
}

/** Whether the system tells of news. A browser that refuses turns the switch off again, and that is said. */
function notifications(settings, set) {
  if (!canNotify()) return [];
  const refused = el('p', {role: 'status'});
  const made =
    toggle(word('screen.notify'), word('screen.notify.more'), settings.notify && mayNotify(), async (isOn) => {
      const may = isOn && await askToNotify();
      set('notify', may);
      if (isOn && !may) made.click();
      if (isOn) setText(refused, may ? '' : word('screen.notify.refused'));
    });
  return [made, refused];
}

/** It takes effect when the slider is let go: the sheet grows, too. */
function size(settings, set) {
  const said = el('span', {class: 'said', 'aria-hidden': 'true'});
  const slider = el('input', {type: 'range', min: '75', max: '300', step: '5', value: String(settings.scale)});
  const say = () => {
    setText(said, percent(slider.value));
    slider.setAttribute('aria-valuetext', percent(slider.value));
  };
  slider.addEventListener('input', say);
  slider.addEventListener('change', () => set('scale', Number(slider.value)));
  say();
  return el('label', {class: 'field'}, word('screen.size'), said, slider);
}

function copying(link) {
  const copy = async () => {
    link.select();
    // Without https a browser has no clipboard: it is selected, to be copied by hand.
    const isCopied = await navigator.clipboard?.writeText(link.value).then(() => true, () => false);
    setText(button, word(isCopied ? 'screen.copied' : 'screen.selected'));
  };
  const button = el('button', {class: 'answer', text: word('screen.copy'), click: copy});
  return el('div', {class: 'answers'}, button);
}
