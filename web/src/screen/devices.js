/** The devices that were let in, for admins: letting in a screen that shows a code, names, and taking devices away. */
import {el, setText} from './dom.js';
import {choice, group, sheet} from './sheet.js';

const ROLES = {
  viewer: 'Only looks',
  operator: 'Changes and moves rows',
  handler: 'Takes and finishes actions',
  editor: 'Also defines sections and kinds',
  admin: 'May do everything',
};

/** Asks the gateway. Gives its answer, or a sentence that says why not. */
async function ask(body) {
  try {
    const sent = {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)};
    const answer = await fetch('/devices', body ? sent : {});
    const said = await answer.json().catch(() => ({}));
    return answer.ok ? {said} : {wrong: said.error?.message || 'The server did not say why it refuses.'};
  } catch {
    return {wrong: 'The server does not answer.'};
  }
}

export async function showDevices() {
  const {said, wrong} = await ask();
  const devices = Array.isArray(said?.devices) ? said.devices : [];
  return sheet('Devices',
    (close) => [wrong && el('p', {class: 'wrong', role: 'alert', text: wrong}),
      choice({
        title: 'Let a screen in',
        second: 'that shows a code',
        name: 'plus',
        run: () => {
          close();
          letIn();
        },
      }),
      group(devices.length === 1 ? 'One device' : `${devices.length} devices`),
      ...devices.map((one) => choice({
        title: one.isThis ? `${one.name} (this one)` : one.name,
        second: `${ROLES[one.role] ?? one.role} · since ${new Date(one.pairedAt * 1000).toLocaleDateString()}`,
        name: 'phone',
        run: () => {
          close();
          showDevice(one);
        },
      })),
  ]);
}

/** A form whose sentence says why something was refused. What was typed stays. */
function form(close, {fields, title, send, name = 'main'}) {
  const words = el('p', {role: 'status', class: 'wrong', hidden: true});
  const button = el('button', {class: `answer ${name}`, type: 'submit', text: title});
  const made = el('form', {}, ...fields, words, el('div', {class: 'answers'}, button));
  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const {wrong} = await ask(send());
    button.disabled = false;
    if (!wrong) {
      close();
      showDevices();
      return;
    }
    setText(words, wrong);
    words.hidden = false;
  });
  return made;
}

function letIn() {
  const code = el('input', {type: 'text', inputmode: 'numeric', autocomplete: 'off', required: true, maxlength: 9});
  const name = el('input', {type: 'text', autocomplete: 'off', required: true, maxlength: 64});
  const role = el('select', {},
    ...Object.entries(ROLES).map(([value, text]) => el('option', {value, text, selected: value === 'operator'})));
  return sheet('Let a screen in', (close) => form(close, {
    fields: [
      el('label', {class: 'field'}, 'The code on its screen', code),
      el('label', {class: 'field'}, 'Its name', name),
      el('label', {class: 'field'}, 'What it may do', role),
    ],
    title: 'Let it in',
    send: () => ({confirm: code.value.replace(/\D/g, ''), name: name.value.trim(), role: role.value}),
  }));
}

function showDevice(one) {
  const name = el('input', {type: 'text', autocomplete: 'off', required: true, maxlength: 64, value: one.name});
  return sheet(one.name,
    (close) => [form(close, {
      fields: [el('label', {class: 'field'}, 'Its name', name)],
      title: 'Rename it',
      send: () => ({rename: one.name, to: name.value.trim()}),
    }),
      el('p', {text: 'What it has taken stays with its former name.'}),
      form(close, {fields: [], title: 'Take it away', send: () => ({revoke: one.name}), name: 'destructive'}),
      el('p', {text: 'Its pages close at once, and it has to be let in anew.'}),
  ]);
}
