// Publications of a table, before anything is made of them.

import * as check from '../model/check.js';

// A slash, controls: no table is called so, and no frame has them in its head.
const NO_NAME = /[\u0000-\u001f\u007f-\u009f/]/;

/** Whether a table may have this name. */
export function isTableName(name) { return name !== '' && name.length <= 128 && !NO_NAME.test(name); }

/** Throws `Wrong` for what is no publication. */
export function publication(news) {
  check.object(news, 'a publication');
  check.maybeText(news.history, 'a history');
  check.text(news.epoch, 'an epoch');
  check.list(news.diffs, 'diffs').forEach((diff) => check.object(diff, 'a diff'));
  for (const head of [news.heartbeat, news.welcome]) {
    if (head) check.maybeWhole(check.object(head, 'a head').revision, 'a revision');
  }
}
