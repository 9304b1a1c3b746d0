// A board that is followed, and a command that is sent, without a page:
//
//     trestle-serve pair --name bot --role operator       # prints a link
//     node web/examples/headless.mjs LINK TABLE TITLE
//
// It adds a row and says how the table has changed, until the row is there.

import {shown} from 'trestle-board';
import {connect, pair} from 'trestle-board/node';

const [link, name, title] = /** @type {any} */ (globalThis).process.argv.slice(2);
if (!link || !name || !title) throw new Error('node headless.mjs LINK TABLE TITLE');
const {origin, hash} = new URL(link);
const session = connect({origin, cookie: await pair(origin, hash.slice(1)), name: 'bot'});
const board = session.follow(name);

/** A promise that something is so, looked at whenever something has changed. */
function until(/** @type {() => boolean} */ isSo) {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return;
      stop();
      resolve(undefined);
    };
    const stop = session.onChange(look);
    look();
  });
}

await until(() => board.freshness().state === 'live');
console.log(`${name}: ${board.table?.size} rows at revision ${board.table?.revision}`);
board.onDiffs((all) => {
  for (const {revision, cause, rows} of all) console.log(revision, cause.verb, rows.map((row) => row.id).join(' '));
});
const reply = await board.send({add: {title, fields: {from: 'node'}}});
if (!reply.ok) throw new Error(reply.error?.message);
const id = reply.rows?.[0]?.row ?? '';
await until(() => board.table?.row(id) !== undefined);
const row = board.table?.row(id);
console.log(shown(row?.title ?? ''), row?.fields?.from, 'in', board.table?.sectionOf(id));
session.close();
