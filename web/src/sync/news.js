// Publications of a table, before anything is made of them.

import * as check from '../model/check.js';

// A slash, controls: no table is called so, and no frame has them in its head.
const NO_NAME = /[\u0000-\u001f\u007f-\u009f/]/;

/** Whether a table may have this name. */
export function isTableName(name) { return name !== '' && name.length <= 128 && !NO_NAME.test(name); }

const head = check.maybe(check.shape('a head', {revision: check.maybeWhole}));

/** Throws `Wrong` for what is no publication. */
export const publication = check.shape('a publication', {
  history: check.maybeText,
  epoch: check.text,
  diffs: check.listOf((diff) => check.object(diff, 'a diff')),
  heartbeat: head,
  welcome: head,
});
