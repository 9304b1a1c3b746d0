/** The ⋯ of a row: everything that swiping and dragging do, by single taps. And the ⋯ of the board. */
import {claimSaid, standing} from './content.js';
import {contrast, color} from './dom.js';
import {confirmAct, showKeys} from './dialogs.js';
import {showDevices} from './devices.js';
import {isPinned, near, spanOf, stepsOf} from './places.js';
import {refusalSaid} from './says.js';
import {pauseSheet, snoozeOrWake} from './work.js';
import {showScreen} from './screen.js';
import {actChoice, choice, group, sheet} from './sheet.js';
import {statesOf} from '../model/read.js';
import {word} from './words.js';

/** Opens the menu of a row. `part`: "move" or "item" for that part only. */
export function rowMenu(board, row, part, item) {
  const face = board.actions.faceOf(row), title = face.title || row.id;
  if (part === 'move') return sheet(word('row.move', {row: title}), () => moves(board, row));
  if (part === 'item') return sheet(itemTitle(row, item), () => itemChoices(board, row, item));
  return sheet(title,
    () => [...standing(face),
      ...acts(board, row),
      ...states(board, row),
      ...items(board, row),
      ...(board.canMove(row) ? [group(word('move')), ...moves(board, row)] : []),
      ...others(board, row),
  ]);
}

function acts(board, row) {
  const {actions, table} = board;
  const all = actions.all(row);
  if (!board.mayChange) return [];
  if (table.editing) return all.length ? [group(refusalSaid({code: 'editing'}))] : [];
  return all.map(({action, edge}, index) => {
    const back = color(action.background);
    return actChoice(action, {
      barred: actions.barred(action, row),
      key: index < 9 ? String(index + 1) : null,
      color: back,
      front: back ? color(action.foreground) ?? contrast(back) : null,
      run: () => {
        const now = present(board, row);
        // The version is that of the row when the menu was opened, so that nothing is done twice.
        if (now) actions.press(board.viewOf(row.id) ?? stand(now), action.id, edge, {version: row.version});
      },
    });
  });
}

/** The row of an open menu as it is now; null: it has gone meanwhile, which is said. */
function present(board, row) {
  const now = board.table?.row(row.id);
  if (!now) board.actions.refused({code: board.table ? 'noSuchRow' : 'noSuchTable'});
  return now ?? null;
}

/** For a row that is out of sight while its menu is open. */
function stand(row) { return {row, element: document.createElement('div')}; }

function states(board, row) {
  const list = statesOf(row, board.table.kinds.get(row.kind));
  if (list.length < 2 || !(board.mayChange || board.own.isOwn)) return [];
  const now = board.own.shown(row).expand ?? 'collapsed';
  const name = (state) =>
    ({collapsed: word('row.close'), expanded: word('row.openIt')}[state] ?? word('row.show', {state}));
  return list.filter((state) => state.name !== now).map((state) => choice({
    title: name(state.name),
    name: state.name === 'collapsed' ? 'arrow.up' : 'arrow.down',
    run: () => board.actions.expand(row, state.name),
  }));
}

function items(board, row) {
  const list = row.items ?? [];
  if (!list.length) return [];
  return [
    group(word('items')), ...list.map((item) => choice({
      title: item.title || item.id,
      name: 'tag',
      run: () => board.actions.select(board.table.row(row.id) ?? row, item.id),
    }))
  ];
}

function itemTitle(row, id) { return (row.items ?? []).find((one) => one.id === id)?.title || id; }

function itemChoices(board, row, id) {
  const {actions} = board;
  const perform = async (action) => {
    if (!present(board, row)) return;
    if (action.confirm && !(await confirmAct(board, action, itemTitle(row, id)))) return;
    const body = {row: row.id, action: action.id, item: id};
    if (action.confirm) body.confirmed = true;
    const reply = await actions.send({act: body, ifVersion: action.repeat ? undefined : row.version});
    if (reply.ok) actions.undoable(action.title || action.id, itemTitle(row, id), reply);
  };
  const select = () => actions.send({select: {row: row.id, item: id}});
  return [
    choice({title: word('tap'), name: 'checkmark', run: select}),
    ...(actions.itemKind(row, id)?.menu ?? [])
      .map((action) => actChoice(action, {barred: actions.barred(action, row), run: () => perform(action)})),
  ];
}

function moves(board, row) {
  const {table, actions} = board;
  const section = table.sectionOf(row.id);
  const rows = table.sections.find((one) => one.id === section)?.rows ?? [];
  const at = rows.findIndex((one) => one.id === row.id);
  const go = (title, name, place) => choice({title, name, run: () => actions.move(row, place)});
  const isFixed = (one) => isPinned(table, one);
  const span = spanOf(rows, at, isFixed), {up, down} = stepsOf(rows, board.lists[0]?.gathered, row.id, isFixed);
  return [
    up && go(word('move.up'), 'arrow.up', up),
    span.top && go(word('move.top'), 'arrow.up', {section, top: true}),
    down && go(word('move.down'), 'arrow.down', down),
    span.bottom && down && go(word('move.bottom'), 'arrow.down', {section, bottom: true}),
    ...table.sections.filter(({id}) => id !== section).map(({id,
      title}) => go(word('move.to', {section: title || id}), 'arrow.right', {section: id, bottom: true})),
    table.size > 1 && choice({title: word('move.before'), name: 'list', run: () => before(board, row)}),
  ];
}

/** Chooses the row before which another is to stand: at most 200 are listed, of its own section those around it. */
function before(board, row) {
  const {table} = board;
  const section = table.sectionOf(row.id);
  const here = table.sections.filter((one) => one.id === section);
  const rest = table.sections.filter((one) => one.id !== section);
  const rowsOf = (one) => {
    if (one.id !== section) return one.rows.filter((each) => !isPinned(table, each)).slice(0, 60);
    const at = one.rows.findIndex((each) => each.id === row.id);
    const {from, to} = spanOf(one.rows, at, (each) => isPinned(table, each));
    return near(one.rows.slice(from, to), at - from, 61).filter((each) => each.id !== row.id);
  };
  return sheet(word('move.beforeOf', {row: row.title || row.id}),
    () => [...here, ...rest]
      .flatMap((one) => [group(one.title || one.id),
                 ...rowsOf(one).map((each) => choice({
                   title: each.title || each.id,
                   run: () => board.actions.move(row, {before: each.id}),
                 })),
  ]).slice(0, 200));
}

function others(board, row) {
  const {actions, marks, mayChange} = board;
  const theirs = row.claim && !actions.isMine(row.claim);
  return [
    group(word('more')),
    mayChange && choice({
      title: word('edit'),
      second: word('edit.more'),
      name: 'pencil',
      run: () => {
        const now = present(board, row);
        if (now) actions.change(now);
      },
    }),
    mayChange && choice({
      title: theirs ? claimSaid(row.claim) :
        row.claim   ? word('claim.end') :
                      word('claim'),
      name: 'person',
      second: theirs ? null : row.claim?.note,
      disabled: theirs,
      run: () => actions.claim(row),
    }),
    mayChange && choice({
      title: word(row.sleep ? 'menu.wake' : 'menu.snooze'),
      name: 'clock',
      key: 's',
      run: () => snoozeOrWake(board, row),
    }),
    marks.canMark(row) && choice({
      title: word(marks.has(row.id) ? 'mark.end' : 'mark'),
      second: marks.has(row.id) ? null : word('mark.more'),
      name: 'checkmark',
      run: () => present(board, row) && marks.toggle(row.id),
    }),
    choice({title: word('history.row'), name: 'clock', run: () => actions.history(row)}),
  ];
}

/** The ⋯ of the board. */
export function boardMenu(board) {
  const {actions, table, mayChange} = board;
  const mayAct = table && mayChange, mayOpen = table && (mayChange || board.own.isOwn);
  const line = (title, name, key, run, second) => choice({title, second, name, key, run});
  return sheet(board.name,
    () => [mayAct && line(word('undo'), 'undo', 'u', () => actions.undo(), word('undo.more')),
      mayAct && line(word('redo'), 'redo', 'U', () => actions.redo()),
      mayAct && line(word('recall'), 'archivebox', 'r', () => actions.recallList(), word('recall.more')),
      table && line(word('find'), 'magnifyingglass', '/', () => board.find.open(), word('find.more')),
      table && line(word('totals'), 'list', '#', () => board.totals.open(), word('totals.more')),
      table && line(word('history'), 'clock', null, () => actions.history()),
      mayAct && line(word('pause.title'), 'clock', 'p', () => pauseSheet(board)),
      mayOpen && actions.canOpenAll && line(word('openAll'), 'arrow.down', '+', () => actions.openAll(true)),
      mayOpen && line(word('closeAll'), 'arrow.up', '-', () => actions.openAll(false)),
      line(word('screen'), 'gear', null, () => showScreen(board), word('screen.more')),
      board.session.device?.role === 'admin'
        && line(word('devices'), 'phone', null, () => showDevices(board), word('devices.more')),
      line(word('keys'), 'questionmark', '?', () => showKeys()),
      line(word('boards.other'), 'list', null, () => location.assign('/?boards')),
  ]);
}
