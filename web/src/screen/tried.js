/** Sentences about an action that has failed and is tried again. */
import {formed} from '../layout/rowface.js';
import {clockOf} from './content.js';
import {number, word} from './words.js';

/** The invocation of a pending action, if an attempt of it has failed; else nothing. */
export function triedAgain(one, table) {
  const invocation = one.state === 'pending' ? table?.invocations.get(one.invocation) : undefined;
  return invocation?.failure ? invocation : undefined;
}

/** Which attempt comes, and when: "again at 14:02 (2 of 3)". */
export function nextSaid({failure, attempts, holder, retries}) {
  const failed = (attempts ?? 0) - (holder === undefined ? 0 : 1);
  const at = formed(String(failure.dueMs ?? 0), 'clock', clockOf(failure.dueMs ?? 0));
  const said = {time: at, attempt: number(failed + 1), most: number(retries?.attempts ?? 1)};
  return word(failure.over ? 'tried.now' : 'tried.at', said);
}
