// The package: its types say what the code has, its example runs at a gateway, and a compiler takes both.

import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import test from 'node:test';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

import * as parts from '../../web/src/index.js';
import * as node from '../../web/src/node.js';

import {kitchen, tableOf} from './example_tables.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(root + path, 'utf8');
const WORDS = {
  'text': 'string',
  'bytes': 'string',
  '64 bits': 'string',
  'true or false': 'boolean',
  'number': 'number',
  'whole number': 'number',
  'whole number, also negative': 'number',
  'texts by name': 'Record<string, string>',
  'whole numbers by name': 'Record<string, number>',
  'numbers by name': 'Record<string, number>'
};
/** The messages that programs read and write; those inside them come with them. */
const WANTED = ['Row', 'Kind', 'Settings', 'Invocation', 'Diff', 'Command', 'Landing', 'Refusal'];
const ALWAYS = {
  Row: ['id', 'kind'],
  Kind: ['id', 'digest'],
  Invocation: ['id', 'row', 'action', 'digest'],
  Landing: ['row'],
  Diff: ['digest'],
  Performance: ['action', 'state'],
  StripItem: ['id'],
  Refusal: ['code', 'message']
};

/** The messages of docs/MESSAGES.md, as interfaces. */
function messages() {
  const page = read('docs/MESSAGES.md').split('<!-- Below')[1];
  const fields = new Map();
  for (const section of page.split(/^###? /m).slice(1)) {
    const name = section.slice(0, section.indexOf('\n')).trim();
    const found = [...section.matchAll(/^\| \*?\d+\*? \| `(\w+)` \| (.*?) \|/gm)];
    fields.set(name, found.map(([, field, value]) => {
      const item = value.replace(/^list: /, ''), link = item.match(/^\[(.+?)\]/)?.[1];
      const type = link ? link.replaceAll('.', '') : WORDS[item] ?? 'string';
      const given = ALWAYS[name]?.includes(field) ? '' : '?';
      return {link, line: `  ${field}${given}: ${type}${item === value ? '' : '[]'};\n`};
    }));
  }
  const needed = new Set(), left = [...WANTED];
  while (left.length) {
    const name = left.pop();
    if (needed.has(name)) continue;
    needed.add(name);
    left.push(...fields.get(name).flatMap(({link}) => link ?? []));
  }
  const head = '// Written by Tests/WebTests/types.test.mjs from docs/MESSAGES.md: TRESTLE_WRITE=1 writes it anew.\n';
  const interfaces = [...fields]
                       .filter(([name]) => needed.has(name))
                       .map(([name, all]) => `\nexport interface ${name.replaceAll('.', '')} {${
                              all.length ? '\n' : ''}${all.map(({line}) => line).join('')}}\n`);
  return head + interfaces.join('');
}

test('the types of messages are those of the page', () => {
  if (process.env.TRESTLE_WRITE) writeFileSync(`${root}web/messages.d.ts`, messages());
  assert.equal(read('web/messages.d.ts'), messages());
});

const typed =
  (path) => [...read(path).matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name).sort();
const members = (name) => {
  const [, body] =
    read('web/index.d.ts').match(new RegExp(`^export (?:interface|class) ${name} \\{\\n([^]*?)^\\}`, 'm'));
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)]
    .map(([, member]) => member)
    .filter((one) => one !== 'constructor');
};

test('what is typed is exported, and what is exported is typed', () => {
  assert.deepEqual(typed('web/index.d.ts'), Object.keys(parts).sort());
  assert.deepEqual(typed('web/node.d.ts'), Object.keys(node).sort());
});

test('what is typed of a session, a board, a replica and a layout is there', () => {
  const timers = {set: () => 0, clear: () => {}};
  const socket = () => ({send() {}, close() {}});
  const session = parts.openSession({url: 'ws://nowhere', socket, timers, fetch: null, storage: parts.memoryStorage()});
  const table = tableOf('kitchen', [kitchen]);
  const things = {
    Session: session,
    Board: session.follow('kitchen'),
    Table: table,
    TableLayout: new parts.TableLayout(table, {width: 320})
  };
  for (const [name, thing] of Object.entries(things)) {
    const found = members(name);
    assert.ok(found.length > 8, name);
    for (const member of found) assert.ok(member in thing, `${name}.${member}`);
  }
  session.close();
});

const tsc = spawnSync('tsc', ['--version']).status === 0;

test('a compiler takes the types and the example, strictly', {skip: !tsc && 'there is no tsc'}, () => {
  const given = [
    '--strict', '--noEmit', '--allowJs', '--checkJs', '--module', 'node16', '--moduleResolution', 'node16', '--target',
    'es2022', '--lib', 'es2022,dom'
  ];
  const done = spawnSync('tsc', [...given, 'examples/headless.mjs'], {cwd: `${root}web`, encoding: 'utf8'});
  assert.equal(done.stdout + done.stderr, '');
});

const serve = process.env.TRESTLE_SERVE ?? `${root}.build/gateway/release/trestle-serve`;
const bin = process.env.TRESTLE_BIN ?? `${root}.build/release`;
const isBuilt = existsSync(serve) && existsSync(`${bin}/trestled`);

for (const without of [[], ['--import', 'data:text/javascript,delete globalThis.MessageChannel']]) {
  test(
    `the example runs at a gateway ${without.length ? 'without MessageChannel' : ''}`, {skip: !isBuilt}, async () => {
      const folder = mkdtempSync(`${tmpdir()}/tb`);
      const endpoint = `ipc://${folder}/r.sock`;
      const daemon =
        spawn(`${bin}/trestled`, ['--endpoint', endpoint, '--state-directory', `${folder}/state`], {stdio: 'ignore'});
      const gateway = spawn(serve,
        [
          'run', '--listen', '127.0.0.1:0', '--web', `${root}web`, '-e', endpoint, '--state-directory',
          `${folder}/serve`
        ],
        {stdio: 'ignore'});
      try {
        while (!existsSync(`${folder}/r.sock`)) await setTimeout(20);
        execFileSync(`${bin}/trestle`, ['--endpoint', endpoint, 'create', 'kitchen']);
        const link =
          execFileSync(serve, ['pair', '--name', 'bot', '--role', 'editor', '--state-directory', `${folder}/serve`], {
            encoding: 'utf8',
            timeout: 20000
          }).split('\n')[0];
        const said =
          execFileSync(process.execPath, [...without, `${root}web/examples/headless.mjs`, link, 'kitchen', 'Soup'],
            {encoding: 'utf8', timeout: 20000});
        // The table has the row before or after the program is told of the diff.
        assert.deepEqual(
          said.split('\n').sort(), ['', '1 add r1', 'Soup node in main', 'kitchen: 0 rows at revision 0']);
      } finally {
        gateway.kill();
        daemon.kill();
        rmSync(folder, {recursive: true, force: true});
      }
    });
}
