/** Acts of people on rows: every act is one command, and nothing is shown as done before it is. */
import {confirmAct, showHistory, showRecall} from './dialogs.js';
import {faceOf} from './content.js';
import {draftsOf, dropDraft, sentKey} from './drafts.js';
import {addRow, editRow, goOn, isDone} from './form.js';
import {rowMenu} from './menus.js';
import {deedSaid, guardSaid, landedSaid, noSectionSaid, outcomeSaid, reasonSaid, refusalSaid} from './says.js';
import {allows} from '../model/predicate.js';
import {groupOf, statesOf} from '../model/read.js';
import {within, word} from './words.js';

/** So many are remembered. */
const MOST_KEPT = 200;
/** The answer to an undo waits no longer for the words of what was undone. */
const WORDS_MS = 1500;

export class Actions {
  constructor(board) {
    this.board = board;
    this.wanting = new Map();
    this.open = new Map();
    /** The rows that this screen has opened for everybody, of those that are open. */
    this.openedHere = new Set();
    /** By row: {scroll, items, was}. `was` is the scroll that the table had, where scrolls are shared. */
    this.scrolls = new Map();
    this.sent = new Map();
    /** The revision that each of the latest undos and redos took back. */
    this.undoes = new Map();
    /** Rows that have gone lately, as they were. */
    this.gone = new Map();
  }

  get table() { return this.board.table; }

  kind(row) { return this.table.kinds.get(row.kind); }

  faceOf(row) { return faceOf(row, this.kind(row), this.board.now(), this.table); }

  group(row, edge) { return groupOf(row, this.kind(row), edge); }

  /** All actions of a row: [{action, edge}]. Two that differ in more than the edge are both there, also of one id. */
  all(row) {
    const at = (edge) => (this.group(row, edge)?.actions ?? []).map((action) => ({action, edge}));
    const first = at('trailing');
    const known = new Set(first.map(({action}) => JSON.stringify(action)));
    return [...first, ...at('leading').filter(({action}) => !known.has(JSON.stringify(action)))];
  }

  /** The title of an action on this board, whichever rows have it. */
  titleOf(id) {
    for (const kind of this.table?.kinds.values() ?? []) {
      const groups = [kind.leading, kind.trailing, ...(kind.items ?? []).map((item) => ({actions: item.menu}))];
      const found = groups.flatMap((group) => group?.actions ?? []).find((one) => one.id === id);
      if (found?.title) return found.title;
    }
    return id;
  }

  /** Sends a command, and waits for the answer as `answered` does. */
  send(command, more) { return this.answered(this.board.follow.send(command, more)); }

  /** Waits for the answer to an act. A refusal is said; what was done is shown here then. Gives the reply. */
  async answered(asked) {
    const reply = await asked;
    if (!reply.ok) this.refused(reply.error);
    else {
      await this.board.shown(reply.revision);
      this.landed(reply);
    }
    return reply;
  }

  /** A refusal, in words for people. That a second press did nothing is no alarm: what was wanted is done. */
  refused(error) {
    const said = refusalSaid(error);
    if (error?.code === 'alreadyDone') this.board.whisper(said);
    else {
      // The history has what is in the way of an undo, and takes it back.
      const act = error?.code === 'conflict' ? {title: word('history'), run: () => this.history()} : null;
      this.board.news(said, {kind: 'refused', act});
    }
  }

  /** Why an action can not be performed here, though the row has it; null: it can. */
  barred(action, row) {
    if (action.when && !allows(action, this.table, row.id, this.board.now())) return guardSaid(action);
    if (this.board.mayDefine) return null;
    const effects = Array.isArray(action.effect) ? action.effect : [];
    const goes = effects.map((one) => one?.move?.section).filter((section) => typeof section === 'string');
    const gone = goes.find((section) => !this.isThere(section));
    return gone === undefined ? null : noSectionSaid(gone);
  }

  isThere(section) { return this.table.sections.some((one) => one.id === section); }

  /** Tells of commands that ended without a certain answer. */
  outcomes() {
    for (const one of [...this.board.follow.outcomes]) {
      const said = outcomeSaid(one);
      this.lastRefused = {key: sentKey(one.request?.command), said};
      this.board.news(said, {kind: 'refused', seconds: 20});
      this.board.follow.dismiss(one);
    }
  }

  /** After an act: how to take it back. One that found all as it wanted has a revision of somebody else. */
  undoable(what, name, {revision, unchanged} = {}) {
    const done = what[0].toUpperCase() + what.slice(1);
    const undo = {title: word('undo'), run: () => this.undo(revision ? {revision} : {mine: true})};
    this.board.news(word('did', {done, row: name}), {act: unchanged ? null : undo});
  }

  async undo(body = {mine: true}) {
    const reply = await this.answered(this.board.follow.undo(body));
    if (!reply.ok) return;
    const deed = await this.deedOf(this.undoes.get(reply.revision));
    this.board.news(deed ? word('undo.deed', {deed: within(deed)}) : word('undo.done'),
      {act: {title: word('redo'), run: () => this.redo()}});
  }

  async redo() {
    const reply = await this.answered(this.board.follow.redo({mine: true}));
    const undo = {title: word('undo'), run: () => this.undo({revision: reply.revision})};
    if (reply.ok) this.board.news(word('redo.done'), {act: undo});
  }

  /** The change of a revision in words; null: it is not known. */
  async deedOf(revision) {
    if (revision === undefined) return null;
    const late = new Promise((done) => {
      setTimeout(done, WORDS_MS);
    });
    const reply = await Promise.race([this.board.follow.history({before: revision + 1, most: 1}), late]);
    const change = reply?.changes?.changes?.[0];
    return change?.revision === revision ? deedSaid(change, (id) => this.titleOf(id), (id) => this.nameOf(id)) : null;
  }

  /** A row's title, and what its kind shows of it first: `2 × fries (table 7)`. */
  nameOf(id) {
    const row = this.rowOf(id);
    if (!row) return id;
    const [first] = this.kind(row)?.show?.line ? this.faceOf(row).line : [];
    const name = row.title || id;
    return first ? `${name} (${first})` : name;
  }

  /** A row, or as it was if it has gone lately. */
  rowOf(id) { return this.table?.row(id) ?? this.gone.get(id); }

  /** Remembers what has gone, and what was taken back. */
  remember({cause, revision, rows}) {
    const keep = (map, key, value) => {
      map.delete(key);
      map.set(key, value);
      if (map.size > MOST_KEPT) map.delete(map.keys().next().value);
    };
    if (cause.undoes) keep(this.undoes, revision, cause.undoes);
    for (const {id, before, after} of rows) {
      if (before && !after) keep(this.gone, id, before);
      else if (after) this.gone.delete(id);
    }
  }

  /** Says why a row does not stand where it was asked to. */
  landed(reply) {
    const noted = reply.rows?.find((row) => row.note);
    if (!noted) return;
    const sectionOf = (id) => this.table?.sections.find((one) => one.id === id)?.title || id;
    this.board.say(landedSaid(noted.saying, (id) => this.nameOf(id), sectionOf));
  }

  // Swipes

  /** Whether one row is open at most. */
  get isExclusive() { return this.table.settings.swipePolicy !== 'multiple'; }

  /**
   * Which edge of a row is to be open here: what we have asked for, else what the table says. What is this screen's
   * own is closed while others move the row (B7), as the table closes what is everybody's.
   */
  openEdge(row) {
    if (this.board.isStill) return null;
    if (this.wanting.has(row.id)) return this.wanting.get(row.id);
    if (this.table.settings.swipeScope === 'viewer') {
      const lease = this.open.has(row.id) ? this.board.leaseOf(row.id) : null;
      return lease && !lease.mine ? null : this.open.get(row.id) ?? null;
    }
    return row.swipe && row.swipe !== 'closed' ? row.swipe : null;
  }

  /** A finger, a key or a wet tap opens or closes a row. */
  async opened(view, edge) {
    const {row} = view;
    if (!row || this.openEdge(row) === edge) return;
    if (edge && this.board.leaseOf(row.id)) {
      this.refused({code: 'leased'});
      view.followSwipe(row, false);
      return;
    }
    if (edge)
      this.board.say(
        word('swipe.open', {actions: this.group(row, edge).actions.map((one) => one.title || one.id).join(', ')}));
    if (this.table.settings.swipeScope === 'viewer') {
      if (edge && this.isExclusive) {
        for (const id of [...this.open.keys()])
          if (id !== row.id) this.shut(id);
      }
      if (edge) this.open.set(row.id, edge);
      else this.open.delete(row.id);
      view.followSwipe(row, false);
      return;
    }
    if (edge) this.openedHere.add(row.id);
    const wanted = new Map([[row.id, edge]]);
    // The table closes them in the same revision. If it refuses, they are open still.
    if (edge && this.isExclusive)
      for (const id of this.othersOpen(row.id)) wanted.set(id, null);
    for (const [id, one] of wanted) {
      this.wanting.set(id, one);
      this.refollow(id);
    }
    const {ok} = await this.send({swipe: {row: row.id, edge: edge ?? 'closed'}});
    if (edge && !ok) this.openedHere.delete(row.id);
    for (const [id, one] of wanted) {
      if (this.wanting.get(id) === one) this.wanting.delete(id);
      this.refollow(id);
    }
  }

  /**
   * A tap that is not on an open row closes the rows that were opened on this screen, as on a phone. Those that others have
   * opened for everybody stay. Gives whether one of them is in sight: with none the tap is an ordinary one.
   */
  closeOpened(id) {
    const isOurs = (one) => this.openedHere.has(one) || this.open.has(one);
    const open = this.othersOpen(id).filter(isOurs).map((one) => this.board.viewOf(one));
    if (!open.some((view) => view.list.isSeen(view))) return false;
    for (const view of open) {
      view.swipe.settle(null);
      this.opened(view, null);
    }
    return true;
  }

  /** The other rows that are shown open, but for those that a finger holds. */
  othersOpen(id) {
    const views = this.board.lists.flatMap((list) => [...list.views.values()]);
    const isOpen = (view) => view.id !== id && view.row && !view.swipe.held && this.openEdge(view.row);
    return views.filter(isOpen).map((view) => view.id);
  }

  /** This screen's own state goes along with the table. Gives the rows that are closed by it. */
  follow() {
    const {chosen} = this.board;
    // A chosen row that has gone is not chosen again when it comes back.
    if (chosen && !this.canChoose(chosen)) this.board.chosen = null;
    for (const [id, place] of this.scrolls) this.followScroll(id, place);
    const {settings} = this.table;
    const editing = this.board.isStill;
    const isLeft = ([id, edge]) => {
      const row = this.table.row(id);
      return row && this.group(row, edge);
    };
    const left = new Map([...this.open].filter(isLeft));
    const all = editing || settings.swipeScope !== 'viewer' || (this.isExclusive && left.size > 1);
    const shut = [...this.open.keys()].filter((id) => all || !left.has(id));
    for (const id of shut) this.open.delete(id);
    for (const id of this.openedHere) {
      const row = this.table.row(id);
      if (!row || !this.openEdge(row)) this.openedHere.delete(id);
    }
    return shut;
  }

  /** A strip whose first seen item was removed goes to the next that is left, or else to the one before. */
  followScroll(id, place) {
    const items = this.table.row(id)?.items;
    if (items === place.items) return;
    const left = new Set(items?.map((item) => item.id));
    const were = place.items ?? [];
    const old = Math.max(0, were.findIndex((item) => item.id === place.scroll.item));
    const near = [...were.slice(old), ...were.slice(0, old).reverse()];
    const next = near.find((item) => left.has(item.id));
    if (!next) {
      this.scrolls.delete(id);
      return;
    }
    place.items = items;
    if (next.id !== place.scroll.item) place.scroll = {item: next.id, fraction: 0};
  }

  shut(id) {
    this.open.delete(id);
    this.refollow(id);
  }

  refollow(id) {
    const view = this.board.viewOf(id);
    if (view?.row && !view.leaving) view.followSwipe(view.row, false);
  }

  // Acts

  /** Performs an action, after asking where it wants a yes. `version`: of the row that was seen, if not of now. */
  async press(view, id, edge, {full = false, version = view.row?.version} = {}) {
    const {row} = view;
    if (!row || !this.table) return;
    const action = this.group(row, edge)?.actions.find((one) => one.id === id);
    if (!action) {
      this.refused({code: 'noSuchAction'});
      return;
    }
    const bar = this.barred(action, row);
    if (bar) {
      this.board.news(bar);
      this.refollow(row.id);
      return;
    }
    const title = row.title || row.id;
    if (action.confirm && !(await confirmAct(this.board, action, title, this.faceOf(row)))) {
      this.refollow(row.id);
      return;
    }
    const body = {row: row.id, action: id, edge};
    if (full) body.full = true;
    if (action.confirm) body.confirmed = true;
    view.element.classList.add('busy');
    const reply = await this.send({act: body, ifVersion: action.repeat ? undefined : version});
    view.element.classList.remove('busy');
    if (reply.ok) {
      if (action.hidesWhenSelected !== false) this.open.delete(row.id);
      const what = action.title || action.id;
      this.undoable(this.isUnderWay(row.id, action) ? word('did.underWay', {action: what}) : what, title, reply);
    }
    this.refollow(row.id);
  }

  /** Whether a program is at it now. Then this screen is told how it ends. */
  isUnderWay(id, action) {
    const one = this.table?.row(id)?.performed?.find((each) => each.action === action.id && each.state === 'pending');
    if (one) this.sent.set(`${id}\n${action.id}`, action.title || action.id);
    return Boolean(one);
  }

  /** An action that was pressed here has ended: this screen says how, also if the row is out of sight. */
  ended(changes) {
    if (this.sent.size === 0) return;
    for (const {rows} of changes)
      for (const {id, after} of rows) this.endedOf(id, after);
  }

  endedOf(id, row) {
    for (const [key, title] of this.sent) {
      const [of, action] = key.split('\n');
      const one = row?.performed?.find((each) => each.action === action && !each.item);
      if (of !== id || one?.state === 'pending') continue;
      this.sent.delete(key);
      if (one?.state !== 'failed') continue;
      const values = {
        action: title,
        row: row.title || id,
        why: one.reason && reasonSaid(one.reason).replace(/\.$/, '')
      };
      const said = word(one.reason ? 'act.failedWhy' : 'act.failed', values);
      this.board.news(said, {kind: 'refused', seconds: 20});
    }
  }

  /** A full swipe: the first action, once the finger is up. */
  async fullSwipe(view, edge) {
    const id = view.id;
    const [first] = this.group(view.row, edge)?.actions ?? [];
    if (first) {
      this.wanting.set(id, null);
      await this.press(view, first.id, edge, {full: true});
      this.wanting.delete(id);
    }
    const now = this.board.viewOf(id);
    if (now && now.row && !now.leaving) {
      now.swipe.back();
      if (this.openEdge(now.row) !== null) now.followSwipe(now.row, false);
    }
  }

  // Taps

  tap(view, event) {
    if (!view.row || view.leaving || this.board.quiet(view.list, event)) return;
    this.board.keys.focusOn(view.id, false);
    const {marks} = this.board;
    if (marks?.size > 0 && !view.swipe.isOpen && marks.canMark(view.row)) {
      marks.toggle(view.id);
      return;
    }
    if (view.swipe.isOpen) {
      view.swipe.settle(null);
      this.opened(view, null);
      return;
    }
    // With wet hands a tap opens this row, and the table closes the other one. Keys and readers close what they are at.
    if (event?.detail > 0 && !this.board.settings.wet && this.closeOpened(view.id)) return;
    const strip = event?.target?.closest?.('[data-strip]') ? view.strip : null;
    if (strip) {
      const item = strip.itemAt(event.clientX, event.clientY);
      if (item) this.select(view.row, item.id);
      return;
    }
    if (this.board.settings.wet && !this.board.isStill && this.board.mayChange) {
      const edge = ['trailing', 'leading'].find((one) => this.group(view.row, one));
      if (edge) {
        this.opened(view, edge);
        return;
      }
    }
    this.tapRow(view.row);
  }

  /**
   * A tap: what the kind says happens, and the row opens or closes, in one revision. Where the kind's tap
   * itself opens or removes the row, that is all that happens to it. A strip only opens or closes: what its kind
   * says is for its items.
   */
  tapRow(row) {
    const kind = this.kind(row);
    const keeps = !kind?.strip && this.table.settings.selection === 'shared';
    const tap = !kind?.strip && Array.isArray(kind?.tap) ? kind.tap : [];
    const says = tap.some((effect) => effect?.expand !== undefined || effect?.remove);
    const opens = !says && statesOf(row, kind).length > 1;
    const {isOwn} = this.board.own;
    if (opens && isOwn) this.board.own.expand(row.id);
    if (!this.board.mayChange) return;
    const commands = [];
    if (tap.length > 0 || keeps) commands.push({select: {row: row.id}});
    this.choose({row: row.id});
    if (opens && !isOwn) commands.push({expand: {row: row.id, toggle: true}});
    if (commands.length === 1) this.send(commands[0]);
    else if (commands.length) this.send(null, {batch: commands});
  }

  /** Opens or closes all rows. Where one row is open at most, they are not all opened. */
  openAll(open) {
    if (open && !this.canOpenAll) this.board.news(word('refusal.onlyOneOpen'));
    else if (this.board.own.isOwn) this.board.own.expandAll(open);
    else this.send({expandAll: {open}});
  }

  get canOpenAll() { return !String(this.table.settings.expandPolicy ?? '').startsWith('accordion'); }

  expand(row, to) {
    if (this.board.own.isOwn) return this.board.own.expand(row.id, to);
    return this.send({expand: to ? {row: row.id, to} : {row: row.id, toggle: true}});
  }

  /** Selects an item, or else the row, and does what the kind says of a tap. Nothing opens. */
  select(row, item) {
    const what = item === undefined ? {row: row.id} : {row: row.id, item};
    this.choose(what);
    const menu = this.itemKind(row, item)?.menu ?? [];
    if (menu.length > 0) {
      const view = this.board.viewOf(row.id);
      if (view) this.menu(view, 'item', item);
      return;
    }
    this.send({select: what});
  }

  itemKind(row, id) {
    const item = (row.items ?? []).find((one) => one.id === id);
    return (this.kind(row)?.items ?? []).find((one) => one.name === item?.kind) ?? null;
  }

  /** Where each screen keeps what is selected, this one keeps that. */
  choose(what) {
    if (!this.canChoose(what)) return;
    this.board.chosen = what;
    this.board.redraw();
  }

  /** In a strip an item can be chosen; any other row is chosen as a whole (D2). */
  canChoose({row: id, item}) {
    const row = this.table.row(id);
    if (!row || this.table.settings.selection !== 'viewer') return false;
    if (item === undefined) return !this.kind(row)?.strip;
    return Boolean(this.kind(row)?.strip) && (row.items ?? []).some((one) => one.id === item);
  }

  // Strips

  /** Where a strip is to stand here: its own place, or where everybody's is until that is another one. */
  scrollOf(row) {
    const place = this.scrolls.get(row.id);
    if (this.table.settings.scrollScope !== 'shared') return place?.scroll ?? null;
    if (place && place.was === JSON.stringify(row.scroll)) return place.scroll;
    this.scrolls.delete(row.id);
    return row.scroll ?? null;
  }

  async scrolled(view, scroll) {
    const {row} = view;
    // Its items may have gone while the finger was on it.
    if (!scroll || !row?.items) return;
    const place = {scroll, items: row.items, was: JSON.stringify(row.scroll)};
    this.scrolls.set(row.id, place);
    if (this.table.settings.scrollScope !== 'shared' || !this.board.mayChange) return;
    const reply = await this.board.follow.send({scroll: {row: row.id, ...scroll}});
    if (reply.ok) await this.board.shown(reply.revision);
    if (this.scrolls.get(row.id) === place) this.scrolls.delete(row.id);
    if (!reply.ok) this.board.redraw();
  }

  // Menus and dialogs

  menu(view, part, item) {
    if (view.row && !this.board.quiet(view.list, {detail: 1})) rowMenu(this.board, view.row, part, item);
  }

  /** The control of edit mode. */
  async control(view, plus) {
    const {row} = view;
    if (plus) {
      addRow(this.board, word('insert.row'), word('insert.below', {row: row.title || row.id}),
        {kind: row.kind, after: row.id});
      return;
    }
    const deletion = {title: word('delete'), role: 'destructive'};
    const sure = await confirmAct(this.board, deletion, row.title || row.id, this.faceOf(row));
    if (!sure) return;
    const reply = await this.send({remove: {rows: [row.id]}, ifVersion: row.version});
    if (reply.ok) this.undoable(word('did.deleted'), row.title || row.id, reply);
  }

  async add(section) {
    if (!this.isThere(section) && !this.board.mayDefine) {
      this.board.news(noSectionSaid(section));
      return;
    }
    const name = this.table.sections.find((one) => one.id === section)?.title || section;
    await addRow(this.board, word('add.row'), word('move.to', {section: name}), {section, ...this.kindFor(section)});
  }

  /** The kind of a new row in a section: that of its last row. */
  kindFor(section) {
    const rows = this.table?.sections.find((one) => one.id === section)?.rows ?? [];
    const kind = rows.filter((row) => !this.kind(row)?.pinned && !this.kind(row)?.strip).at(-1)?.kind ??
      [...(this.table?.kinds.values() ?? [])].find((one) => !one.pinned && !one.strip && one.id !== 'row')?.id;
    return kind ? {kind} : {};
  }

  /** Changes the title, the fields and the kind of a row. */
  change(row) { return editRow(this.board, row); }

  /** A draft that an earlier page never sent is offered once. */
  async offerDraft() {
    const {board} = this;
    if (this.hasOffered || !board.mayChange) return;
    this.hasOffered = true;
    // A form that is filled in and sent meanwhile is this page's own.
    const keys = new Set(draftsOf(board.name).map(({key}) => key));
    await this.endSent();
    for (const one of draftsOf(board.name))
      if (isDone(one, board.table)) dropDraft(board.name, one.key);
    // A command that another tab has sent, and still waits for, would be sent twice.
    const kept = new Set((await board.session.storage.all()).map(({request}) => sentKey(request?.command)));
    const draft = draftsOf(board.name).findLast(({key, isSent}) => keys.has(key) && !(isSent && kept.has(key)));
    if (!draft || !board.mayChange) return;
    // Where it was refused, that is said, and why.
    const isRefused = this.lastRefused?.key === draft.key;
    const said = isRefused ? this.lastRefused.said :
      draft.name           ? word('draft.named', {row: draft.name}) :
                             word('draft');
    board.news(said, {
      kind: isRefused ? 'refused' : undefined,
      act: {title: word('draft.goOn'), run: () => goOn(board, draft)},
      seconds: 20,
    });
  }

  /** Waits for the answers to what earlier pages have sent: what was carried out is no draft any more (main.js). */
  async endSent() {
    const {follow, session, name} = this.board;
    await session.recovered;
    for (const {key, isSent} of draftsOf(name)) {
      if (!isSent) continue;
      const isIt = ({command}) => sentKey(command) === key;
      await new Promise((done) => {
        const look = () => {
          if (follow.pending.some(isIt)) return;
          over();
          done();
        };
        const over = session.onChange(look);
        look();
      });
    }
  }

  async move(row, place) {
    const reply = await this.moved(this.board.follow.send({move: {rows: [row.id], ...place}}), row);
    if (reply.ok) this.board.keys.focusOn(row.id, true);
  }

  /** Waits until a row stands elsewhere, and shows how to take that back. Gives the reply. */
  async moved(asked, row) {
    const reply = await this.answered(asked);
    if (reply.ok) this.undoable(word('did.moved'), row.title || row.id, reply);
    return reply;
  }

  /** Edit mode of this screen. That of everybody is made by programs, and ended by whoever may. */
  edit() { this.board.edit(!this.board.isEditing); }

  /** Whether a claim is this device's. */
  isMine(claim) { return claim.holder === (this.board.session.name ?? this.board.session.device?.device); }

  claim(row) {
    if (row.claim && this.isMine(row.claim)) return this.send({unclaim: {rows: [row.id]}});
    return this.send({claim: {rows: [row.id]}});
  }

  recallList() { showRecall(this.board); }

  history(row) { showHistory(this.board, row); }
}
