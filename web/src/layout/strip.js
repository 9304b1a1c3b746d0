// The items of a strip: cells, badges, how far it is scrolled and where it rests (docs/LAYOUT.md,
// "Strips").

import {sortedKeys} from '../model/canonical.js';
import {fieldOf} from '../model/read.js';
import {MOST, bounded, said} from './numbers.js';
import {lineHeight, textWidth} from './text.js';

const TITLE = 13, DETAIL = 12, BADGE = 11;
const PADDING = 24, INSET = 8, BADGE_PADDING = 10, BADGE_HEIGHT = 16, BADGE_GAP = 4;
const LEAST = 56, SPACING = 8, TITLED = 60, TITLE_ROOM = 26, MARGIN = 20;

/** The part of a row where its items are. */
function roomOf(row, height) {
  const titled = height >= TITLED && Boolean(row.title);
  const y = Math.min(6, height / 8) + (titled ? TITLE_ROOM : 0);
  return {titled, y, height: Math.max(0, height - y - Math.min(8, height / 8))};
}

/** The kind of an item, or undefined. */
export function itemKind(item, kind) {
  if (!item.kind || !Array.isArray(kind?.items)) return undefined;
  return kind.items.find((one) => one.name === item.kind);
}

/** The parts of a cell: a title, lines below it, a badge. */
function cellText(item, kind) {
  const title = item.title || item.id;
  const badge = kind?.badge === undefined ? '' : fieldOf(item, kind.badge) ?? '';
  if (kind?.fields) {
    const keys = Array.isArray(kind.fields.keys) ? kind.fields.keys : [];
    return {title, badge, summary: false, details: keys.map((key) => fieldOf(item, key)).filter((value) => value)};
  }
  const line =
    sortedKeys(item.fields ?? {}).filter((key) => key !== kind?.badge).map((key) => item.fields[key]).join(' · ');
  return {title, badge, summary: true, details: line ? [line] : []};
}

function badgeWidth(badge, profile) {
  return badge ? Math.max(BADGE_HEIGHT, textWidth(badge, BADGE, profile) + BADGE_PADDING) : 0;
}

function cellWidth(text, kind, profile) {
  if (typeof kind?.width === 'number') return Math.max(0, bounded(kind.width, LEAST));
  let width = textWidth(text.title, TITLE, profile);
  if (text.badge) width += BADGE_GAP + badgeWidth(text.badge, profile);
  if (!text.summary) {
    for (const line of text.details) width = Math.max(width, textWidth(line, DETAIL, profile));
  }
  return Math.min(Math.max(LEAST, width + PADDING), MOST);
}

function cellHeight(text, kind, room, profile) {
  const auto = kind?.layout === 'auto';
  const wanted = typeof kind?.height === 'number' ? kind.height : auto ? 0 : room.height;
  if (!auto) return wanted;
  return Math.max(wanted, lineHeight(TITLE, profile) + text.details.length * lineHeight(DETAIL, profile) + 2 * INSET);
}

function badgeFrame(wanted, x, y, width, height) {
  const wide = Math.min(wanted, Math.max(0, width - 2 * BADGE_GAP));
  const high = Math.min(BADGE_HEIGHT, height);
  return [x + width - BADGE_GAP - wide, y + Math.min(BADGE_GAP, (height - high) / 2), wide, high];
}

/** The lines of a cell: title and details, from its upper left corner. */
function cellLines(text, height, profile) {
  const first = lineHeight(TITLE, profile), other = lineHeight(DETAIL, profile);
  const all = first + text.details.length * other;
  let y = Math.max(0, (height - all) / 2);
  return [[text.title, TITLE, first], ...text.details.map((line) => [line, DETAIL, other])].map(
    ([line, size, high]) => {
      const made = {text: line, x: PADDING / 2, y, size, height: high};
      y += high;
      return made;
    });
}

/** One item, in the room of its row. */
function cell(item, kind, x, room, profile) {
  const own = itemKind(item, kind);
  const text = cellText(item, own);
  const width = cellWidth(text, own, profile);
  const wanted = cellHeight(text, own, room, profile);
  const height = Math.min(Math.max(0, bounded(wanted)), room.height);
  const y = room.y + (room.height - height) / 2;
  const made = {
    id: item.id,
    item,
    kind: own,
    x,
    y,
    width,
    height,
    clamped: wanted > room.height ? ['height'] : [],
    lines: cellLines(text, height, profile)
  };
  if (text.badge) {
    made.badge = badgeFrame(badgeWidth(text.badge, profile), x, y, width, height);
    made.badgeText = text.badge;
  }
  return made;
}

/** Where the items of a row are; null: it has none. `scroll` is the row's own unless given. */
export function stripLayout({table, row, kind: given, width, height, scroll, profile = 'point'}) {
  if (!row.items?.length) return null;
  const kind = given ?? table?.kindOf(row);
  const at = scroll === undefined ? row.scroll : scroll;
  const room = roomOf(row, bounded(height));
  const spacing = Math.max(0, bounded(said(kind?.spacing, SPACING), SPACING));
  let x = 0, offset = 0;
  const items = row.items.map((item) => {
    const made = cell(item, kind, x, room, profile);
    if (at && at.item === item.id) {
      const fraction = Math.min(Math.max(bounded(said(at.fraction, 0)), 0), 1);
      offset = x + fraction * (made.width + spacing);
    }
    x += made.width + spacing;
    return made;
  });
  const margin = Math.max(0, bounded(said(kind?.margins?.text, MARGIN)));
  const strip = {
    offset,
    contentWidth: x - spacing,
    spacing,
    items,
    titled: room.titled,
    visibleWidth: Math.max(0, bounded(width) - margin),
    left: margin,
    page: ['item', 'width'].includes(kind?.page) ? kind.page : 'none',
  };
  strip.rest = stripRest(strip, offset);
  return strip;
}

/** The largest offset at which no room is left behind the last item. */
export function stripEnd(strip) { return Math.max(0, strip.contentWidth - strip.visibleWidth); }

/** Where a strip comes to rest that was let go at an offset. */
export function stripRest(strip, offset) {
  const end = stripEnd(strip), visible = strip.visibleWidth;
  if (strip.page === 'item') {
    let nearest = 0;
    for (const place of [...strip.items.map((item) => Math.min(item.x, end)), end]) {
      if (Math.abs(place - offset) < Math.abs(nearest - offset)) nearest = place;
    }
    return nearest;
  }
  if (strip.page !== 'width') return offset;
  if (!(visible > 0)) return Math.min(Math.max(0, offset), end);
  const before = Math.min(Math.max(0, Math.floor(offset / visible)) * visible, end);
  const after = Math.min(before + visible, end);
  return offset - before <= after - offset ? before : after;
}

/** The offset a page further (direction 1) or back (-1), never beyond the ends. */
export function stripPage(strip, from, direction) {
  const visible = strip.visibleWidth, end = stripEnd(strip), forward = direction > 0;
  const offset = Math.min(Math.max(0, from), end);
  let turned;
  if (strip.page === 'item') {
    const item = forward ? strip.items.find((one) => one.x > offset + 0.5) :
                           strip.items.filter((one) => one.x < offset - 0.5).pop();
    turned = item?.x;
  } else if (strip.page === 'width' && visible > 0) {
    const pages = Math.floor((offset + (forward ? 0.5 : -0.5)) / visible);
    turned = (forward ? pages + 1 : pages) * visible;
  } else {
    turned = offset + (forward ? visible : -visible);
  }
  return Math.min(Math.max(0, turned ?? (forward ? end : 0)), end);
}

/** The position at an offset, to be sent: {item, fraction}. */
export function scrollOf(strip, offset) {
  const at = Math.max(0, offset);
  const item = strip.items.filter((one) => one.x <= at).pop();
  if (!item) return null;
  const span = item.width + strip.spacing;
  return {item: item.id, fraction: span > 0 ? Math.min((at - item.x) / span, 1) : 0};
}
