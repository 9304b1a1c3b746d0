/** The devices that were let in, for admins: letting in a screen that shows a code, names, and taking devices away. */
import {confirmAct} from './dialogs.js';
import {el, select, setText} from './dom.js';
import {ask} from './post.js';
import {refusalSaid} from './says.js';
import {choice, group, sheet} from './sheet.js';
import {day, word} from './words.js';

const ROLES = ['viewer', 'operator', 'handler', 'editor', 'admin'];
const roleSaid = (role) => (ROLES.includes(role) ? word(`role.${role}`) : role);

/** Asks the gateway. Gives its answer, or a sentence that says why not. */
async function askOf(body) {
  try {
    const {ok, said} = await ask('/devices', body);
    if (ok) return {said};
    return {wrong: said?.error?.code === 'badCode' ? word('devices.noCode') : refusalSaid(said?.error)};
  } catch {
    return {wrong: word('noAnswer')};
  }
}

export async function showDevices(board) {
  const {said, wrong} = await askOf();
  const devices = Array.isArray(said?.devices) ? said.devices : [];
  return sheet(word('devices'),
    () => [wrong && el('p', {class: 'wrong', role: 'alert', text: wrong}),
      choice({
        title: word('devices.letIn'),
        second: word('devices.letIn.more'),
        name: 'plus',
        run: () => letIn(board),
      }),
      group(word('devices.count', {count: devices.length})),
      ...devices.map((one) => choice({
        title: one.isThis ? word('devices.this', {name: one.name}) : one.name,
        second: word('devices.used', {role: roleSaid(one.role), day: day(one.usedAt * 1000)}),
        name: 'phone',
        run: () => showDevice(board, one),
      })),
  ]);
}

/** A form whose sentence says why something was refused. What was typed stays. `send`: what is asked for; false: nothing, after all. */
function form(board, close, {fields, title, send, name = 'main'}) {
  const words = el('p', {role: 'status', class: 'wrong', hidden: true});
  const button = el('button', {class: `answer ${name}`, type: 'submit', text: title});
  const made = el('form', {}, ...fields, words, el('div', {class: 'answers'}, button));
  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    const wanted = await send();
    if (wanted === false) return;
    button.disabled = true;
    const {wrong} = await askOf(wanted);
    button.disabled = false;
    if (!wrong) {
      close();
      showDevices(board);
      return;
    }
    setText(words, wrong);
    words.hidden = false;
  });
  return made;
}

function letIn(board) {
  const code =
    el('input', {type: 'text', inputmode: 'numeric', autocomplete: 'off', required: true, maxlength: 9, dir: 'ltr'});
  const name = el('input', {type: 'text', autocomplete: 'off', required: true, dir: 'auto', maxlength: 64});
  const role = select(ROLES.map((value) => [value, roleSaid(value)]), 'operator', () => {});
  return sheet(word('devices.letIn'), (close) => form(board, close, {
    fields: [
      el('label', {class: 'field'}, word('devices.code'), code),
      el('label', {class: 'field'}, word('devices.name'), name),
      el('label', {class: 'field'}, word('devices.role'), role),
    ],
    title: word('devices.let'),
    send: () => ({confirm: digitsOf(code.value), name: name.value.trim(), role: role.value}),
  }));
}

/** The digits of a text, by whatever keyboard they were typed: each script's ten stand one behind the other. */
export function digitsOf(text) {
  return [...text.matchAll(/\p{Nd}/gu)]
    .map(([one]) => {
      let before = 0;
      while (/\p{Nd}/u.test(String.fromCodePoint(one.codePointAt(0) - 1 - before))) before += 1;
      return before % 10;
    })
    .join('');
}

function showDevice(board, one) {
  const name =
    el('input', {type: 'text', autocomplete: 'off', required: true, dir: 'auto', maxlength: 64, value: one.name});
  const revoke = {title: word('devices.revoke'), role: 'destructive'};
  const said = {since: day(one.pairedAt * 1000), ends: day(one.endsAt * 1000), address: one.address || '–'};
  return sheet(one.name,
    (close) => [el('p', {text: word('devices.facts', said)}),
      form(board, close, {
        fields: [el('label', {class: 'field'}, word('devices.name'), name)],
        title: word('devices.rename'),
        // The name that it has is no other device's: nothing is asked for.
        send: () => (name.value.trim() === one.name ? null : {rename: one.name, to: name.value.trim()}),
      }),
      el('p', {text: word('devices.rename.more')}),
      form(board, close, {
        fields: [],
        title: revoke.title,
        send: async () => await confirmAct(board, revoke, one.name) === true && {revoke: one.name},
        name: revoke.role,
      }),
      el('p', {text: word('devices.revoke.more')}),
  ]);
}
