// Says which rows fit conditions, for a test that holds three languages against each other: a table's snapshot, a
// time and conditions come as JSON on standard input, and the rows of each go out.

import {readFileSync} from 'node:fs';

import {rowPredicate} from '../../web/src/model/predicate.js';
import {tableOf} from './example_tables.mjs';

const {reply, nowMs, conditions} = JSON.parse(readFileSync(0, 'utf8'));
const table = tableOf('board', [reply]);
const found = conditions.map((text) => rowPredicate(text)(table, {nowMs, zoneSeconds: 0}));
process.stdout.write(JSON.stringify(found));
