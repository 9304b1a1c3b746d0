// Two tables as snapshots have them, made of examples/kitchen.* and examples/menu.*.

import {readFileSync} from 'node:fs';

import {Joiner} from '../../web/src/model/join.js';
import {runAll} from './replica.mjs';

export const {kitchen, menu} = JSON.parse(readFileSync(new URL('example_tables.json', import.meta.url), 'utf8'));

/** A table of whole replies, at once. */
export function tableOf(name, replies) {
  const joiner = new Joiner(name);
  for (const reply of replies) runAll(joiner.add(reply));
  return runAll(joiner.verify());
}
