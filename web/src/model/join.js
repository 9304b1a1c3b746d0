// A snapshot, chunk by chunk, becomes a table (docs/PROTOCOL.md, section 6).

import * as check from './check.js';
import {Wrong} from './hash.js';
import {Table} from './table.js';

/** Makes a table of the chunks of a snapshot (section 6), one after another. */
export class Joiner {
  constructor(name) {
    this.table = new Table(name);
    this.chunks = 0;
    this.next = 0;
  }

  get complete() { return this.next > 0 && this.next === this.chunks; }

  /** A whole reply with the next chunk. Yields the number of rows that were taken. */
  * add(reply) {
    const chunk = check.object(reply.snapshot, 'a snapshot');
    if ((chunk.chunk ?? 0) !== this.next) throw new Wrong('the chunks are in another order');
    if (this.next === 0) this.first(reply, chunk);
    else if (chunk.id !== this.id) throw new Wrong('the chunk is of another snapshot');
    this.next += 1;
    for (const part of check.list(chunk.slices, 'slices')) yield* this.slice(part);
    for (const one of check.list(chunk.invocations, 'invocations')) {
      check.invocation(one);
      this.table.invocations.set(one.id, one);
    }
  }

  first(reply, chunk) {
    const table = this.table;
    this.id = check.id(chunk.id, 'a snapshot');
    this.chunks = chunk.chunks;
    if (!Number.isSafeInteger(this.chunks) || this.chunks < 1 || this.chunks > 100_000) {
      throw new Wrong('the number of chunks is none');
    }
    table.history = check.id(reply.history, 'a history');
    table.epoch = check.id(reply.epoch, 'an epoch');
    check.maybeWhole(chunk.revision, 'a revision');
    table.revision = chunk.revision ?? 0;
    table.digest = check.digest(chunk.digest);
    table.settings = check.settings(chunk.settings);
    table.editing = chunk.editing === true;
    for (const kind of check.list(chunk.kinds, 'kinds')) table.kinds.set(check.kind(kind).id, kind);
  }

  * slice(part) {
    check.id(check.object(part, 'a slice').section, 'a section');
    check.maybeText(part.title, 'a title');
    const table = this.table;
    const last = table.sections[table.sections.length - 1];
    let section = last;
    if (!last || last.id !== part.section) {
      if (table.sectionById.has(part.section)) throw new Wrong('a section is there twice');
      section = table.addSection(part.section, part.title ?? '');
    }
    let count = 0;
    for (const row of check.list(part.rows, 'rows')) {
      table.push(section, check.row(row));
      count += 1;
      if (count % 64 === 0) yield 64;
    }
  }

  /** Compares the digest, a block at a time. Gives the table back. */
  * verify() {
    if (!this.complete) throw new Wrong('a chunk is missing');
    const digest = yield* this.table.digestSteps();
    if (digest !== this.table.digest) throw new Wrong('the digest is another one');
    return this.table;
  }
}
