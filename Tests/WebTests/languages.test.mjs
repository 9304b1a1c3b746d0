// The catalogues of the languages of page and terminal, and that everything people see is in them.

import assert from 'node:assert/strict';
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import test from 'node:test';

import {about, chosen, LANGUAGES, read, speak, span, ageSaid, within, word} from '../../web/src/screen/words.js';
import {spell} from '../../web/src/screen/dom.js';
import {faultSaid, reasonSaid} from '../../web/src/screen/says.js';
import {ownReason} from '../../web/src/model/reason.js';
import {predicate} from '../../web/src/model/predicate.js';

const folder = new URL('../../web/languages/', import.meta.url);
const screen = new URL('../../web/src/screen/', import.meta.url);
const catalogue = (language) => JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8'));
const sources = readdirSync(screen).map((file) => [file, readFileSync(new URL(file, screen), 'utf8')]);

/** The names in braces of a message, and its plurals as [name, forms]. */
function slots(parts, found = {
  names: new Set(),
  plurals: []
}) {
  for (const part of parts) {
    if (typeof part === 'string' || part.name === '#') continue;
    found.names.add(part.name);
    if (!part.forms) continue;
    found.plurals.push(Object.keys(part.forms));
    for (const form of Object.values(part.forms)) slots(form, found);
  }
  return found;
}

test('each file is a language, and each language has every message with the same values in it', () => {
  assert.deepEqual(readdirSync(folder).sort(), LANGUAGES.map((one) => `${one}.json`).sort());
  const english = catalogue('en');
  for (const language of LANGUAGES) {
    const messages = catalogue(language);
    assert.deepEqual(Object.keys(messages), Object.keys(english).sort(), language);
    const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(messages)) {
      const {names, plurals} = slots(read(message));
      assert.deepEqual([...names].sort(), [...slots(read(english[key])).names].sort(), `${language} ${key}`);
      for (const forms of plurals) {
        const strange = forms.filter((one) => !one.startsWith('=') && !wanted.includes(one));
        assert.deepEqual(strange, [], `${language} ${key}`);
        // The form "many" of Romance languages is of millions, which are said as all others.
        const missing = wanted.filter((one) => !forms.includes(one) && one !== 'many');
        assert.deepEqual(missing, [], `${language} ${key}`);
      }
      // A terminal has English quotes of typewriters.
      const isTyped = language === 'en' && key.startsWith('terminal.');
      assert.doesNotMatch(message, isTyped ? /\.\.\.|^\s|\s$/ : /["']|\.\.\.|^\s|\s$/,
        `${language} ${key}: typographic quotes, one sign of omission`);
    }
  }
});

test('each message is used, and what is used is a message', () => {
  const known = new Set(Object.keys(catalogue('en')));
  const text = sources.map(([, source]) => source).join('\n');
  const used = new Set([...text.matchAll(/'([a-zA-Z]+(?:\.[a-zA-Z]+)*)'/g)].map(([, key]) => key));
  for (const [, key] of text.matchAll(/\bword\(\s*'([^']+)'/g)) assert.ok(known.has(key), key);
  // The rest of a key of these families is computed.
  const families =
    /^(refusal|reason|fault|landed|story|putDown|role|key|fresh|notify|screen\.(view|away|theme|sound)|terminal)\./;
  assert.deepEqual([...known].filter((key) => !used.has(key) && !families.test(key)), []);
});

/** The texts of a source that stand between quotes: comments, and the code in a template, are left out. */
function literals(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<![:'"\\}])\/\/.*$/gm, '');
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, plain, template]) => plain ?? template.replace(/\$\{[^}]*\}/g, ''));
}

/** Literals that look like words for people and are none. */
const NOT_SAID = new Set([
  'Arrow', 'Enter', 'Escape', 'Delete', 'Insert', 'Tab', 'Home', 'End', 'Space', 'Esc', 'Home End, g G', 'Trestle Sans',
  ' · Trestle', 'no other script', 'content-type', 'application/json'
]);

test('what people see is in the catalogue: no sentence stands in the code', () => {
  const found = [];
  for (const [file, source] of sources) {
    // The one has names of icons, the other what a message must be.
    if (['icons.js', 'words.js'].includes(file)) continue;
    const lines = source.split('\n').filter((line) => !/^import |^\} from /.test(line)).join('\n');
    for (const text of literals(lines)) {
      if (NOT_SAID.has(text) || /px|rgb\(|calc\(/.test(text)) continue;
      const isSentence = /^[A-Z][a-z]+($|[ ,.:…])|[a-z]+ [a-z]+ [a-z]+|[a-z]{3,} .*[.…?!]$/.test(text);
      if (isSentence) found.push(`${file}: ${text}`);
    }
    for (const [, name, text] of source.matchAll(/\b(text|title|second|placeholder|'aria-label'|alt): '([^']+)'/g))
      found.push(`${file}: ${name} ${text}`);
  }
  assert.deepEqual(found, []);
});

test('the reasons of our own programs are those of the page, and each language says them', () => {
  const page =
    readFileSync(new URL('../../docs/PROTOCOL.md', import.meta.url), 'utf8').split('### Reasons')[1].split('###')[0];
  const forms = [...page.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)].map(([, key, form]) => [key, form]);
  assert.equal(forms.length, 6);
  for (const language of LANGUAGES) {
    speak(language, catalogue(language));
    for (const [key, form] of forms) {
      const [, name] = /\{(\w+)\}/.exec(form) ?? [], reason = form.replace(/\{\w+\}/, '30');
      assert.deepEqual(ownReason(reason), {key, values: name ? {[name]: '30'} : {}});
      assert.notEqual(reasonSaid(reason), reason);
      assert.doesNotMatch(reasonSaid(reason), /^reason\./, `${language} ${key}`);
    }
  }
  // A program that begins as ours do and goes on has words of its own.
  const others = [
    'no paper', 'exit status ', 'handler  was lost?', '', 'exit status 2: paper jam in tray 1',
    'exit status 1234567890', 'exit status -1', 'exit status 2\n', 'killed by signal 9 (out of memory)',
    'killed by signal ٩', 'deadline: not finished within reach of the printers', 'deadline: not finished within 1e3 s',
    'deadline: not finished within  s', 'deadline: not finished within . s', 'deadline: not finished within Infinity s'
  ];
  for (const other of others) {
    assert.equal(ownReason(other), null, other);
    assert.equal(reasonSaid(other), other);
  }
  speak('en', catalogue('en'));
  assert.equal(reasonSaid('deadline: not finished within 0.5 s'), word('reason.late', {span: about(0.5)}));
});

test('the language is what people read first of those that there are, or what they chose', () => {
  assert.equal(chosen('auto', ['pt-BR', 'de-AT', 'en']), 'de');
  assert.equal(chosen('auto', ['AR-eg']), 'ar');
  assert.equal(chosen('auto', ['pt', 'it']), 'en');
  assert.equal(chosen('ja', ['de']), 'ja');
  assert.equal(chosen('xx', []), 'en');
});

test('messages have values, plurals and numbers; what is none is refused', () => {
  speak('en', {
    a: '{who} has {count, plural, =0 {no rows} one {# row} other {# rows}} #{n}',
    b: '{one, plural, one {# x} other {# xs}} · {two, plural, one {# y} other {# ys}}',
  });
  assert.equal(word('a', {who: 'Ana', count: 1, n: 1200}), 'Ana has 1 row #1,200');
  assert.equal(word('a', {who: '{x}', count: 0}), '{x} has no rows #');
  assert.equal(word('b', {one: 1, two: 1000}), '1 x · 1,000 ys');
  assert.equal(word('none'), 'none');
  for (const wrong of ['{', '{a', 'a}', '{a, plural, one {x}}', '{a, select, x {y}}', '{a, plural, other {x}']) {
    assert.throws(() => read(wrong), SyntaxError, wrong);
  }
});

test('Arabic has six plurals, Western digits, and names with a direction of their own', () => {
  speak('ar', catalogue('ar'));
  const rows = [0, 1, 2, 3, 11, 100].map((count) => word('rows', {count}));
  assert.deepEqual(rows, ['لا صفوف', 'صف واحد', 'صفان', '3 صفوف', '11 صفًا', '100 صف']);
  assert.equal(spell(word('move.to', {section: 'grill'})), 'إلى \u2068grill\u2069');
  assert.equal(
    spell(word('move.to', {section: 'x\u202ey'})), 'إلى \u2068x\\u202ey\u2069', 'a name cannot turn the sentence');
  assert.equal(spell('\u2068x'), '\\u2068x');
  const paused = word('pause.section', {section: 'grill'});
  assert.equal(spell(word('pause.end', {what: within(paused)})), 'متابعة: في \u2068grill\u2069');
  assert.equal(spell(word('pause.end', {what: paused})), 'متابعة: \u2068في grill\u2069', 'no mark is spelled out');
  assert.equal(ageSaid(65), '1:05');
  assert.equal(ageSaid(3900), '1 س 05');
});

test('ages and spans are said as each language does', () => {
  const said = LANGUAGES.map((language) => {
    speak(language, catalogue(language));
    const all = [span(42), span(3 * 3600 + 300), ageSaid(2 * 86400), word('late', {count: 2})];
    return all.map((one) => one.replace(/[\u00a0\u202f]/g, ' '));
  });
  assert.deepEqual(said, [
    ['42 sec', '3 hr 5 min', '2 d', '2 late'],
    ['42 Sek.', '3 Std., 5 Min.', '2 T', '2 zu spät'],
    ['42 s', '3 h 5 min', '2 d', '2 con retraso'],
    ['42 s', '3 h 5 min', '2 j', '2 en retard'],
    ['42 秒', '3 時間5 分', '2日', '遅れ 2'],
    ['42 ث', '3 س و5 د', '2 ي', 'متأخر: 2'],
  ]);
});

test('the faults of conditions are said in each language, and in English as conditions have them', () => {
  const vectors =
    JSON.parse(readFileSync(new URL('../TablePredicateTests/Vectors/predicates.json', import.meta.url), 'utf8'));
  const faultOf = (text) => {
    try {
      predicate(text);
    } catch (error) {
      return error;
    }
    return assert.fail(text);
  };
  const faults = vectors.faults.map(({text}) => faultOf(text));
  assert.ok(new Set(faults.map(({key}) => key)).size > 10);
  speak('en', catalogue('en'));
  assert.deepEqual(faults.map(faultSaid), vectors.faults.map(({message}) => message));
  speak('de', catalogue('de'));
  assert.deepEqual(faults.map(faultSaid).filter((said) => /expected|found|the end|stands here|^fault/.test(said)), []);
  assert.equal(faultSaid(faultOf('not ')), 'hier gehört ein Wert hin, nicht das Ende');
});

const terminal = ['TableTerminal', 'trestle/View'].flatMap((part) => {
  const folder = new URL(`../../Sources/${part}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.swift'))
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]);
});
/** The keys that the terminal asks for. The rest of a key that ends in a point is computed. */
const asked = terminal.flatMap(([, source]) => {
  const calls = [...source.matchAll(/\b(?:word|words|self|hint)\(\s*(?:[^()"]*\? )?"([^"]+)"(?:\s*:\s*"([^"]+)")?/g)];
  return calls.flatMap(([call, ...keys]) => keys.filter(Boolean).map(
                         (key) => (call.startsWith('hint') ? `hint.${key}` : key).replace(/\\\(.*/, '')));
});
/** Keys whose last part says what has happened to it. */
const COMPUTED =
  ['key.', 'command.', 'edit.on', 'edit.off', 'rows', 'refusal.', 'story.', 'fault.', 'putDown.', 'landed.', 'reason.'];
const isAsked = (key) => asked.includes(key) || COMPUTED.some((one) => key.startsWith(one));

test('each message of the terminal is used there, and what is used is a message', () => {
  const known = Object.keys(catalogue('en'));
  const own = known.filter((key) => key.startsWith('terminal.')).map((key) => key.slice('terminal.'.length));
  assert.deepEqual(own.filter((key) => !isAsked(key)), []);
  const all = new Set([...known, ...own]);
  assert.ok(asked.length > 150);
  assert.deepEqual(
    asked.filter((key) => !all.has(key) && ![...all].some((one) => /\.$/.test(key) && one.startsWith(key))), []);
});

test('what people see in the terminal is in the catalogue: no sentence stands in the code', () => {
  // Sentences of the command line about options and files are English, like all that scripts read.
  const OF_COMMANDS = ['ViewVerb.swift', 'ViewConfiguration.swift', 'TerminalDevice.swift', 'Catalogue.swift'];
  const found = [];
  for (const [file, source] of terminal) {
    if (OF_COMMANDS.includes(file) || /^Catalogue/.test(file)) continue;
    const code = source.replace(/\/\/.*$/gm, '').replace(/enum Problem[\s\S]*?\n    }\n/, '');
    for (const [, text] of code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)) {
      const said = text.replace(/\\\((?:[^()]|\([^()]*\))*\)/g, '');
      if (/^[A-Z][a-z]+($|[ ,.:…])|[a-z]+ [a-z]+|[a-z]{3,} .*[.…?!]$/.test(said)) found.push(`${file}: ${text}`);
    }
  }
  // The default keys of operations.
  assert.deepEqual(found.filter((one) => !/^Operation.swift: (\S{1,9} )+\S{1,9}$/.test(one)), []);
});

/** A language as the terminal has it: what it asks for, and the plurals of numbers. */
function swiftOf(language) {
  const all = catalogue(language), rules = new Intl.PluralRules(language);
  const messages = new Map();
  for (const [key, message] of Object.entries(all)) {
    const own = key.replace(/^terminal\./, '');
    if (own !== key || (isAsked(key) && !all[`terminal.${key}`] && !/^(key|command|edit)\./.test(key)))
      messages.set(own, message);
  }
  const plurals = Array.from({length: 200}, (_, number) => rules.select(number).replace('other', 'x')[0]).join('');
  const name = language[0].toUpperCase() + language.slice(1);
  const lines =
    [...messages].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, text]) => `        ${key}\t${text}`);
  return [
    `Catalogue${name}.swift`,
    `// Made by Tests/WebTests/languages.test.mjs from web/languages/${language}.json.\n// swift-format-ignore-file\n\n`
      +
      `extension Catalogue {\n    static let ${language} = Wording.Language(\n        code: "${language}",\n` +
      `        plurals: "${plurals}",\n        messages: #"""\n${lines.join('\n')}\n        """#)\n}\n`
  ];
}

test('the terminal has the messages of the catalogue; TRESTLE_WRITE=1 writes them into its sources', () => {
  const folder = new URL('../../Sources/TableTerminal/Languages/', import.meta.url);
  const files = new Map(LANGUAGES.map(swiftOf));
  files.set('Catalogue.swift',
    '// Made by Tests/WebTests/languages.test.mjs from web/languages.\n\n' +
      '/// The messages of page and terminal, as far as the terminal says them.\nenum Catalogue {\n' +
      `    static let languages = [${LANGUAGES.join(', ')}]\n}\n`);
  if (process.env.TRESTLE_WRITE) {
    for (const file of readdirSync(folder)) rmSync(new URL(file, folder));
    for (const [file, text] of files) writeFileSync(new URL(file, folder), text);
  }
  const there = new Map(readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
  assert.deepEqual([...there].sort(), [...files].sort());
});
