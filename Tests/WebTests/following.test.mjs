// Joining by HTTP and by requests, a spoiled table, waking from sleep, strange orders: step by
// step.

import assert from 'node:assert/strict';
import test from 'node:test';

import {Proof, freshness} from '../../web/src/model/freshness.js';
import {tableOf} from './example_tables.mjs';
import {kitchen} from './example_tables.mjs';
import {linesOf, takeSnapshot, Absent, Failed, Turns} from '../../web/src/sync/snapshots.js';
import {browserTurn, openSession} from '../../web/src/sync/session.js';
import {memoryStorage} from '../../web/src/sync/storage.js';
import {DaemonTime} from '../../web/src/sync/time.js';
import {Wrong} from '../../web/src/model/hash.js';
import {Time} from './model_world.mjs';

const turns = {
  clock: () => 0,
  turn: () => Promise.resolve(),
  timers: {set: setTimeout, clear: clearTimeout},
  goesOn: () => true
};
const bytes = new TextEncoder().encode(JSON.stringify(kitchen) + '\n');

/** A response whose body comes in pieces of this size. */
function response(body, size = 1000, status = 200) {
  const pieces = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return {
    ok: status === 200,
    status,
    text: async () => new TextDecoder().decode(body),
    body: {
      getReader: () => ({
        cancel: async () => {},
        read: async () => (pieces.length ? {done: false, value: pieces.shift()} : {done: true})
      })
    }
  };
}

test('lines of a response, however it is cut', async () => {
  const text = new TextEncoder().encode('é\n\nab\n天ぷら');
  for (const size of [1, 2, 3, 5, 100]) {
    const lines = [];
    for await (const line of linesOf(response(text, size))) lines.push(line);
    assert.deepEqual(lines, ['é', '', 'ab', '天ぷら']);
  }
});

test('pieces of work that come together share a turn, and the chunks of a snapshot have one each', async () => {
  let now = 0, passed = 0;
  const shared = new Turns({
    clock: () => now,
    turn: async () => {
      passed += 1;
    }
  });
  function* work() {
    for (let step = 0; step < 3; step++) {
      now += 2;
      yield;
    }
  }
  await shared.run(work());
  assert.equal(passed, 0);
  await shared.run(work());
  assert.equal(passed, 1);

  const rows = (from) => Array.from({length: 3}, (_, n) => ({id: `r${from + n}`, kind: 'ticket'}));
  const section = kitchen.snapshot.slices[0].section;
  const chunks = [0, 1, 2].map((chunk) => ({
    ...kitchen,
    snapshot: {...kitchen.snapshot, chunk, chunks: 3, slices: [{section, rows: rows(chunk * 3)}]},
  }));
  const text = new TextEncoder().encode(chunks.map((one) => JSON.stringify(one)).join('\n'));
  let taken = 0;
  // All of them come at once, and take no time. They are no table of this digest.
  await assert.rejects(takeSnapshot('kitchen', {
    ...turns,
    turn: async () => {
      taken += 1;
    },
    fetchIt: async () => response(text, 1e6),
    ask: () => assert.fail('it is not asked'),
  }),
    Wrong);
  assert.equal(taken, 2);
});

test('a snapshot by HTTP; by requests where that fails', async () => {
  const ask = async () => kitchen;
  for (const size of [7, 1000, 1e6]) {
    const table = await takeSnapshot('kitchen', {
      ...turns,
      fetchIt: async (path) => {
        assert.equal(path, '/tables/kitchen/snapshot');
        return response(bytes, size);
      },
      ask: async () => assert.fail('it is not asked')
    });
    assert.equal(table.digest, kitchen.snapshot.digest);
  }
  const failing = [
    async () => {
      throw new TypeError('no network');
    },
    async () => response(new TextEncoder().encode('{"error":{"code":"noDaemon"}}'), 9, 503),
    async () => response(new TextEncoder().encode('no json\n')), async () => response(bytes.subarray(0, 900)),
    async () => response(new TextEncoder().encode('{"ok":false,"error":{"code":"noSuchSnapshot"}}'))
  ];
  for (const fetchIt of failing) {
    const table = await takeSnapshot('kitchen', {...turns, fetchIt, ask});
    assert.equal(table.size, kitchen.snapshot.rows);
  }
  const none = new TextEncoder().encode('{"error":{"code":"noSuchTable"}}');
  await assert.rejects(takeSnapshot('x', {...turns, ask, fetchIt: async () => response(none, 9, 404)}), Absent);
  await assert.rejects(
    takeSnapshot('x', {...turns, ask: async () => ({ok: false, error: {code: 'notConnected'}})}), Failed);
  const other = {...kitchen, snapshot: {...kitchen.snapshot, digest: '0'.repeat(16)}};
  await assert.rejects(takeSnapshot('x', {...turns, ask: async () => other}), Wrong);
});

/** A response that brings some bytes, then nothing more. `asked` has the signals that `fetch` was given. */
function hanging(asked, body = bytes.subarray(0, 900)) {
  const {body: {getReader}} = response(body);
  return async (_, {signal}) => {
    asked.push(signal);
    const reader = getReader();
    return {
      ok: true,
      status: 200,
      body: {
        getReader: () => ({
          cancel: async () => {},
          read: async () => {
            const piece = await reader.read();
            return piece.done ? new Promise(() => {}) : piece;
          }
        })
      }
    };
  };
}

test('a response that never ends is given up: after silence, and with what it was for', async () => {
  const time = new Time();
  const timers = {
    set: (f, ms) => time.at(ms, f),
    clear: (event) => {
      event.off = true;
    }
  };
  for (const fetchIt of [hanging, (asked) => (_, {signal}) => {
         asked.push(signal);
         return new Promise(() => {});
       }]) {
    const asked = [];
    const taken = takeSnapshot('kitchen', {...turns, timers, fetchIt: fetchIt(asked), ask: async () => kitchen});
    for (let n = 0; n < 5; n++) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await time.run(time.now + 9000);
    }
    assert.equal((await taken).size, kitchen.snapshot.rows, 'by requests');
    assert.equal(asked[0].aborted, true, 'the browser does not wait for it either');
  }
  const job = new AbortController(), asked = [];
  let goesOn = true;
  const left = takeSnapshot('kitchen', {
    ...turns,
    timers,
    signal: job.signal,
    goesOn: () => goesOn,
    fetchIt: hanging(asked),
    ask: async () => assert.fail('nobody waits for it')
  });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  goesOn = false;
  job.abort();
  await assert.rejects(left, Failed);
  assert.equal(asked[0].aborted, true);
});

test('freshness: what is said, and when', () => {
  const base = {
    connected: true,
    phase: 'following',
    ageMs: 10,
    heartbeatMs: 1000,
    waiting: false,
    shows: true,
    broken: '',
    hasSlept: false
  };
  const state = (more) => freshness({...base, ...more}).state;
  assert.equal(state({}), 'live');
  assert.equal(state({ageMs: 3000}), 'live');
  assert.equal(state({ageMs: 3001}), 'stale');
  assert.equal(state({waiting: true}), 'catchingUp');
  assert.equal(state({phase: 'replay'}), 'catchingUp');
  assert.equal(state({broken: 'the digest is another one'}), 'stale');
  assert.equal(state({connected: false}), 'disconnected');
  assert.equal(state({phase: 'absent', shows: false}), 'absent');
  assert.equal(state({phase: 'absent', shows: false, ageMs: 3001}), 'stale');
  assert.equal(state({phase: 'absent', shows: false, ageMs: Infinity}), 'catchingUp');
  assert.equal(state({phase: 'forbidden', ageMs: Infinity}), 'forbidden');
  assert.equal(state({phase: 'forbidden', connected: false}), 'disconnected');
  assert.equal(state({ageMs: Infinity}), 'catchingUp');
  assert.equal(state({ageMs: Infinity, hasSlept: true}), 'stale');
  assert.equal(state({ageMs: Infinity, shows: false, phase: 'joining'}), 'catchingUp');
  // A backlog is no silence, as long as something is heard.
  assert.equal(state({ageMs: 40000, waiting: true, heardMs: 200}), 'catchingUp');
  assert.equal(state({ageMs: 40000, waiting: true, heardMs: 200, hasSlept: true}), 'catchingUp');
  assert.equal(state({ageMs: 40000, waiting: true, heardMs: 3001}), 'stale');
  assert.equal(state({ageMs: 40000, heardMs: 200}), 'stale');
  assert.equal(state({ageMs: Infinity, waiting: true, heardMs: 200, hasSlept: true}), 'stale');
});

test('a proof: heartbeats that waited somewhere do not prove more than they can', () => {
  const proof = new Proof(1000);
  const at = (clock, wall = clock) => ({clock, wall});
  proof.heartbeat(at(5));
  assert.equal(proof.age(at(5)), Infinity);
  proof.asked(at(1000));
  proof.heartbeat(at(1100));
  assert.equal(proof.age(at(1100)), 100, 'the first may be older than the question');
  proof.heartbeat(at(2100));
  assert.equal(proof.age(at(2100)), 100);
  for (let n = 0; n < 3; n++) proof.heartbeat(at(60000));
  assert.equal(proof.age(at(60000)), 55000, 'a queue that is emptied at once');
  proof.asked(at(59000));
  proof.heartbeat(at(58000));
  assert.equal(proof.age(at(60000)), 1000, 'heard before the question');
  assert.equal(proof.age(at(60000)), 1000);
  assert.equal(proof.age(at(59500, 99000)), 40000, 'the machine slept, and one clock stood still');
  assert.equal(proof.dueIn(at(61500)), 0);
});

/** A page that follows `kitchen`; the daemon is the test. `fetch` gives snapshots. */
async function page(fetch = null) {
  const time = new Time(), asked = [], frames = [];
  const slept = {clock: 0};
  let socket;
  const session = openSession({
    url: '',
    fetch,
    storage: memoryStorage(),
    turn: () => Promise.resolve(),
    now: () => time.now,
    clock: () => time.now - slept.clock,
    random: () => 0.5,
    timers: {
      set: (f, ms) => time.at(ms, f),
      clear: (event) => {
        if (event) event.off = true;
      }
    },
    socket: () => {
      socket = {
        close() {},
        send(frame) {
          frames.push(frame);
          if (!frame.startsWith('request\n')) return;
          const request = JSON.parse(frame.slice(8));
          const verb = Object.keys(request).at(-1);
          if (!['snapshot', 'offer', 'replay', 'kinds', 'drag'].includes(verb)) return;
          asked.push(verb);
          const {client, number} = request;
          const reply = answers[verb];
          if (reply) time.at(1, () => give('reply', {...reply, client, number}));
        }
      };
      return socket;
    }
  });
  const give = (head, body) => socket.onmessage({data: `${head}\n${JSON.stringify(body)}`});
  const {history, epoch, snapshot} = kitchen;
  const answers = {
    snapshot: kitchen,
    offer: {ok: true, epoch, standing: {relation: 'same'}},
    kinds: {ok: false, error: {code: 'noSuchTable', message: 'None.'}}
  };
  const wait = async (ms) => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await time.run(time.now + ms);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  await wait(1);
  give('device', {
    device: 'grill',
    prefix: 'web-1-',
    assets: 'a',
    hello: {opened: 1, heartbeatMs: 1000, limits: {repliesPerSession: 64}}
  });
  const board = session.follow('kitchen');
  const beat = (more = {}, state = {}) => give('pub j/kitchen/', {
    table: 'kitchen',
    history,
    epoch,
    heartbeat: {revision: snapshot.revision, digest: snapshot.digest, oldest: 0, ...more},
    ...state
  });
  beat();
  await wait(20);
  return {
    time,
    session,
    board,
    give,
    beat,
    lose: () => socket.onclose(),
    wait,
    asked,
    frames,
    answers,
    slept,
    history,
    epoch,
    state: () => board.freshness().state
  };
}

test('joined, and live only after a proof; silent: stale in time, without any event', async () => {
  const one = await page();
  assert.deepEqual(one.asked, ['snapshot', 'offer']);
  assert.equal(one.state(), 'live');
  for (let n = 0; n < 10; n++) {
    await one.wait(1000);
    one.beat();
    assert.equal(one.state(), 'live');
  }
  one.answers.offer = null;
  const begin = one.time.now;
  one.time.now += 5000; // no timer runs, no message comes: as in a page that hangs
  assert.equal(one.state(), 'stale');
  one.time.now = begin;
  await one.wait(3100);
  assert.equal(one.state(), 'stale');
  one.answers.offer = {ok: true, epoch: one.epoch, standing: {relation: 'same'}};
  one.beat();
  assert.equal(one.state(), 'stale', 'one heartbeat is no proof');
  await one.wait(9000);
  one.beat();
  await one.wait(3000);
  assert.equal(one.state(), 'live');
});

test('a snapshot that never ends holds up neither another epoch nor another connection', async () => {
  const signals = [];
  const fetch = hanging(signals);
  const one = await page((path, more) => fetch(path, more));
  assert.equal(signals.length, 1);
  assert.equal(one.board.table, null);
  one.beat({}, {epoch: 'another'});
  await one.wait(20);
  assert.deepEqual(signals.map((signal) => signal.aborted), [true, false], 'it is asked for anew');
  one.lose();
  assert.equal(signals[1].aborted, true);
  const other = await page((path, more) => fetch(path, more));
  for (let seconds = 0; seconds < 16; seconds++) {
    await other.wait(1000);
    other.beat();
  }
  await other.wait(20);
  assert.equal(other.board.table?.digest, kitchen.snapshot.digest, 'by requests');
});

test('heartbeats that waited for an answer prove nothing of the time meanwhile', async () => {
  const one = await page();
  const epoch = 'e'.repeat(32), answer = {...one.answers.offer, epoch};
  let answers = 0;
  Object.defineProperty(one.answers, 'offer', {get: () => (answers-- > 0 ? answer : null)});
  for (let n = 0; n < 4; n++) {
    one.beat({}, {epoch});
    await one.wait(10);
  }
  const heard = one.time.now;
  answers = 1;
  await one.wait(3000);
  const {phase, proof} = one.board.follower;
  assert.equal(phase, 'following');
  assert.ok(proof.at.clock < heard, `${proof.at.clock}, and they were heard at ${heard}`);
});

test('waking: stale before the first frame, though one clock stood still and old news wait', async () => {
  const one = await page();
  await one.wait(500);
  const {answers} = one;
  const right = answers.offer;
  answers.offer = null;
  one.time.now += 3600000;
  one.slept.clock = 3600000;
  assert.equal(one.state(), 'stale');
  for (let n = 0; n < 5; n++) one.beat();
  assert.equal(one.state(), 'stale', 'heartbeats of before');
  answers.offer = right;
  await one.wait(5000);
  assert.equal(one.state(), 'live');
  one.session.woke();
  assert.equal(one.state(), 'stale');
  await one.wait(3000);
  assert.equal(one.state(), 'live');
});

test('a diff that does not fit: named, stale, and mended by a snapshot', async () => {
  const one = await page();
  one.answers.snapshot = null;
  const {revision} = one.board.table;
  one.give('pub j/kitchen/', {
    table: 'kitchen',
    history: one.history,
    epoch: one.epoch,
    diffs: [{base: revision, digest: '0'.repeat(16), cause: {}, ops: [{remove: {row: '86'}}]}]
  });
  await one.wait(50);
  assert.equal(one.state(), 'stale');
  assert.match(one.board.freshness().why, /digest/);
  assert.equal(one.board.table.isSpoiled, true);
  assert.equal(one.board.table.revision, revision, 'its revision has not moved');
  // A restart meanwhile: what is spoiled is never called the same.
  one.give('pub j/kitchen/', {
    table: 'kitchen',
    history: one.history,
    epoch: 'f'.repeat(32),
    heartbeat: {revision, digest: one.board.table.digest, oldest: 0}
  });
  await one.wait(3000);
  assert.notEqual(one.state(), 'live');
  one.answers.snapshot = kitchen;
  one.beat();
  await one.wait(15000);
  one.beat();
  await one.wait(3000);
  one.beat();
  await one.wait(10);
  assert.equal(one.board.table.isSpoiled, false);
  assert.ok(one.board.table.row('86'));
  assert.equal(one.board.counts.wrong, 1);
});

test('another digest in a heartbeat; a table that is dropped, and comes again', async () => {
  const one = await page();
  one.beat({digest: 'f'.repeat(16)});
  assert.equal(one.state(), 'stale');
  await one.wait(2000);
  assert.equal(one.board.counts.wrong, 1);
  assert.equal(one.board.counts.snapshots, 2);
  assert.equal(one.state(), 'live');
  one.give('pub j/kitchen/', {table: 'kitchen', history: one.history, epoch: one.epoch, dropped: {}});
  assert.equal(one.state(), 'absent');
  assert.equal(one.board.table, null);
  one.asked.length = 0;
  one.give('pub j/kitchen/', {
    table: 'kitchen',
    history: one.history,
    epoch: one.epoch,
    diffs: [{base: 2, digest: '0'.repeat(16), cause: {}, ops: []}]
  });
  await one.wait(50);
  assert.equal(one.state(), 'absent', 'late news of what has gone');
  assert.deepEqual(one.asked.filter((verb) => verb !== 'kinds'), []);
  one.answers.snapshot = {...kitchen, history: 'a'.repeat(32)};
  one.give('pub j/kitchen/', {
    table: 'kitchen',
    history: 'a'.repeat(32),
    epoch: one.epoch,
    welcome: {revision: 2, digest: kitchen.snapshot.digest, oldest: 0}
  });
  await one.wait(500);
  assert.equal(one.state(), 'live');
  assert.equal(one.board.table.history, 'a'.repeat(32));
});

test('a dropped table comes back with its history: it was put back, and the daemon restarted', async () => {
  const one = await page();
  one.give('pub j/kitchen/', {table: 'kitchen', history: one.history, epoch: one.epoch, dropped: {}});
  assert.equal(one.state(), 'absent');
  const epoch = 'e'.repeat(32);
  one.answers.snapshot = {...kitchen, epoch};
  one.answers.offer = {ok: true, epoch, standing: {relation: 'same'}};
  one.beat({}, {epoch});
  await one.wait(50);
  assert.equal(one.board.table?.history, one.history);
  assert.equal(one.state(), 'live');
});

test('that there is no table is proven again and again, and stale in time', async () => {
  const one = await page();
  const {history, epoch} = one;
  one.give('pub j/kitchen/', {table: 'kitchen', history, epoch, dropped: {}});
  const states = new Set();
  for (let n = 0; n < 300; n++) {
    await one.wait(100);
    states.add(one.state());
  }
  assert.deepEqual([...states], ['absent'], 'for half a minute');
  assert.ok(one.asked.length < 40, `${one.asked.length} questions`);
  // The daemon has died. The gateway goes on, and says again what it heard last.
  one.answers.kinds = null;
  await one.wait(3500);
  one.give('pub j/kitchen/', {table: 'kitchen', epoch, welcome: {}});
  assert.equal(one.state(), 'stale');
  for (let n = 0; n < 12; n++) {
    await one.wait(5000);
    one.give('pong', '');
    assert.equal(one.state(), 'stale');
  }
  // It has come back, and has the table; the welcome was lost.
  one.answers.kinds = {ok: true, kinds: {}};
  await one.wait(9000);
  assert.equal(one.board.table?.history, history);
  one.beat();
  assert.equal(one.state(), 'live');
});

test('a board that was never there: said after an answer, not before', async () => {
  const one = await page();
  const board = one.session.follow('nowhere'), answer = one.answers.kinds;
  one.answers.kinds = null;
  one.give('pub j/nowhere/', {table: 'nowhere', epoch: one.epoch, welcome: {}});
  await one.wait(2000);
  assert.equal(board.freshness().state, 'catchingUp');
  one.answers.kinds = answer;
  await one.wait(3000);
  assert.equal(board.freshness().state, 'absent');
});

test('a daemon that is behind has no such table yet, then has it', async () => {
  const one = await page();
  const epoch = 'e'.repeat(32), missing = one.answers.kinds;
  Object.assign(one.answers, {snapshot: missing, offer: missing});
  one.give('pub j/kitchen/', {table: 'kitchen', epoch, welcome: {}});
  await one.wait(50);
  assert.equal(one.board.table, null);
  one.answers.snapshot = {...kitchen, epoch};
  one.answers.offer = {ok: true, epoch, standing: {relation: 'same'}};
  const {revision, digest} = kitchen.snapshot;
  one.give('pub j/kitchen/', {table: 'kitchen', history: one.history, epoch, welcome: {revision, digest, oldest: 0}});
  await one.wait(50);
  assert.equal(one.state(), 'live');
});

test('a daemon that is behind has the table of before, then the one that is there', async () => {
  const one = await page();
  const epoch = 'e'.repeat(32), old = 'a'.repeat(32), {digest} = kitchen.snapshot;
  one.answers.snapshot = {...kitchen, history: old, epoch};
  one.answers.offer = {ok: true, epoch, standing: {relation: 'diverged'}};
  one.beat({}, {history: old, epoch});
  await one.wait(10);
  one.answers.offer = {ok: true, epoch, standing: {relation: 'same'}};
  await one.wait(50);
  assert.equal(one.board.table.history, old);
  one.give('pub j/kitchen/', {table: 'kitchen', history: old, epoch, dropped: {}});
  one.answers.snapshot = {...kitchen, epoch};
  one.give(
    'pub j/kitchen/', {table: 'kitchen', history: one.history, epoch, welcome: {revision: 2, digest, oldest: 0}});
  one.beat({}, {epoch});
  await one.wait(50);
  assert.equal(one.board.table?.history, one.history);
  assert.equal(one.state(), 'live');
});

test('a table that the device may not see: said, nothing of it is kept, and it may come back', async () => {
  const one = await page();
  const resets = [];
  one.board.onReset(({why}) => resets.push(why));
  const forbid = () => one.session.socket.onmessage({data: 'forbidden kitchen'});
  forbid();
  assert.equal(one.state(), 'forbidden');
  assert.equal(one.board.freshness().why, 'this device may not see that table');
  assert.equal(one.board.table, null);
  // It is asked again from time to time: each time the same answer, which changes nothing.
  await one.wait(9000);
  forbid();
  assert.equal(one.state(), 'forbidden');
  assert.equal(resets.length, 1);
  assert.equal(one.session.malformed, 0);
  one.session.socket.onmessage({data: 'forbidden elsewhere'});
  assert.equal(one.session.malformed, 0, 'a board that nobody follows');
  one.beat();
  await one.wait(50);
  one.beat();
  await one.wait(500);
  assert.equal(one.board.table.history, one.history, 'the same history as before');
  assert.equal(one.state(), 'live');
});

test('whoever hears that the connection is open may ask at once', async () => {
  const one = await page();
  one.lose();
  const replies = [], states = [];
  one.session.onChange(({kind}) => {
    if (kind !== 'connection' || one.session.connection !== 'open') return;
    states.push(one.session.isOpen);
    one.session.tables().then((reply) => replies.push(reply.error?.code));
  });
  const before = one.frames.length;
  await one.wait(9000);
  one.give('device', {
    device: 'grill',
    prefix: 'web-1-',
    assets: 'a',
    hello: {opened: 1, heartbeatMs: 1000, limits: {repliesPerSession: 64}}
  });
  await one.wait(1);
  assert.deepEqual(states, [true]);
  assert.deepEqual(replies, [], 'it was not refused');
  assert.ok(one.frames.slice(before).some((frame) => frame.includes('"tables"')), 'it was sent');
});

test('a gateway that the daemon does not let in: said, and over with the reason', async () => {
  const one = await page();
  const down = (why) => one.session.socket.onmessage({data: `daemon down\n{"why":"${why}"}`});
  down('silent');
  assert.equal(one.state(), 'live', 'until the proof is too old');
  down('notAllowed');
  assert.equal(one.state(), 'forbidden');
  assert.equal(one.session.isDaemonUp, false);
  assert.equal((await one.board.send({remove: {rows: ['x']}})).error.code, 'notConnected');
  one.session.socket.onmessage({data: 'daemon up'});
  assert.equal(one.state(), 'live');
  down('notAllowed');
  one.lose();
  assert.equal(one.state(), 'disconnected');
  assert.equal(one.session.malformed, 0);
});

test('presence: leases of another epoch end, and none is shown that is not certain', async () => {
  const one = await page();
  const ends = [];
  one.board.onEnded((event) => ends.push(event));
  const lease = {lease: 'L', holder: 'ada', rows: ['86'], before: '1041-g'};
  one.give('pub pj/kitchen/',
    {table: 'kitchen', epoch: one.epoch, leases: {leases: [lease]}, viewers: {viewers: [{client: 'v', name: 'ada'}]}});
  assert.deepEqual(one.board.presence.leases, [{...lease, mine: false}]);
  one.give('pub pj/kitchen/',
    {table: 'kitchen', epoch: one.epoch, ended: [{lease: 'L', reason: 'it was dropped', dropped: true}]});
  assert.deepEqual(ends, [{lease: 'L', reason: 'it was dropped', saying: undefined, dropped: true, mine: false}]);
  assert.equal(one.board.presence.viewers.length, 1, 'what is absent is as it was');
  one.give('pub pj/kitchen/', {table: 'kitchen', epoch: one.epoch, leases: {leases: [lease]}});
  one.answers.offer = null;
  await one.wait(3200);
  assert.deepEqual(one.board.presence.leases, []);
  await one.wait(300);
  assert.equal(ends.length, 2);
});

test('a table that goes ends what is dragged in it, and no snapshot of the same table does', async () => {
  const one = await page();
  one.answers.drag = {ok: true, lease: {lease: 'L', rows: ['86'], ttl: 10}};
  const lifting = one.board.lift(['86']);
  await one.wait(20);
  const {drag} = await lifting;
  one.board.follower.step('snapshot');
  one.board.follower.work();
  await one.wait(20);
  assert.equal(one.board.counts.snapshots, 2);
  assert.equal(drag.state, 'active');
  one.give('pub j/kitchen/', {table: 'kitchen', history: one.history, epoch: one.epoch, dropped: {}});
  assert.deepEqual(
    await drag.ended, {dropped: false, reason: 'there is no such table', saying: {key: 'putDown.board'}});
  assert.equal(one.board.drags.size, 0);
});

test('a listener that throws harms nobody', async () => {
  const one = await page();
  const heard = [];
  const report = globalThis.reportError;
  globalThis.reportError = () => heard.push('reported');
  one.session.onChange(() => {
    throw new Error('mine');
  });
  one.board.onDiffs(() => heard.push('diffs'));
  const copy = tableOf('kitchen', [kitchen]);
  const diff = {base: 2, cause: {timeMs: 5}, ops: [{remove: {row: '86'}}]};
  copy.applyOps(diff);
  one.give('pub j/kitchen/',
    {table: 'kitchen', history: one.history, epoch: one.epoch, diffs: [{...diff, digest: copy.computeDigest()}]});
  await one.wait(10);
  globalThis.reportError = report;
  assert.ok(heard.includes('diffs') && heard.includes('reported'));
  assert.equal(one.board.table.revision, 3);
});

test('a name that is none reaches no socket', async () => {
  const one = await page();
  const before = one.asked.length;
  for (const name of ['', 'a/b', 'a\nrequest\n{}', 'x'.repeat(129)]) {
    const board = one.session.follow(name);
    await one.wait(300);
    assert.equal(board.freshness().state, 'absent', JSON.stringify(name));
    board.close();
  }
  assert.equal(one.asked.length, before);
  assert.ok(one.frames.every((frame) => /^(follow kitchen|leave kitchen|ping|request)\n/.test(frame)));
});

test('a diff of everything is verified in turns, and is not called live before', async () => {
  const one = await page();
  const copy = tableOf('kitchen', [kitchen]);
  const diff = {base: 2, cause: {timeMs: 5}, ops: [{expandAll: {open: true}}]};
  copy.applyOps(diff);
  const seen = [], {io} = one.session;
  const {clock} = io;
  let reads = 0;
  // Each look at the clock takes its time, so that every block is a turn of its own.
  io.clock = () => clock() + 13 * reads++;
  io.turn = async () => {
    seen.push(one.state());
  };
  one.give('pub j/kitchen/',
    {table: 'kitchen', history: one.history, epoch: one.epoch, diffs: [{...diff, digest: copy.computeDigest()}]});
  await one.wait(5);
  assert.equal(one.board.table.revision, 3);
  assert.ok(seen.length > 0 && seen.every((state) => state === 'catchingUp'), `${seen}`);
});

test('many diffs at once: those who draw have their turn, and it is no silence meanwhile', async () => {
  const one = await page();
  const {io} = one.session;
  const {clock} = io;
  let reads = 0, turns = 0;
  io.clock = () => clock() + reads++;
  io.turn = async () => {
    turns += 1;
    assert.equal(one.state(), 'catchingUp');
    assert.ok(one.board.freshness().behind > 0);
  };
  const copy = tableOf('kitchen', [kitchen]);
  const id = [...copy.entries.keys()][0];
  const diffs = [];
  for (let n = 0; n < 100; n++) {
    const diff = {base: 2 + n, cause: {timeMs: 5}, ops: [{set: {row: id, title: `${n}`}}]};
    copy.applyOps(diff);
    copy.revision += 1;
    diffs.push({...diff, digest: copy.computeDigest()});
  }
  one.give('pub j/kitchen/', {table: 'kitchen', history: one.history, epoch: one.epoch, diffs});
  await one.wait(5);
  assert.equal(one.board.table.row(id).title, '99');
  assert.ok(turns > 5, `${turns}`);
});

test('a viewer says that it is there, every two seconds, and when it goes', async () => {
  const one = await page();
  const attends = () => one.frames.filter((frame) => frame.startsWith('request\n'))
                          .map((frame) => JSON.parse(frame.slice(8)))
                          .filter((request) => request.attend);
  const begun = attends().length;
  for (let n = 0; n < 20; n++) {
    one.beat();
    await one.wait(500);
    // Each is answered: what is not is asked again.
    const last = attends().at(-1);
    if (last) one.give('reply', {ok: true, client: last.client, number: last.number});
  }
  const count = new Set(attends().map((request) => request.number)).size - begun;
  assert.ok(count >= 4 && count <= 6, `${count} in ten seconds`);
  const [attend] = attends();
  assert.deepEqual([attend.table, attend.name, attend.attend], ['kitchen', 'grill', {revision: 2}]);
  assert.equal(attend.client, one.session.writer.identity.client, 'as that who lifts');
  one.board.close();
  assert.equal(attends().at(-1).attend.leaving, true);
  assert.equal(one.frames.at(-1), 'leave kitchen\n');
});

test('an engine without channels has turns of its event loop, too', async () => {
  const {MessageChannel: channel} = globalThis;
  try {
    delete globalThis.MessageChannel;
    let others = false;
    setTimeout(() => {
      others = true;
    });
    await browserTurn();
    assert.ok(others, 'others have had theirs');
  } finally {
    globalThis.MessageChannel = channel;
  }
});

test('the time is the daemon\'s, whatever the screen takes it for', () => {
  const HOUR = 3600000;
  /** `daemon` is the true time. The screen's own clock is `wrong`; `under` is how long heartbeats are under way. */
  const made = (wrong) => {
    const all = {daemon: 1.7e12, ran: 5000, wrong};
    all.time = new DaemonTime({clock: () => all.ran, wall: () => all.daemon + all.wrong});
    all.passes = (ms) => {
      all.daemon += ms;
      all.ran += ms;
    };
    all.heard = (under) => all.time.heard(all.daemon - under);
    return all;
  };
  for (const wrong of [2 * HOUR, -2 * HOUR]) {
    const all = made(wrong);
    assert.deepEqual([all.time.now() - all.daemon, all.time.ahead], [wrong, 0], 'nothing was heard');
    assert.equal(all.heard(9000), true, 'it may be an old one, which the gateway tells again');
    assert.equal(all.time.ahead, 0);
    all.passes(1000);
    assert.equal(all.heard(300), true);
    assert.deepEqual([all.time.now() - all.daemon, all.time.ahead], [-300, wrong + 300]);
    for (const under of [20, 2500, 90]) {
      all.passes(1000);
      assert.equal(all.heard(under), false);
      assert.equal(all.time.now() - all.daemon, -20, 'the shortest way counts');
    }
    // Somebody sets the screen's clock right, and it sleeps, while what counts milliseconds stands still.
    all.wrong = 0;
    assert.deepEqual([all.time.now() - all.daemon, all.time.ahead], [-20, 0]);
    all.daemon += HOUR;
    all.time.slept({clock: 0, wall: HOUR});
    assert.equal(all.time.now() - all.daemon, -20);
    // The daemon's clock is set back.
    all.daemon -= 60000;
    for (let beats = 0; beats < 16; beats++) {
      all.passes(1000);
      all.heard(20);
    }
    assert.equal(all.time.now() - all.daemon, -20);
  }
  const right = made(29000);
  for (const _ of [1, 2]) right.heard(0);
  assert.equal(right.time.ahead, 0, 'right enough');
  for (const wrong of [undefined, null, '5', 1.5, -1, 0, Infinity, 2 ** 60, {}])
    assert.equal(right.time.heard(wrong), false);
  assert.equal(right.time.now(), right.daemon);
});
