/** The ⋯ of a row: everything that swiping and dragging do, by single taps. And the ⋯ of the board. */
import {claimSaid, standing} from './content.js';
import {contrast, color} from './dom.js';
import {showKeys} from './dialogs.js';
import {showDevices} from './devices.js';
import {isPinned, near, spanOf, stepsOf} from './places.js';
import {refusalSaid} from './says.js';
import {pauseSheet, snoozeOrWake} from './work.js';
import {showScreen} from './screen.js';
import {choice, group, sheet} from './sheet.js';
import {statesOf} from '../model/read.js';
import {word} from './words.js';

/** Opens the menu of a row. `part`: "move" or "item" for that part only. */
export function rowMenu(board, row, part, item) {
  const face = board.actions.faceOf(row), title = face.title || row.id;
  if (part === 'move') return sheet(word('row.move', {row: title}), (close) => moves(board, row, close));
  if (part === 'item') return sheet(itemTitle(row, item), (close) => itemChoices(board, row, item, close));
  return sheet(title,
    (close) => [...standing(face),
      ...acts(board, row, close),
      ...states(board, row, close),
      ...items(board, row, close),
      ...(board.canMove(row) ? [group(word('move')), ...moves(board, row, close)] : []),
      ...others(board, row, close),
  ]);
}

function acts(board, row, close) {
  const {actions, table} = board;
  const all = actions.all(row);
  if (!board.mayChange) return [];
  if (table.editing) return all.length ? [group(refusalSaid({code: 'editing'}))] : [];
  return all.map(({action, edge}, index) => {
    const back = color(action.background);
    const bar = actions.barred(action, row);
    return choice({
      disabled: Boolean(bar),
      second: bar,
      title: action.title || action.id,
      name: action.icon || 'checkmark',
      destructive: action.role === 'destructive',
      key: index < 9 ? String(index + 1) : null,
      color: back,
      front: back ? color(action.foreground) ?? contrast(back) : null,
      run: () => {
        close();
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

function states(board, row, close) {
  const list = statesOf(row, board.table.kinds.get(row.kind));
  if (list.length < 2 || !(board.mayChange || board.own.isOwn)) return [];
  const now = board.own.shown(row).expand ?? 'collapsed';
  const name = (state) =>
    ({collapsed: word('row.close'), expanded: word('row.openIt')}[state] ?? word('row.show', {state}));
  return list.filter((state) => state.name !== now).map((state) => choice({
    title: name(state.name),
    name: state.name === 'collapsed' ? 'arrow.up' : 'arrow.down',
    run: () => {
      close();
      board.actions.expand(row, state.name);
    },
  }));
}

function items(board, row, close) {
  const list = row.items ?? [];
  if (!list.length) return [];
  return [
    group(word('items')), ...list.map((item) => choice({
      title: item.title || item.id,
      name: 'tag',
      run: () => {
        close();
        board.actions.select(board.table.row(row.id) ?? row, item.id);
      },
    }))
  ];
}

function itemTitle(row, id) { return (row.items ?? []).find((one) => one.id === id)?.title || id; }

function itemChoices(board, row, id, close) {
  const kind = board.actions.itemKind(row, id);
  const tap = choice({
    title: word('tap'),
    name: 'checkmark',
    run: () => {
      close();
      board.actions.send({select: {row: row.id, item: id}});
    },
  });
  return [
    tap, ...(kind?.menu ?? []).map((action) => choice({
      disabled: Boolean(board.actions.barred(action, row)),
      second: board.actions.barred(action, row),
      title: action.title || action.id,
      name: action.icon || 'checkmark',
      destructive: action.role === 'destructive',
      run: async () => {
        close();
        if (!present(board, row)) return;
        const {confirmAct} = await import('./dialogs.js');
        if (action.confirm && !(await confirmAct(board, action, itemTitle(row, id)))) return;
        const body = {row: row.id, action: action.id, item: id};
        if (action.confirm) body.confirmed = true;
        const reply = await board.actions.send({act: body, ifVersion: action.repeat ? undefined : row.version});
        if (reply.ok) board.actions.undoable(action.title || action.id, itemTitle(row, id), reply);
      },
    }))
  ];
}

function moves(board, row, close) {
  const {table, actions} = board;
  const section = table.sectionOf(row.id);
  const rows = table.sections.find((one) => one.id === section)?.rows ?? [];
  const at = rows.findIndex((one) => one.id === row.id);
  const go = (place) => () => {
    close();
    actions.move(row, place);
  };
  const list = [];
  const isFixed = (one) => isPinned(table, one);
  const span = spanOf(rows, at, isFixed), {up, down} = stepsOf(rows, board.lists[0]?.gathered, row.id, isFixed);
  if (up) list.push(choice({title: word('move.up'), name: 'arrow.up', run: go(up)}));
  if (span.top) list.push(choice({title: word('move.top'), name: 'arrow.up', run: go({section, top: true})}));
  if (down) list.push(choice({title: word('move.down'), name: 'arrow.down', run: go(down)}));
  if (span.bottom && down)
    list.push(choice({title: word('move.bottom'), name: 'arrow.down', run: go({section, bottom: true})}));
  for (const one of table.sections) {
    if (one.id === section) continue;
    list.push(choice({
      title: word('move.to', {section: one.title || one.id}),
      name: 'arrow.right',
      run: go({section: one.id, bottom: true})
    }));
  }
  if (table.size > 1) {
    list.push(choice({
      title: word('move.before'),
      name: 'list',
      run: () => {
        close();
        before(board, row);
      }
    }));
  }
  return list;
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
    (close) => [...here, ...rest]
      .flatMap((one) => [group(one.title || one.id),
                 ...rowsOf(one).map((each) => choice({
                   title: each.title || each.id,
                   run: () => {
                     close();
                     board.actions.move(row, {before: each.id});
                   },
                 })),
  ]).slice(0, 200));
}

function others(board, row, close) {
  const {actions} = board;
  const list = [group(word('more'))];
  if (board.mayChange) {
    list.push(choice({
      title: word('edit'),
      second: word('edit.more'),
      name: 'pencil',
      run: () => {
        close();
        const now = present(board, row);
        if (now) actions.change(now);
      },
    }));
    const theirs = row.claim && !actions.isMine(row.claim);
    list.push(choice({
      title: theirs ? claimSaid(row.claim) :
        row.claim   ? word('claim.end') :
                      word('claim'),
      name: 'person',
      second: theirs ? null : row.claim?.note,
      disabled: theirs,
      run: () => {
        close();
        actions.claim(row);
      },
    }));
    list.push(choice({
      title: word(row.sleep ? 'menu.wake' : 'menu.snooze'),
      name: 'clock',
      key: 's',
      run: () => {
        close();
        snoozeOrWake(board, row);
      },
    }));
  }
  if (board.marks.canMark(row)) {
    const isMarked = board.marks.has(row.id);
    list.push(choice({
      title: word(isMarked ? 'mark.end' : 'mark'),
      second: isMarked ? null : word('mark.more'),
      name: 'checkmark',
      run: () => {
        close();
        if (present(board, row)) board.marks.toggle(row.id);
      },
    }));
  }
  list.push(choice({
    title: word('history.row'),
    name: 'clock',
    run: () => {
      close();
      actions.history(row);
    }
  }));
  return list;
}

/** The ⋯ of the board. */
export function boardMenu(board) {
  const {actions, table, mayChange} = board;
  return sheet(board.name, (close) => {
    const go = (run) => () => {
      close();
      run();
    };
    return [
      ...(table && mayChange ?
          [
            choice(
              {title: word('undo'), second: word('undo.more'), name: 'undo', key: 'u', run: go(() => actions.undo())}),
            choice({title: word('redo'), name: 'redo', key: 'U', run: go(() => actions.redo())}),
            choice({
              title: word('recall'),
              second: word('recall.more'),
              name: 'archivebox',
              key: 'r',
              run: go(() => actions.recallList())
            }),
          ] :
          []),
      ...(table ?
          [
            choice({
              title: word('find'),
              second: word('find.more'),
              name: 'magnifyingglass',
              key: '/',
              run: go(() => board.find.open()),
            }),
            choice({
              title: word('totals'),
              second: word('totals.more'),
              name: 'list',
              key: '#',
              run: go(() => board.totals.open()),
            }),
            choice({title: word('history'), name: 'clock', run: go(() => actions.history())}),
            mayChange
              && choice({title: word('pause.title'), name: 'clock', key: 'p', run: go(() => pauseSheet(board))}),
          ] :
          []),
      ...(table && (mayChange || board.own.isOwn) ?
          [
            actions.canOpenAll
              && choice({title: word('openAll'), name: 'arrow.down', key: '+', run: go(() => actions.openAll(true))}),
            choice({title: word('closeAll'), name: 'arrow.up', key: '-', run: go(() => actions.openAll(false))}),
          ] :
          []),
      choice({
        title: word('screen'),
        second: word('screen.more'),
        name: 'gear',
        run: go(() => showScreen(board)),
      }),
      board.session.device?.role === 'admin' && choice({
        title: word('devices'),
        second: word('devices.more'),
        name: 'phone',
        run: go(() => showDevices()),
      }),
      choice({title: word('keys'), name: 'questionmark', key: '?', run: go(() => showKeys())}),
      choice({title: word('boards.other'), name: 'list', run: () => location.assign('/?boards')}),
    ];
  });
}
