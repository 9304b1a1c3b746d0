/** The board by keys, as in the terminal's viewer; and where the focus is. */
import { statesOf } from "../model/read.js";
import { showKeys } from "./dialogs.js";
import { rowMenu } from "./menus.js";
import { putDownSaid } from "./says.js";

const MOVES = {
  ArrowDown: "down", j: "down", ArrowUp: "up", k: "up", Home: "first", g: "first", End: "last", G: "last",
  PageDown: "pageDown", PageUp: "pageUp", "]": "nextSection", "[": "previousSection",
};

/** Whether two places are the same can be told by this. */
const same = (place) => JSON.stringify(place ?? null);

export class Keys {
  constructor(board) {
    this.board = board;
    this.id = null;
    this.lifted = null;
    board.columns.addEventListener("keydown", (event) => this.key(event));
    board.columns.addEventListener("focusin", (event) => this.focused(event));
    board.columns.addEventListener("focusout", (event) => {
      event.target.closest?.(".row")?.view?.focusable(false);
      setTimeout(() => this.left());
    });
    addEventListener("blur", () => this.putBack());
    addEventListener("keydown", (event) => {
      if (event.target === document.body && !document.querySelector("dialog[open]")) this.key(event);
    });
  }

  // The focus

  focused(event) {
    const view = event.target.closest(".row")?.view;
    if (!view?.id) return;
    this.id = view.id;
    this.stop(view);
    view.focusable(true);
  }

  /** One row of the board is a stop for Tab. */
  stop(view) {
    for (const list of this.board.lists) {
      for (const one of list.views.values()) one.element.setAttribute("tabindex", one === view ? "0" : "-1");
    }
  }

  /** A row's element goes: the focus stays in the column, and its row is remembered. */
  lost(view) {
    this.holding = view.list.element;
    view.list.element.focus({ preventScroll: true });
  }

  /** Keys go elsewhere now, as to a dialog: what is lifted must not stay locked for everybody. */
  left() {
    const now = document.activeElement;
    if (now && now !== document.body && !this.board.columns.contains(now)) this.putBack();
  }

  /** Before diffs: where the focused row stands. */
  remember() {
    const { table } = this.board;
    this.hadFocus = this.board.columns.contains(document.activeElement);
    const section = this.id && table ? table.sectionOf(this.id) : undefined;
    this.was = section === undefined ? null : { section, index: this.board.keysPlace ?? this.place };
  }

  /** After diffs: the focus is on its row, or on the one that took its place. */
  restore() {
    if (this.id === null) {
      this.first();
      return;
    }
    const { table } = this.board;
    if (this.lifted?.target) this.drawLanding();
    if (table.row(this.id)) {
      this.place = { section: table.sectionOf(this.id), index: table.indexOf(this.id) };
      return;
    }
    const at = this.place;
    const rows = at ? table.sections.find((one) => one.id === at.section)?.rows ?? [] : [];
    const next = rows[Math.min(at?.index ?? 0, rows.length - 1)] ?? this.order()[0];
    if (next) this.focusOn(next.id, this.hadFocus);
    else this.id = null;
  }

  /** Without a focus yet: Tab comes to the first row that is seen. */
  first() {
    const view = this.board.lists[0]?.views.values().next().value;
    if (view && !this.board.columns.querySelector('.row[tabindex="0"]')) view.element.setAttribute("tabindex", "0");
  }

  focusOn(id, really) {
    const { table } = this.board;
    this.id = id;
    this.place = { section: table?.sectionOf(id), index: table?.indexOf(id) };
    const list = this.board.listOf(id);
    if (!list) return;
    if (really) list.reveal(id);
    const view = list.views.get(id);
    if (!view) return;
    this.stop(view);
    if (really) view.element.focus({ preventScroll: true });
  }

  get view() {
    return this.id ? this.board.viewOf(this.id) : null;
  }

  /** The sections that this screen shows, in order. */
  sections() {
    const shown = new Set(this.board.lists.flatMap((list) => list.sections));
    return (this.board.table?.sections ?? []).filter((one) => shown.has(one.id));
  }

  /** All rows that this screen shows, in order. */
  order() {
    return this.sections().flatMap((one) => one.rows);
  }

  // The keys

  key(event) {
    const { board } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || !board.table) return;
    if (event.target.closest?.("button") && (event.key === "Enter" || event.key === " ")) return;
    if (this.lifted ? this.liftedKey(event) : this.plainKey(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  plainKey(event) {
    const { board } = this;
    const { actions } = board;
    const row = this.id ? board.table.row(this.id) : null;
    const move = MOVES[event.key];
    if (move) return this.go(move);
    switch (event.key) {
      case "u": actions.undo(); return true;
      case "U": actions.redo(); return true;
      case "r": actions.recallList(); return true;
      case "a": actions.add(row ? board.table.sectionOf(row.id) : board.lists[0]?.sections[0] ?? "main"); return true;
      case "E": actions.edit(); return true;
      case "+": actions.send({ expandAll: { open: true } }); return true;
      case "-": actions.send({ expandAll: { open: false } }); return true;
      case "n": return this.nextLate();
      case "?": showKeys(); return true;
      default: return row ? this.rowKey(event, row) : false;
    }
  }

  rowKey(event, row) {
    const { board } = this;
    const { actions } = board;
    const view = this.view;
    switch (event.key) {
      case "ArrowRight": case "l": return this.across(view, 1);
      case "ArrowLeft": case "h": return this.across(view, -1);
      case "Enter": return this.enter(view, row);
      case " ": if (statesOf(row, board.table.kinds.get(row.kind)).length > 1) actions.expand(row); return true;
      case "t": actions.send({ select: { row: row.id } }); return true;
      case "c": actions.claim(row); return true;
      case ".": rowMenu(board, row); return true;
      case "m": return this.lift(row);
      case "x": case "Delete": if (board.table.editing && view?.remove) view.remove.click(); return board.table.editing;
      case "i": case "Insert": if (board.table.editing) actions.control(view, true); return board.table.editing;
      case "Escape": return this.escape(view);
      default: return /^[1-9]$/.test(event.key) ? this.digit(view, Number(event.key)) : false;
    }
  }

  go(how) {
    const rows = this.order();
    if (!rows.length) return true;
    const at = rows.findIndex((row) => row.id === this.id);
    const list = this.board.listOf(this.id) ?? this.board.lists[0];
    const page = Math.max(1, Math.floor(list.high / list.scale / 76) - 1);
    const section = (row) => this.board.table.sectionOf(row.id);
    let to = at;
    if (at < 0 && how !== "last") to = 0;
    else if (how === "down") to = at + 1;
    else if (how === "up") to = at - 1;
    else if (how === "first") to = 0;
    else if (how === "last") to = rows.length - 1;
    else if (how === "pageDown") to = at + page;
    else if (how === "pageUp") to = at - page;
    else if (how === "nextSection") to = rows.findIndex((row, index) => index > at && section(row) !== section(rows[at]));
    else {
      const start = rows.findIndex((row) => section(row) === section(rows[at]));
      const before = rows[start - 1];
      to = at > start || !before ? start : rows.findIndex((row) => section(row) === section(before));
    }
    if (how === "nextSection" && to < 0) to = at;
    this.focusOn(rows[Math.min(Math.max(to, 0), rows.length - 1)].id, true);
    return true;
  }

  /** Opens the edge that a swipe in this direction opens, then goes from action to action. */
  across(view, step) {
    if (!view) return true;
    if (view.strip && !view.swipe.isOpen && view.strip.mark(step)) {
      const item = view.strip.layout.items.find((one) => one.id === view.strip.marked);
      this.board.say(item?.item?.title || view.strip.marked);
      return true;
    }
    const inEdge = view.swipe.isOpen ? view.swipe.edge : null;
    if (!inEdge) {
      const edge = step > 0 ? "leading" : "trailing";
      if (!this.board.table.editing && this.board.actions.group(view.row, edge)) this.board.opened(view, edge);
      return true;
    }
    const buttons = view.buttons.kept.map((one) => one.button).filter((one) => !one.hidden);
    const ordered = inEdge === "trailing" ? [...buttons].reverse() : buttons;
    const now = ordered.indexOf(document.activeElement);
    const next = now < 0 ? (step > 0 ? 0 : ordered.length - 1) : now + step;
    if (ordered[next]) ordered[next].focus({ preventScroll: true });
    else {
      view.element.focus({ preventScroll: true });
      this.board.opened(view, null);
    }
    return true;
  }

  enter(view, row) {
    if (view?.strip?.marked) this.board.actions.select(row, view.strip.marked);
    else if (view?.swipe.isOpen) this.board.opened(view, null);
    else this.board.actions.tapRow(row);
    return true;
  }

  digit(view, number) {
    if (!view || this.board.table.editing) return true;
    const edge = view.swipe.isOpen ? view.swipe.edge : null;
    const list = edge ? this.board.actions.all(view.row).filter((one) => one.edge === edge) : this.board.actions.all(view.row);
    const found = list[number - 1];
    if (found) this.board.press(view, found.action.id, found.edge);
    return true;
  }

  escape(view) {
    this.board.newsBar.hide();
    if (view?.strip?.marked) view.strip.unmark();
    else if (view?.swipe.isOpen) {
      view.element.focus({ preventScroll: true });
      this.board.opened(view, null);
    }
    return true;
  }

  nextLate() {
    const rows = this.order();
    const at = rows.findIndex((row) => row.id === this.id);
    const late = (row) => {
      const { warn, late: bound } = this.board.table.kinds.get(row.kind)?.ages ?? {};
      const seconds = (this.board.now() - (row.createdMs ?? this.board.now())) / 1000;
      return Number.isFinite(bound ?? warn) && seconds >= (bound ?? warn);
    };
    const next = [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(late);
    if (next) this.focusOn(next.id, true);
    else this.board.say("No row is late.");
    return true;
  }

  // Moving by keys

  lift(row) {
    if (!this.board.canMove(row)) return true;
    const lifted = { id: row.id, target: null, drag: null, over: false };
    this.lifted = lifted;
    this.board.say(`Lifted ${row.title || row.id}. Arrows move it, Enter puts it down, Escape puts it back.`);
    // Whoever puts it down before the answer is there waits for it: a lease has one end.
    lifted.asked = this.board.follow.lift([row.id]).then((answer) => {
      const isHeld = this.lifted === lifted;
      if (!answer.ok) {
        this.board.refused(answer.error);
        if (isHeld) this.putDown();
        return;
      }
      lifted.drag = answer.drag;
      if (lifted.over) answer.drag.cancel();
      else if (isHeld && lifted.target) answer.drag.hover(lifted.target);
      answer.drag.ended.then((end) => {
        if (this.lifted !== lifted) return;
        this.board.news(putDownSaid(end?.reason), { kind: "refused" });
        this.putDown();
      });
    });
    return true;
  }

  liftedKey(event) {
    const step = { down: 1, up: -1, first: -1e9, last: 1e9 }[MOVES[event.key]];
    if (step) this.aim(step);
    else if (event.key === "Enter" || event.key === "m") this.drop();
    else if (event.key === "Escape") this.putBack();
    return true;
  }

  /** Where the lifted row can be put, in order: above and below each other row, and into sections without any. */
  places() {
    const places = [];
    for (const { id: section, rows } of this.sections()) {
      const others = rows.filter((row) => row.id !== this.lifted.id);
      places.push(others.length ? { before: others[0].id } : { section, top: true });
      for (const row of others) places.push({ after: row.id });
    }
    return places;
  }

  /** Where the lifted row stands, as a place. */
  stand() {
    const { id } = this.lifted;
    const section = this.sections().find((one) => one.rows.some((row) => row.id === id));
    if (!section) return null;
    const { rows } = section;
    const at = rows.findIndex((row) => row.id === id);
    if (at > 0) return { after: rows[at - 1].id };
    return rows.length > 1 ? { before: rows[1].id } : { section: section.id, top: true };
  }

  /** A place further, or back. Others may have added and removed rows since: the place of now is looked for. */
  aim(step) {
    const { lifted, board } = this;
    const places = this.places();
    const now = same(lifted.target ?? this.stand());
    const at = places.findIndex((place) => same(place) === now);
    // The row beside it has gone. Behind it is now behind the one before it; before it, before the next.
    const gap = (lifted.at ?? 0) - (lifted.target?.after !== undefined ? 1 : 0);
    const from = at < 0 ? Math.max(0, gap) : at;
    lifted.at = Math.min(Math.max(from + step, 0), places.length - 1);
    lifted.target = places[lifted.at];
    if (!lifted.target) return;
    const list = this.drawLanding();
    const y = list?.lineOf(lifted.target) ?? null;
    const near = lifted.target.after ?? lifted.target.before;
    if (near !== undefined) list?.reveal(near);
    else if (y !== null) list.bring(y, 1);
    lifted.drag?.hover(lifted.target);
    board.say(this.placeSaid(lifted.target));
  }

  placeSaid({ section, before, after }) {
    const { table } = this.board;
    if (section !== undefined) return `Into ${table.sections.find((one) => one.id === section)?.title || section}`;
    const id = after ?? before;
    return `${after !== undefined ? "After" : "Before"} ${table.row(id)?.title || id}`;
  }

  /** The line at the place. Gives the column that has it. */
  drawLanding() {
    const { board, lifted: { target } } = this;
    const near = target.after ?? target.before;
    const list = near === undefined ? board.lists.find((one) => one.sections.includes(target.section)) : board.listOf(near);
    const y = list?.lineOf(target) ?? null;
    board.landing(list, y === null ? null : { y, place: target });
    return list;
  }

  async drop() {
    const { lifted, board } = this;
    const row = board.table.row(lifted.id);
    const isMoved = lifted.target && same(lifted.target) !== same(this.stand());
    this.putDown();
    await lifted.asked;
    if (!lifted.drag) return;
    if (!isMoved || !row) {
      lifted.drag.cancel();
      board.say("Put back.");
      return;
    }
    const reply = await lifted.drag.drop(lifted.target);
    if (!reply.ok) board.refused(reply.error);
    else {
      await board.shown(reply.revision);
      board.undoable("moved", row.title || row.id, reply.revision);
      this.focusOn(lifted.id, true);
    }
  }

  /** Everything is as before, also if the lease comes only now. */
  putBack() {
    const { lifted } = this;
    if (!lifted) return;
    lifted.over = true;
    lifted.drag?.cancel();
    this.board.say("Put back.");
    this.putDown();
  }

  putDown() {
    this.lifted = null;
    this.board.landing(null, null);
  }
}
