/**
 * Where lifted rows would land a gap is open, and the places that they left are closed. The layout does not know of it:
 * each row and each heading is drawn so far from where the layout has it.
 */

/**
 * `ids` are lifted and would go to `line`, an offset of the list's layout; null: to another column. What makes room is
 * below the gap, and what closes a place is below that.
 */
export class Gap {
  constructor(list, ids, line) {
    this.list = list;
    this.ids = ids;
    this.line = line;
    const {layout} = list;
    const frames = ids.map((id) => ({id, y: layout.offsetOf(id), height: layout.heightOf(id) ?? 0}));
    this.height = frames.reduce((sum, one) => sum + one.height, 0);
    this.left = frames.filter((one) => one.y !== null);
    this.frames = frames;
  }

  /** How much of what stands above an offset has been lifted. */
  liftedAbove(y) {
    const isAbove = (one) => one.y < y - 0.001 && this.list.isBelow(y, one.y);
    return this.left.reduce((sum, one) => sum + (isAbove(one) ? one.height : 0), 0);
  }

  /** Where the gap begins, as it is drawn. */
  get top() { return this.line === null ? null : this.line - this.liftedAbove(this.line); }

  /** How far what stands at an offset is drawn from there; `id`: of the row that stands there, if it is one. */
  lean(y, id) {
    const at = id === undefined ? -1 : this.frames.findIndex((one) => one.id === id);
    const isBelow = this.line !== null && y >= this.line - 0.001 && this.list.isBelow(y, this.line);
    if (at < 0) return (isBelow ? this.height : 0) - this.liftedAbove(y);
    if (this.line === null) return 0;
    return this.top + this.frames.slice(0, at).reduce((sum, one) => sum + one.height, 0) - y;
  }
}

/** The gaps of a column: that of a drag of this screen, and those of others. */
export function gapsOf(list, leases, drag) {
  const gaps = [];
  const add = (ids, place) => {
    const line = list.lineOf(place, ids[0]);
    const gap = new Gap(list, ids.slice(0, 100), line ?? null);
    if (gap.line !== null || gap.left.length > 0) gaps.push(gap);
    return gap;
  };
  if (drag?.place) add([drag.id], drag.place.place);
  for (const lease of leases) {
    const isHovering = [lease.before, lease.after, lease.top, lease.bottom].some((one) => one !== undefined);
    if (!lease.mine && isHovering) add(lease.rows, lease).lease = lease;
  }
  return gaps;
}

/** The neighbour of a dragged row whose upper edge is at `t`, where the row has left its place at `from`. */
export function landingAt(layout, id, t, head, from = layout.offsetOf(id)) {
  const height = from === null ? 0 : layout.heightOf(id);
  const y = Math.min(Math.max(t, 0), Math.max(0, layout.contentHeight - height));
  // The layout still has the row: what lies behind it is found by as much further down.
  const open = from !== null && y >= from ? y + height : y;
  const closed = (at) => (from !== null && at > from ? at - height : at);
  const heads = layout.heads(0, open + head).filter((one) => closed(one.y) <= y);
  const said = heads.at(-1);
  const count = said ? said.count - (said.section === sectionOf(layout, id) ? 1 : 0) : 0;
  if (said && (count === 0 || y < closed(said.y) + head)) {
    // The upper half of a heading still belongs to the section above it.
    const section = heads.length > 1 && y < closed(said.y) + head / 2 ? heads.at(-2).section : said.section;
    const above = section === said.section ? null : last(layout, section, id);
    return {place: above ? {after: above.id} : {section, top: true}};
  }
  const one = layout.rowAt(open);
  // Only the head of its card is there.
  if (one?.id === id && one.above > 0) return {place: {before: id}};
  if (!one || one.id === id) return said ? {place: {section: said.section, bottom: true}} : null;
  return {place: y < closed(one.y) + one.height / 2 ? {before: one.id} : {after: one.id}};
}

function sectionOf(layout, id) { return layout.offsetOf(id) === null ? null : layout.table.sectionOf(id); }

/** The last row of a section, without that which is lifted. */
function last(layout, section, id) {
  const rows = layout.table.sections.find((one) => one.id === section)?.rows ?? [];
  return rows.at(-1)?.id === id ? rows.at(-2) : rows.at(-1);
}
