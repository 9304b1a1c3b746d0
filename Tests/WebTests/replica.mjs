// What tests do with a replica at once. The page does it in steps, so that it stays responsive; and it never goes back.

import * as check from '../../web/src/model/check.js';
import {applyOp} from '../../web/src/model/ops.js';
import {Table} from '../../web/src/model/table.js';

const NOTHING = [].values();

/** Runs steps to their end, at once. */
export function runAll(steps) {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

Object.assign(Table.prototype, {
  /** The digest of what is here now. */
  computeDigest() { return runAll(this.digestSteps()); },

  /** The ops of a diff. Gives what changed. */
  applyOps(diff) { return runAll(this.opSteps(diff)); },

  /** Applies a diff and compares the digest. Gives what changed. */
  apply(diff) {
    const changed = this.applyOps(diff);
    this.settle(diff, this.computeDigest());
    return changed;
  },

  /** A way back, as `rewind` gives them (section 20): on a copy. */
  rewind(step) {
    this.time = 0;
    this.stamp += 1;
    const revision = step.revision;
    for (const op of check.list(step.ops, 'ops')) {
      runAll(applyOp(this, op, revision) ?? NOTHING);
      // A row has the version again that it had then.
      const {insert, restore} = op;
      if (insert) this.touch(insert.row.id).version = insert.row.version;
      if (restore) this.touch(restore.row).version = restore.version ?? 0;
    }
    this.orderInvocations();
    this.settle({base: revision - 1, digest: step.digest}, this.computeDigest());
  },

  /** Another table with the same content. Rows are shared, since none is changed in place. */
  copy() {
    const other = new Table(this.name);
    for (const key of ['history', 'epoch', 'revision', 'digest', 'settings', 'editing']) {
      other[key] = this[key];
    }
    other.kinds = new Map(this.kinds);
    other.invocations = new Map(this.invocations);
    for (const section of this.sections) {
      const mine = other.addSection(section.id, section.title);
      for (const row of section.rows) {
        const {hi, lo, known} = this.entries.get(row.id);
        Object.assign(other.push(mine, row), {hi, lo, known});
      }
    }
    return other;
  },
});
