/** The icons, on a grid of 24 × 24, as pictures and the documentation have them (docs/FACES.md). */

import {madeOnce} from '../model/read.js';
import {svg} from './dom.js';

// Tests/WebTests/icons.test.mjs writes IconPaths.swift and IconNames.swift from these tables.
export const PATHS = {
  'checkmark': 'M4.5 12.5l5 5L19.5 7',
  'xmark': 'M6 6l12 12M18 6L6 18',
  'trash': 'M4 6.5h16M9 6.5V4h6v2.5M6 6.5l1 14h10l1-14M10 10.5v6M14 10.5v6',
  'pencil': 'M4 20l1.2-4.7L16 4.5l3.5 3.5L8.7 18.8zM13.2 7.3l3.5 3.5',
  'plus': 'M12 5v14M5 12h14',
  'minus': 'M5 12h14',
  'person': 'M12 3.5a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 0 1 0-8.4zM4 20.5c.5-4 3.6-5.7' +
    ' 8-5.7s7.5 1.7 8 5.7z',
  'clock': 'M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 0 1 0-17zM12 7.5V12l3.2 2',
  'bell': 'M5 17c1.6-1.5 1.8-3 1.8-6.2a5.2 5.2 0 0 1 10.4 0c0 3.2.2 4.7 1.8 6.2zM10' +
    ' 20.2a2.3 2.3 0 0 0 4 0M12 3.5v1.8',
  'phone': 'M7.5 4l2.5 4.5-2 1.9c1.2 2.6 3 4.4 5.6 5.6l1.9-2L20 16.5l-1.6 3.4C11 20.6' +
    ' 3.4 13 4.1 5.6z',
  'printer': 'M7 9V3.5h10V9M7 17H3.5V9h17v8H17M7 14h10v6.5H7z',
  'flag': 'M5.5 21V4M5.5 5c4.5-2.2 8 2 13 0v9c-5 2-8.5-2.2-13 0',
  'star': 'M12 3.2l2.7 5.6 6.1.8-4.5 4.3 1.1 6.1L12 17l-5.4 3 1.1-6.1-4.5-4.3 6.1-.8z',
  'pin': 'M8.5 3.5h7l-1 6 3.5 4.5H6l3.5-4.5zM12 14v6.5',
  'arrow.uturn.backward': 'M9 4.5l-5 5 5 5M4 9.5h10.5a5 5 0 0 1 0 10H10',
  'arrow.uturn.forward': 'M15 4.5l5 5-5 5M20 9.5H9.5a5 5 0 0 0 0 10H14',
  'arrow.up': 'M12 20V4.5M5.5 11L12 4.5l6.5 6.5',
  'arrow.down': 'M12 4v15.5M5.5 13l6.5 6.5 6.5-6.5',
  'arrow.left': 'M20 12H4.5M11 5.5L4.5 12l6.5 6.5',
  'arrow.right': 'M4 12h15.5M13 5.5l6.5 6.5-6.5 6.5',
  'envelope': 'M3.5 5.5h17v13.5h-17zM4 6.5l8 6.5 8-6.5',
  'archivebox': 'M3.5 4.5h17V9h-17zM5 9v10.5h14V9M9.5 13h5',
  'tag': 'M3.5 4.5h8.5l8.5 8.5-7.5 7.5L3.5 12z',
  'exclamationmark': 'M12 4v10',
  'questionmark': 'M8 8.5a4 4 0 1 1 6 3.5c-1.4.9-2 1.6-2 3',
  'flame': 'M12.5 3c.8 3.7 5.5 5.6 5.5 11a6 6 0 0 1-12 0c0-2.6 1.2-4.3 2.4-5.5.3 1.6' +
    ' 1 2.5 2 3C11 8.7 10.7 6 12.5 3z',
  'cart': 'M2.5 4.5h3l2.3 11h10L20 8H6.3',
  'doc': 'M5.5 3.5h8.5L18.5 8v12.5h-13zM14 3.5V8h4.5M9 12.5h6M9 16.5h6',
  'ellipsis': '',
  'chevron.right': 'M9 5.5l6.5 6.5L9 18.5',
  'magnifyingglass': 'M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13zM15.5 15.5l5 5',
  'grip': 'M5 8.5h14M5 12h14M5 15.5h14',
  'speaker': 'M4 9.5h3.5L12 5.5v13l-4.5-4H4zM15.5 9a4.5 4.5 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  'list': 'M9 6h11M9 12h11M9 18h11M4.5 6h.1M4.5 12h.1M4.5 18h.1',
  'gear': 'M12 8.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7zM12 3v3M12 18v3M3 12h3M18 12h3' +
    'M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
};

export const DOTS = {
  tag: [[8, 8.5, 1.3]],
  exclamationmark: [[12, 19.2, 1.5]],
  questionmark: [[12, 19.2, 1.5]],
  cart: [[9, 19.5, 1.7], [16.5, 19.5, 1.7]],
  ellipsis: [[5, 12, 1.9], [12, 12, 1.9], [19, 12, 1.9]],
};

export const ALSO = {
  'archivebox': 'archive inventory inventory.2',
  'arrow.down': 'arrow.downward',
  'arrow.left': 'arrow.back arrow.backward',
  'arrow.right': 'arrow.forward',
  'arrow.up': 'arrow.upward',
  'arrow.uturn.backward': 'arrow.counterclockwise arrow.uturn.left arrowshape.turn.up.left reply undo',
  'arrow.uturn.forward': 'arrow.clockwise arrow.uturn.right arrowshape.turn.up.right forward redo refresh',
  'bell': 'alert notifications notifications.active',
  'cart': 'shopping.cart',
  'checkmark': 'check check.box checkmark.seal done tick',
  'clock': 'access.time alarm history schedule snooze timer',
  'doc': 'article description doc.text file',
  'ellipsis': 'more more.horiz more.vert',
  'envelope': 'email envelope.open mail mark.email.unread',
  'exclamationmark': 'error exclamationmark.triangle priority.high warning',
  'flag': 'report',
  'flame': 'fire local.fire.department whatshot',
  'minus': 'remove',
  'pencil': 'create edit mode.edit pencil.line square.and.pencil',
  'person': 'account person.crop user',
  'phone': 'call telephone',
  'pin': 'keep push.pin',
  'plus': 'add',
  'printer': 'print',
  'questionmark': 'help question.mark',
  'star': 'favorite grade star.border',
  'tag': 'label local.offer sell',
  'trash': 'bin delete delete.forever',
  'xmark': 'cancel clear close multiply',
};

const NAMES = new Map(Object.keys(PATHS).map((name) => [plain(name), name]));
for (const [name, also] of Object.entries(ALSO))
  for (const one of also.split(' ')) NAMES.set(plain(one), name);

function plain(name) { return name.toLowerCase().replace(/[._-]+/g, '.'); }

const ENDINGS = /\.(badge|circle|fill|outline|outlined|rounded|sharp|square)$/;

/** The name of an icon that is drawn, by any of its names; null: there is none. */
export function iconName(name) {
  let text = plain(String(name ?? ''));
  for (;;) {
    if (NAMES.has(text)) return NAMES.get(text);
    if (!ENDINGS.test(text)) return null;
    text = text.replace(ENDINGS, '');
  }
}

const drawn = new Map();

/** A drawing of an icon, in the colour of its text. It says nothing to screen readers. Each is made once, then copied. */
export function icon(name, size = 20) {
  if (drawn.size > 300) drawn.clear();
  return madeOnce(drawn, `${size} ${name}`, () => draw(name, size)).cloneNode(true);
}

function draw(name, size) {
  const known = iconName(name);
  const drawing = svg('svg', {
    viewBox: '0 0 24 24',
    width: size,
    height: size,
    'aria-hidden': 'true',
    focusable: 'false',
    class: ['arrow.right', 'chevron.right'].includes(known) ? 'icon forth' : 'icon',
  });
  if (known === null) {
    const letter = /[\p{L}\p{N}]/u.exec(String(name))?.[0].toUpperCase() ?? '?';
    drawing.append(svg('rect', {x: 3.5, y: 3.5, width: 17, height: 17, rx: 4.5, class: 'line'}),
      svg('text', {x: 12, y: 16.3, 'text-anchor': 'middle', 'font-size': 12, class: 'letter'}, letter));
    return drawing;
  }
  drawing.append(svg('path', {d: PATHS[known], class: 'line'}));
  for (const [cx, cy, r] of DOTS[known] ?? []) drawing.append(svg('circle', {cx, cy, r, class: 'dot'}));
  return drawing;
}
