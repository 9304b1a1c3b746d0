// How long the page's core takes: `node Tests/WebTests/bench.mjs`. Medians, in milliseconds; the
// figures stand in docs/decisions/0027-page.md.

import {TableLayout} from '../../web/src/layout/table.js';
import {swipeFrames} from '../../web/src/layout/swipe.js';
import {Joiner} from '../../web/src/model/join.js';
import {Table} from '../../web/src/model/table.js';
import {Turns} from '../../web/src/sync/snapshots.js';
import {kitchen} from './example_tables.mjs';
import {Dice} from './dice.mjs';
import {runAll} from './replica.mjs';

const dice = new Dice('bench');
const WORDS = ['ribeye', 'medium', 'rare', 'burger', 'no', 'onions', 'salmon', 'table', 'extra', 'fries'];
const words = (n) => Array.from({length: n}, () => dice.pick(WORDS)).join(' ');

function median(count, f) {
  const times = Array
                  .from({length: count},
                    () => {
                      const begin = performance.now();
                      f();
                      return performance.now() - begin;
                    })
                  .sort((a, b) => a - b);
  return times[count >> 1];
}

/** The lines of a snapshot of so many rows, as the gateway gives them. */
function snapshotLines(count, expanded) {
  const table = new Table('t');
  Object.assign(table, {history: 'h', epoch: 'e', settings: kitchen.snapshot.settings});
  for (const kind of kitchen.snapshot.kinds) table.kinds.set(kind.id, kind);
  const sections = ['grill', 'fry', 'cold', 'pass'].map((id) => table.addSection(id, id));
  for (let n = 0; n < count; n++) {
    table.push(sections[n % 4], {
      id: `row-${n}`,
      kind: 'ticket',
      title: words(5),
      version: 1,
      createdMs: 1763715600000 + n,
      expand: dice.chance(expanded) ? 'expanded' : 'collapsed',
      swipe: 'closed',
      fields: {order: `${n}`, server: 'Ana', state: 'cooking', table: '12'}
    });
  }
  const digest = table.computeDigest();
  const rows = sections.flatMap((section) => section.rows.map((row) => [section, row]));
  const chunks = Math.ceil(rows.length / 1024);
  return Array.from({length: chunks}, (_, chunk) => {
    const slices = [];
    for (const [section, row] of rows.slice(chunk * 1024, (chunk + 1) * 1024)) {
      if (slices.at(-1)?.section !== section.id) slices.push({section: section.id, title: section.id, rows: []});
      slices.at(-1).rows.push(row);
    }
    return JSON.stringify({
      ok: true,
      history: 'h',
      epoch: 'e',
      snapshot: {
        id: 's',
        chunk,
        chunks,
        revision: 1,
        digest,
        ...(chunk ? {} : {kinds: kitchen.snapshot.kinds, settings: kitchen.snapshot.settings}),
        slices
      }
    });
  });
}

function join(lines) {
  const joiner = new Joiner('t');
  for (const line of lines) runAll(joiner.add(JSON.parse(line)));
  return runAll(joiner.verify());
}

/** The longest task when the same is done in turns. */
async function longestTask(lines) {
  let begin = performance.now(), longest = 0;
  const turn = () => {
    longest = Math.max(longest, performance.now() - begin);
    return new Promise((resolve) => {
      setImmediate(() => {
        begin = performance.now();
        resolve();
      });
    });
  };
  const turns = new Turns({clock: () => performance.now(), turn});
  const joiner = new Joiner('t');
  for (const line of lines) {
    await turns.next();
    await turns.run(joiner.add(JSON.parse(line)));
  }
  await turns.run(joiner.verify());
  await turn();
  return longest;
}

function diffs(table, count, makeOp) {
  return median(count, () => {
    const diff = {base: table.revision, cause: {timeMs: 1763715700000}, ops: [makeOp()]};
    table.applyOps(diff);
    const digest = table.computeDigest();
    table.settle({...diff, digest}, digest);
  });
}

const show = (what, ms) => console.log(`${what.padEnd(58)} ${ms.toFixed(ms < 10 ? 3 : 1).padStart(9)}`);

for (const count of [10000, 100000]) {
  const lines = snapshotLines(count, 0.3);
  const name = `${count / 1000},000 rows`;
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  console.log(`${name}, ${(bytes / 1e6).toFixed(1)} MB of JSON`);
  join(lines);
  show('  joined: parsed, checked, hashed', median(count > 20000 ? 3 : 9, () => join(lines)));
  show('  the longest task when it is joined in turns', await longestTask(lines));
  const table = join(lines);
  const row = () => `row-${dice.below(count)}`;
  show('  a diff: set', diffs(table, 301, () => ({set: {row: row(), title: words(4)}})));
  show('  a diff: move', diffs(table, 301, () => ({move: {rows: [row()], section: 'pass'}})));
  const layout = new TableLayout(table, {width: 400});
  show('  the first layout, expanded rows estimated', median(5, () => {
    layout.reset(table);
    return layout.contentHeight;
  }));
  show('  what a screen shows, first seen', median(51, () => layout.visible(dice.next() * layout.contentHeight, 1200)));
  show('  a diff, and what a screen shows then', diffs(table, 301, () => {
    layout.visible(5000, 1200);
    return {set: {row: row(), title: words(4)}};
  }));
  let turns = 0, longest = 0;
  for (let left = 1; left > 0; turns++) {
    const begin = performance.now();
    left = layout.measure(1000);
    longest = Math.max(longest, performance.now() - begin);
  }
  show(`  all expanded rows measured in ${turns} turns: the longest`, longest);
  const open = table.row('row-1');
  show('  frames of an open row',
    median(
      1001, () => swipeFrames({table, row: open, edge: 'trailing', height: 76, width: 400, pull: dice.next() * 200})));
}
