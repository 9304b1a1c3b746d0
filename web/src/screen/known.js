/**
 * The board as this device knew it last, for a page that is opened while no server answers. It is shown in grey, and
 * nothing can be changed in it.
 */
import {Sifted} from '../model/find.js';
import {keep, kept} from './kept.js';

/** One board, the latest: a device has little room. */
const KEPT = 'trestle.known';
const MOST_ROWS = 1000;

export function keepKnown(name, table, at) {
  if (table.size > MOST_ROWS) return;
  const {history, revision, settings} = table;
  const sections = table.sections.map(({id, title, rows}) => ({id, title, rows}));
  const kinds = [...table.kinds.values()];
  keep(KEPT, {name, at, history, revision, settings, kinds, sections});
}

export function forgetKnown() { keep(KEPT, null); }

/** The board of this name as it was known, with `at`, the time of then; null: it is not known. */
export function knownOf(name) {
  try {
    const had = kept(KEPT);
    if (had?.name !== name) return null;
    const kinds = new Map(had.kinds.map((kind) => [kind.id, kind]));
    const table = {kinds, settings: had.settings, editing: false, sections: had.sections};
    const {at, history, revision} = had;
    return Object.assign(new Sifted(table, {}), {at, history, revision, invocations: new Map()});
  } catch {
    return null;
  }
}
