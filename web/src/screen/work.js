/** Sheets about when work is done: a row that is put off, and new work that is paused. */
import {el} from './dom.js';
import {choice, sheet} from './sheet.js';
import {about, word} from './words.js';

const MINUTES = [5, 10, 30, 60, 120];

/** Asks for how long a row is put off, or until what time. */
export function snoozeSheet(actions, row) {
  return sheet(word('menu.snooze'), (close) => {
    const put = (end) => {
      close();
      actions.snooze(row, end);
    };
    const time = el('input', {type: 'time', name: 'until', required: true});
    return [
      ...MINUTES.map((minutes) => choice({
        title: word('snooze.for', {span: about(minutes * 60)}),
        name: 'clock',
        run: () => put({forMs: minutes * 60000}),
      })),
      el('form', {
        on: {
          submit: (event) => {
            event.preventDefault();
            put({untilMs: nextMs(time.value, actions.board.now())});
          },
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

/** Asks what is paused, and why: everything, or a section. */
export function pauseSheet(board) {
  return sheet(word('pause.title'), (close) => {
    const why = el('input', {type: 'text', name: 'why', maxlength: 200, autocomplete: 'off'});
    const pause = (scope) => () => {
      close();
      board.actions.send({pause: {...scope, note: why.value.trim()}});
    };
    return [
      el('label', {class: 'field'}, word('pause.why'), why),
      choice({title: word('pause.all'), name: 'clock', run: pause({})}),
      ...board.table.sections.map(({id, title}) => choice({
        title: word('pause.section', {section: title || id}),
        name: 'clock',
        run: pause({section: id}),
      })),
    ];
  });
}
