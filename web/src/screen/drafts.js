/** Drafts are texts that were typed and not sent yet. The device keeps them until they are sent or thrown away, also over a reload. */
import {keep, kept} from './kept.js';

const KEPT = 'trestle.drafts';
/** The oldest drafts go where there would be more. */
const MOST = 50;
/** Where the device keeps nothing, they live as long as this page. */
let here = [];

function all() {
  const had = kept(KEPT);
  if (had === undefined) return here;
  return Array.isArray(had) ? had.filter((one) => typeof one?.key === 'string') : [];
}

function put(drafts) {
  here = drafts.slice(-MOST);
  keep(KEPT, here);
}

export function draftOf(board, key) { return draftsOf(board).find((one) => one.key === key) ?? null; }

/** The drafts of a board, oldest first. */
export function draftsOf(board) { return all().filter((one) => one.board === board); }

const isOther = (board, key) => (one) => one.board !== board || one.key !== key;

export function keepDraft(board, key, draft) { put([...all().filter(isOther(board, key)), {...draft, board, key}]); }

/** The key of a draft whose command is on its way. */
export function sentKey(command) { return `sent ${JSON.stringify(command)}`; }

/** A draft whose command is on its way is none any more, unless that is refused. Gives its key from now on; null: there is none. */
export function sendDraft(board, key, command) {
  const draft = draftOf(board, key);
  if (!draft) return null;
  const sent = sentKey(command);
  dropDraft(board, key);
  keepDraft(board, sent, {...draft, isSent: true});
  return sent;
}

export function dropDraft(board, key) { put(all().filter(isOther(board, key))); }

/** Forgets all: this device was let go. */
export function forgetDrafts() {
  here = [];
  keep(KEPT, null);
}
