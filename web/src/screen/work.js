/** Sheets about when work is done: a row that is put off, and new work that is paused. */
import {el} from './dom.js';
import {choice, sheet} from './sheet.js';
import {about, within, word} from './words.js';

const MINUTES = [5, 10, 30, 60, 120];

/** Asks for how long rows are put off, or until what time. `title`: what the sheet says; `run` gets `{forMs}` or `{untilMs}`. */
export function snoozeSheet(board, title, run) {
  return sheet(title, (close) => {
    const time = el('input', {type: 'time', name: 'until', required: true});
    return [
      ...MINUTES.map((minutes) => choice({
        title: word('snooze.for', {span: about(minutes * 60)}),
        name: 'clock',
        run: () => run({forMs: minutes * 60000}),
      })),
      el('form', {
        submit: (event) => {
          event.preventDefault();
          close();
          run({untilMs: nextMs(time.value, board.now())});
        },
      },
        el('label', {class: 'field'}, word('snooze.time'), time),
        el('div', {class: 'answers'}, el('button', {class: 'answer main', type: 'submit', text: word('snooze.set')}))),
    ];
  });
}

/** When a time of the day comes next on this screen, for a daemon whose clock says `nowMs`. */
export function nextMs(time, nowMs) {
  const [hours, minutes] = time.split(':').map(Number);
  const next = new Date(nowMs);
  next.setHours(hours, minutes, 0, 0);
  if (next.getTime() <= nowMs) next.setDate(next.getDate() + 1);
  return next.getTime();
}

/** Puts a row off for as long as is chosen, or wakes one that sleeps. */
export function snoozeOrWake(board, row) {
  const send = (end) => board.actions.send({snooze: {rows: [row.id], ...end}});
  if (row.sleep) send();
  else snoozeSheet(board, word('menu.snooze'), send);
}

/** The words for what a pause is about. */
export function pausedSaid(board, {action, section}) {
  const name = section && (board.table?.sections.find((one) => one.id === section)?.title || section);
  if (action) return section ? word('pause.both', {action, section: name}) : action;
  return section ? word('pause.section', {section: name}) : word('pause.all');
}

/** Goes on with what is paused: at once with the only pause there is, else with the one that is chosen. */
export function resume(board) {
  const [first, ...others] = board.table?.settings?.pauses ?? [];
  if (others.length > 0) pauseSheet(board);
  else if (first) board.actions.send({pause: ending(first)});
}

/** The command's words that end this pause. Those of the whole board end all that there are. */
function ending({section, action}) { return {...(section && {section}), ...(action && {action}), resume: true}; }

/** Asks what is paused, and why: everything, or a section; and which pause ends. */
export function pauseSheet(board) {
  return sheet(word('pause.title'), () => {
    const why = el('input', {type: 'text', name: 'why', maxlength: 200, autocomplete: 'off', dir: 'auto'});
    const send = (pause) => board.actions.send({pause});
    const pauses = board.table.settings?.pauses ?? [];
    const isPaused = (section) => pauses.some((one) => one.section === section && !one.action);
    const ended = pauses.filter(({section, action}) => section || action);
    if (pauses.length > 1 || pauses.length > ended.length) ended.push({});
    const begin = (title, scope) => choice({
      title,
      name: 'clock',
      run: () => send({...scope, note: why.value.trim()}),
    });
    return [
      ...ended.map((one) => choice({
        title: word('pause.end', {what: within(pausedSaid(board, one))}),
        name: 'checkmark',
        run: () => send(ending(one)),
      })),
      el('label', {class: 'field'}, word('pause.why'), why),
      !isPaused(undefined) && begin(word('pause.all'), {}),
      ...board.table.sections.filter(({id}) => !isPaused(id))
        .map(({id}) => begin(pausedSaid(board, {section: id}), {section: id})),
    ];
  });
}
