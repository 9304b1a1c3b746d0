import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';

import {ALSO, DOTS, iconName, PATHS} from '../../web/src/screen/icons.js';

const sources = new URL('../../Sources/', import.meta.url);

/** A file of Swift with a dictionary: the icons that a definition may name, in order. */
function swiftOf(type, comment, declaration, entry) {
  const lines = Object.keys(ALSO).flatMap((icon) => entry(icon) ?? []).map((line) => `        ${line},\n`);
  return `// Made by Tests/WebTests/icons.test.mjs from web/src/screen/icons.js.\n// swift-format-ignore-file\n\n` +
    `extension ${type} {\n    /// ${comment}\n    static let ${declaration} = [\n${lines.join('')}    ]\n}\n`;
}

const dot = ([x, y, radius]) => `Dot(x: ${x}, y: ${y}, radius: ${radius})`;

test('pictures and definitions have the icons of the page; TRESTLE_WRITE=1 writes them into their sources', () => {
  const paths = swiftOf('Icon', 'Commands of an SVG path, by the icon.', 'paths: [String: String]',
    (icon) => `"${icon}": "${PATHS[icon]}"`);
  const dots = swiftOf('Icon', 'The round dots of those that have any.', 'dots: [String: [Dot]]',
    (icon) => DOTS[icon] && `"${icon}": [${DOTS[icon].map(dot).join(', ')}]`);
  const names = swiftOf('IconName', 'The other names of each icon, sorted, with spaces between them.',
    'also: [String: String]', (icon) => `"${icon}": "${ALSO[icon]}"`);
  const files = [
    ['TablePictures/IconPaths.swift', paths + dots.slice(dots.indexOf('\nextension'))],
    ['TableValues/Kinds/IconNames.swift', names],
  ];
  for (const [file, text] of files) {
    if (process.env.TRESTLE_WRITE) writeFileSync(new URL(file, sources), text);
    assert.equal(readFileSync(new URL(file, sources), 'utf8'), text);
  }
});

test('each name is said once, and leads to its icon', () => {
  const all = Object.values(ALSO).flatMap((names) => names.split(' '));
  assert.deepEqual(all.filter((name, at) => all.indexOf(name) !== at || PATHS[name] !== undefined), []);
  for (const [icon, names] of Object.entries(ALSO)) {
    assert.ok(PATHS[icon] !== undefined);
    assert.deepEqual(names.split(' '), names.split(' ').sort());
    for (const name of names.split(' ')) assert.equal(iconName(name), icon);
  }
});
