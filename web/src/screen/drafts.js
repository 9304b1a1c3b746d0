/** Drafts are texts that were typed and not sent yet. The device keeps them until they are sent or thrown away, also over a reload. */
const KEPT = 'trestle.drafts';
/** The oldest drafts go where there would be more. */
const MOST = 50;
/** Where the device keeps nothing, they live as long as this page. */
let here = [];

function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.key === 'string') : [];
  } catch {
    return here;
  }
}

function keep(drafts) {
  here = drafts.slice(-MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify(here));
  } catch { /* the device keeps nothing */
  }
}

export function draftOf(board, key) { return draftsOf(board).find((one) => one.key === key) ?? null; }

/** The drafts of a board, oldest first. */
export function draftsOf(board) { return all().filter((one) => one.board === board); }

const isOther = (board, key) => (one) => one.board !== board || one.key !== key;

export function keepDraft(board, key, draft) { keep([...all().filter(isOther(board, key)), {...draft, board, key}]); }

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

export function dropDraft(board, key) { keep(all().filter(isOther(board, key))); }

/** Forgets all: this device was let go. */
export function forgetDrafts() {
  here = [];
  try {
    localStorage.removeItem(KEPT);
  } catch { /* nothing was kept */
  }
}
