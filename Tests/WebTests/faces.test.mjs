// The faces of rows, by the vectors that the programs are held against, and conditions by theirs.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import './english.mjs';
import {faultSaid} from '../../web/src/screen/says.js';
import {countsText, rowFace} from '../../web/src/layout/rowface.js';
import {appearanceOf, rowUnits} from '../../web/src/layout/rows.js';
import {allows, BadPredicate, groupCount, predicate, rowCondition, rowPredicate} from '../../web/src/model/predicate.js';

const root = new URL('../../', import.meta.url);
const vectors = (name) => JSON.parse(readFileSync(new URL(`Tests/${name}.json`, root), 'utf8'));

/** A kind as the daemon sends it, of one as in a kinds file. */
function kindOf({show, emphasis, margins, ages, appearance, ...rest}) {
  const kind = {id: 'k', ...rest};
  if (show) kind.show = {...show, ...(show.line ? {line: {parts: show.line}} : {})};
  if (emphasis) kind.emphasis = emphasis;
  if (margins !== undefined) kind.margins = {text: margins};
  if (ages) kind.ages = {late: 60};
  if (appearance) {
    kind.appearance = Object.entries(appearance).map(([state, background]) => ({state, background, tint: 'red'}));
  }
  return kind;
}

test('faces and heights of rows', () => {
  for (const {note, kind: given, row, nowMs, zoneSeconds, face, heights, ground} of vectors(
         'TableLayoutTests/Vectors/faces')
         .faces) {
    const kind = kindOf(given);
    if (face) {
      const found = rowFace(row, kind, {nowMs, zoneSeconds});
      assert.deepEqual({
        ...found,
        emphasised: found.emphasised.map(({text}) => text),
        details: found.details.map(({key, value}) => [key, value]),
        row: found.row?.background ?? null,
      },
        face, note);
    }
    if (ground !== undefined) {
      const found = appearanceOf(row, kind);
      assert.equal(found?.background ?? '', ground, note);
      assert.equal(found?.tint, kind.appearance?.some((one) => one.background === ground) ? 'red' : undefined, note);
    }
    for (const [width, profile, height] of heights ?? []) {
      assert.equal(rowUnits(row, kind, width, profile) / 1024, height, `${note}: ${width} ${profile}`);
    }
  }
});

const words = vectors('TablePredicateTests/Vectors/predicates');

function tableOf({rows, expanded}) {
  const made = rows.map((row, n) => ({
    ...row,
    kind: 'row',
    version: n + 1,
    ...(row.id === expanded ? {expand: 'expanded', version: n + 1} : {}),
  }));
  const names = [...new Set(rows.map(({section}) => section))];
  const sections = names.map((id) => ({id, rows: made.filter(({section}) => section === id)}));
  const sectionOf = (id) => made.find((row) => row.id === id)?.section;
  return {
    sections,
    sectionOf,
    revision: 5,
    size: made.length,
    editing: false,
    invocations: new Map(),
    row: (id) => made.find((row) => row.id === id),
    indexOf: (id) => sections.find((one) => one.id === sectionOf(id)).rows.findIndex((row) => row.id === id),
  };
}

test('predicates that are true, false, and of rows', () => {
  const table = tableOf(words);
  for (const text of words.true) assert.equal(predicate(text)(table), true, text);
  for (const text of words.false) assert.equal(predicate(text)(table), false, text);
  for (const {where, rows} of words.where) assert.deepEqual(rowPredicate(where)(table), rows, where);
});

test('guards of actions', () => {
  const table = tableOf(words);
  for (const {when, rows} of words.guards.hold) {
    const fitting = words.rows.filter(({id}) => allows({id: 'a', when}, table, id, words.guards.nowMs));
    assert.deepEqual(fitting.map(({id}) => id), rows, when);
  }
  assert.equal(allows({id: 'a', when: 'true'}, table, 'nobody', 0), false);
  assert.equal(allows({id: 'a'}, table, '1', 0), true);
});

/** The table of the vectors of groups. */
function groupTable() {
  const {kinds, rows} = words.groups;
  const sections = [...new Set(rows.map(({section}) => section))].map(
    (id) => ({id, rows: rows.filter(({section}) => section === id)}));
  const row = (id) => rows.find((one) => one.id === id);
  const sectionOf = (id) => row(id)?.section;
  return {
    kinds: new Map(kinds.map((kind) => [kind.id, kind])),
    sections,
    revision: 1,
    size: rows.length,
    row,
    sectionOf,
    indexOf: (id) => sections.find((one) => one.id === sectionOf(id)).rows.findIndex((one) => one.id === id),
  };
}

test('rows that belong together', () => {
  const table = groupTable();
  for (const {where, rows} of words.groups.where) {
    assert.deepEqual(rowPredicate(where)(table), rows, where);
    if (where.includes('(rows')) continue;
    const fitting = words.groups.rows.filter(({id}) => allows({id: 'a', when: where}, table, id, 0));
    assert.deepEqual(fitting.map(({id}) => id).sort(), rows.toSorted(), where);
  }
  for (const {name, of} of words.groups.counts) {
    for (const [id, count] of Object.entries(of))
      assert.equal(groupCount(name)(table, table.row(id)) ?? null, count, name);
  }
  for (const {text} of words.guards.faults) assert.equal(allows({id: 'a', when: text}, table, 'a', 0), false, text);
});

test('a row counts its group where its kind says so', () => {
  const table = groupTable();
  const kind = {
    id: 'ticket',
    show: {
      group: 'order',
      line: {parts: ['{count(group where section == "pass")} of {count(group)} ready', '{order}']},
      title: '{count(group)} {title}',
      badge: '{count(group)}'
    }
  };
  const face = (id, at = {table}) => rowFace({title: 'fries', ...table.row(id)}, kind, at);
  assert.deepEqual(face('a').line, ['1 of 3 ready', '7']);
  assert.equal(face('a').badge, '3');
  assert.equal(face('a').title, 'fries', 'heights go by titles, and must not depend on other rows');
  assert.deepEqual(face('f').line, [], 'it has no order');
  assert.deepEqual(face('d').line, ['8'], 'a row that stands alone counts nothing');
  assert.deepEqual(face('a', {}).line, ['0 of 0 ready', '7'], 'a line is as high where nobody counts');
  table.row('b').section = 'pass';
  table.sections[2].rows.push(table.sections[1].rows.shift());
  table.revision += 1;
  assert.deepEqual(face('a').line, ['2 of 3 ready', '7']);
  assert.equal(countsText(table, table.row('a'), kind), '2,3');
});

test('predicates that name times', () => {
  const {nowMs, zoneSeconds, kinds, rows, ...vectors} = words.timed;
  const table = {...tableOf({rows}), kinds: new Map(kinds.map((kind) => [kind.id, kind]))};
  table.row = (id) => rows.find((row) => row.id === id);
  table.sections = table.sections.map(({id}) => ({id, rows: rows.filter(({section}) => section === id)}));
  const clock = {nowMs, zoneSeconds};
  for (const text of vectors.true) assert.equal(predicate(text)(table, clock), true, text);
  for (const text of vectors.false) assert.equal(predicate(text)(table, clock), false, text);
  for (const {where, rows} of vectors.where) assert.deepEqual(rowPredicate(where)(table, clock), rows, where);
});

test('texts that are no predicates, with the place', () => {
  for (const {text, offset, message} of words.faults) {
    assert.throws(() => predicate(text), (error) => {
      assert.ok(error instanceof BadPredicate, `${text}: ${error}`);
      assert.equal(faultSaid(error), message, text);
      assert.equal(error.offset, offset, text);
      return true;
    });
  }
});

test('a condition on a row alone', () => {
  const row = {title: 'Soup', fields: {note: 'ALLERGY: dairy'}, expand: 'expanded'};
  for (const text
         of ['field.note ~ "ALLERGY"', 'title == "Soup"', 'state != "collapsed"', 'items == 0', 'not field.x == 1']) {
    assert.equal(rowCondition(text)(row), true, text);
  }
  for (const text of ['field.note', 'section == "x"', 'count(rows) > 0', 'version > 0', '']) {
    assert.equal(rowCondition(text)(row), false, text);
  }
});
