// Commands and their storage, and drags, step by step: what the simulation does not look at by
// name.

import assert from 'node:assert/strict';
import test from 'node:test';

import {Drag} from '../../web/src/sync/drags.js';
import {openSession} from '../../web/src/sync/session.js';
import {memoryStorage} from '../../web/src/sync/storage.js';
import {Time} from './model_world.mjs';

/** A page whose gateway is the test. */
async function open(shared, page = {}) {
  const time = shared.time;
  const sent = [];
  const socket = {send: (frame) => sent.push(frame), close() {}};
  const storage = memoryStorage({...shared, page});
  const session = openSession({
    url: '',
    socket: () => socket,
    fetch: null,
    name: 'ada',
    storage,
    now: () => time.now,
    clock: () => time.now,
    random: () => shared.dice(),
    turn: () => Promise.resolve(),
    timers: {
      set: (f, ms) => time.at(ms, f, page),
      clear: (event) => {
        if (event) event.off = true;
      }
    }
  });
  const hello = {opened: 3, heartbeatMs: 1000, limits: {repliesPerSession: 4, requestBytes: 2000}};
  const give = (head, body) => socket.onmessage({data: `${head}\n${JSON.stringify(body)}`});
  await time.run(time.now + 1);
  give('device', {device: 'grill', prefix: shared.prefix ?? 'web-1-', assets: 'a', hello});
  const commands = () => sent.filter((frame) => frame.startsWith('request'))
                           .map((frame) => frame.slice(8))
                           .filter((text) => JSON.parse(text).command);
  const wait = async (ms = 1) => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await time.run(time.now + ms);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  await wait();
  return {
    session,
    socket,
    sent,
    give,
    commands,
    wait,
    storage,
    hello,
    board: session.follow('board'),
    answer: (text, more) => {
      const {client, number} = JSON.parse(text);
      give('reply', {ok: true, client, number, table: 'board', revision: 1, ...more});
    }
  };
}

function world() {
  let n = 0;
  return {time: new Time(), records: new Map(), holds: new Map(), dice: () => (n = (n * 7 + 0.123) % 1)};
}

test('the bytes are kept before they are sent, and are the same each time', async () => {
  const shared = world();
  const page = await open(shared);
  const reply = page.board.send({move: {rows: ['t1'], top: true}});
  assert.equal(page.commands().length, 0, 'nothing is sent before it is kept');
  await page.wait();
  const [text] = page.commands();
  assert.equal([...shared.records.values()][0].text, text);
  assert.deepEqual(JSON.parse(text), {
    client: JSON.parse(text).client,
    number: 1,
    opened: 3,
    name: 'ada',
    table: 'board',
    command: {move: {rows: ['t1'], top: true}}
  });
  assert.match(JSON.parse(text).client, /^web-1-.{16}$/);
  assert.equal(page.session.isMine(JSON.parse(text)), true);
  assert.equal(page.session.isMine({client: 'web-1-other'}), false);
  assert.equal(page.session.isMine({}), false);
  await page.wait(30000);
  assert.ok(page.commands().length > 3);
  assert.equal(new Set(page.commands()).size, 1);
  assert.equal(page.board.pending.length, 1);
  page.answer(text);
  assert.equal((await reply).ok, true);
  assert.equal(shared.records.size, 0);
  assert.equal(page.board.pending.length, 0);
});

test('no number leaves the window', async () => {
  const page = await open(world());
  const replies = Array.from({length: 10}, (_, n) => page.board.send({remove: {rows: [`r${n}`]}}));
  await page.wait();
  const numbers = () => [...new Set(page.commands().map((text) => JSON.parse(text).number))];
  assert.deepEqual(numbers(), [1, 2, 3, 4]);
  const text = (number) => page.commands().find((one) => JSON.parse(one).number === number);
  page.answer(text(2));
  page.answer(text(3));
  assert.deepEqual(numbers(), [1, 2, 3, 4], 'the first is still awaited');
  page.answer(text(1));
  await page.wait();
  assert.deepEqual(numbers(), [1, 2, 3, 4, 5, 6, 7]);
  for (let n = 4; n <= 10; n++) {
    page.answer(text(n));
    await page.wait();
  }
  assert.equal((await Promise.all(replies)).length, 10);
});

test('a reload takes over what was under way, under its own id; two tabs do not', async () => {
  const shared = world();
  const first = await open(shared, {name: 'first'});
  first.board.send({remove: {rows: ['r1']}});
  first.board.send({remove: {rows: ['r2']}});
  await first.wait();
  const texts = first.commands();
  const second = await open(shared, {name: 'second'});
  await second.wait(10000);
  assert.deepEqual(second.commands(), [], 'the first tab is still there');
  // The first is loaded anew: its page is gone, and what it held is free.
  first.socket.onmessage = () => {};
  shared.holds.clear();
  const third = await open(shared, {name: 'third'});
  await third.wait(10);
  assert.deepEqual(third.commands(), texts);
  assert.equal(third.board.pending.length, 2);
  const reply = third.board.send({remove: {rows: ['r3']}});
  await third.wait();
  const last = third.commands().at(-1);
  assert.notEqual(JSON.parse(last).client, JSON.parse(texts[0]).client);
  for (const text of [...texts, last]) third.answer(text);
  assert.equal((await reply).ok, true);
  assert.equal(shared.records.size, 0);
  assert.equal(third.board.pending.length, 0);
});

test('what another page was told is not asked again', async () => {
  const shared = world();
  const first = await open(shared, {name: 'first'});
  first.board.send({remove: {rows: ['r1']}});
  await first.wait();
  const [text] = first.commands();
  shared.holds.clear();
  const second = await open(shared, {name: 'second'});
  await second.wait(10);
  assert.deepEqual(second.commands(), [text]);
  first.answer(text);
  await second.wait(20000);
  assert.equal(second.board.pending.length, 0);
  assert.equal(second.board.outcomes.length, 0);
});

test('unknown: said where it may have been carried out, and sent anew where it was not', async () => {
  const page = await open(world());
  const unknown = {ok: false, error: {code: 'unknown', message: 'It is forgotten.'}};
  const reply = page.board.send({remove: {rows: ['r1']}});
  await page.wait();
  const [text] = page.commands();
  page.answer(text, unknown);
  await page.wait();
  assert.equal(page.commands().length, 1, 'nothing goes out before the daemon has said where it is');
  const asked = page.sent.filter((frame) => frame.includes('"hello"')).at(-1).slice(8);
  page.answer(asked, {hello: {...page.hello, opened: 9}});
  await page.wait();
  const again = page.commands().at(-1);
  assert.equal(page.commands().length, 2);
  assert.notEqual(JSON.parse(again).client, JSON.parse(text).client, 'another client id');
  assert.equal(JSON.parse(again).number, 1);
  assert.equal(JSON.parse(again).opened, 9);
  await page.wait(5000);
  page.answer(again, unknown);
  assert.equal((await reply).error.code, 'unknown');
  assert.equal(page.board.outcomes.length, 1);
  page.board.dismiss(page.board.outcomes[0]);
  assert.equal(page.board.outcomes.length, 0);
});

test('what an earlier page sent and is refused now is told to whoever looks', async () => {
  const shared = world();
  const first = await open(shared, {name: 'first'});
  first.board.send({remove: {rows: ['r1']}});
  await first.wait();
  shared.holds.clear();
  const second = await open(shared, {name: 'second'});
  await second.wait(10);
  const [text] = second.commands();
  second.answer(text, {ok: false, error: {code: 'conflict', message: 'It has changed.'}});
  await second.wait();
  assert.equal(second.board.pending.length, 0);
  assert.deepEqual(second.board.outcomes.map((one) => one.message), ['It has changed.']);
});

test('diskFull: an end where no copy is on its way, else the same bytes until there is room', async () => {
  const page = await open(world());
  const full = {ok: false, error: {code: 'diskFull', message: 'No room.'}};
  const first = page.board.send({remove: {rows: ['r1']}});
  await page.wait();
  page.answer(page.commands()[0], full);
  assert.equal((await first).error.code, 'diskFull');
  const second = page.board.send({remove: {rows: ['r2']}});
  await page.wait(4000);
  const text = page.commands().at(-1);
  page.answer(text, full);
  assert.equal(page.board.pending[0].state, 'diskFull');
  const before = page.commands().length;
  await page.wait(3000);
  assert.ok(page.commands().length > before);
  assert.equal(page.commands().at(-1), text);
  page.answer(text);
  assert.equal((await second).ok, true);
});

test('notLeader: another daemon takes over, and the same bytes go out until one takes them', async () => {
  const page = await open(world());
  const other = {ok: false, error: {code: 'notLeader', message: 'No daemon writes.'}};
  const reply = page.board.send({remove: {rows: ['r1']}});
  await page.wait();
  const [text] = page.commands();
  for (let tries = 1; tries <= 5; tries++) {
    page.answer(page.commands().at(-1), other);
    assert.equal(page.board.pending[0].state, 'changing');
    assert.equal(page.commands().length, tries, 'not in a tight loop');
    await page.wait(600);
    assert.equal(page.commands().length, tries + 1);
  }
  assert.equal(new Set(page.commands()).size, 1);
  // The gateway has gone to the daemon that writes: it is sent at once.
  page.answer(text, other);
  page.give('device', {device: 'grill', prefix: 'web-1-', assets: 'a', hello: page.hello});
  assert.equal(page.commands().length, 7);
  page.answer(text);
  assert.equal((await reply).ok, true);
  assert.equal(page.board.pending.length, 0);
  assert.equal(page.board.outcomes.length, 0);
});

test('notLeader, then unknown: nothing was carried out, and it is sent under another id', async () => {
  const page = await open(world());
  const other = {ok: false, error: {code: 'notLeader', message: 'No daemon writes.'}};
  const unknown = {ok: false, error: {code: 'unknown', message: 'Forgotten.'}};
  const reply = page.board.send({remove: {rows: ['r1']}});
  await page.wait();
  const [first] = page.commands();
  page.answer(first, other);
  await page.wait(600);
  assert.equal(page.commands().length, 2);
  page.answer(first, unknown);
  await page.wait();
  const hello = page.sent.findLast((frame) => frame.includes('"hello"'));
  page.answer(hello.slice(8), {hello: {...page.hello, opened: 9}});
  await page.wait();
  const again = page.commands().at(-1);
  assert.notEqual(JSON.parse(again).client, JSON.parse(first).client);
  page.answer(again);
  assert.equal((await reply).ok, true);
  // A copy that nobody answered may have been carried out.
  const lost = page.board.send({remove: {rows: ['r2']}});
  await page.wait(2500);
  const copies = page.commands().filter((text) => text.includes('r2'));
  assert.ok(copies.length > 1);
  page.answer(copies[0], other);
  await page.wait(600);
  page.answer(copies[0], unknown);
  assert.equal((await lost).error.code, 'unknown');
});

test('notLeader: what passes is asked again, and ends in time', async () => {
  const page = await open(world());
  const other = {ok: false, error: {code: 'notLeader', message: 'No daemon writes.'}};
  const asked = () => page.sent.filter((frame) => frame.includes('"lift"')).map((one) => one.slice(8));
  const lifted = page.session.askPassing('drag', {lift: {rows: ['r1']}}, 'board');
  page.answer(asked()[0], other);
  await page.wait(600);
  assert.equal(asked().length, 2);
  page.answer(asked()[1], {lease: {lease: 'l', rows: ['r1'], ttl: 10}});
  assert.equal((await lifted).ok, true);
  const never = page.session.askPassing('drag', {lift: {rows: ['r2']}}, 'board');
  for (let tries = 0; tries < 30; tries++) {
    page.answer(asked().at(-1), other);
    await page.wait(600);
  }
  assert.equal((await never).error.code, 'timeout');
});

test('numberReused, and refusals that name no request', async () => {
  const page = await open(world());
  const refused = page.board.send({remove: {rows: ['r1']}});
  await page.wait();
  page.answer(page.commands()[0], {ok: false, error: {code: 'numberReused', message: 'Again.'}});
  assert.equal((await refused).error.code, 'numberReused');
  const [a, b] = [page.board.send({bad: {}}), page.board.send({remove: {rows: ['r2']}})];
  await page.wait();
  const malformed = {ok: false, error: {code: 'malformed', message: 'No.'}};
  page.give('reply', malformed);
  await page.wait(2000);
  const one = page.commands().at(-1);
  assert.equal(JSON.parse(one).command.bad !== undefined, true, 'one at a time now');
  assert.equal(page.board.pending.length, 2);
  page.answer(page.commands().find((text) => JSON.parse(text).command.remove?.rows[0] === 'r2'));
  assert.equal((await b).ok, true);
  page.give('reply', malformed);
  assert.equal((await a).error.code, 'malformed');
});

test('two commands are refused without their names: each ends, and no other one', async () => {
  const page = await open(world());
  const malformed = {ok: false, error: {code: 'malformed', message: 'No.'}};
  const replies = [{remove: {rows: ['r1']}}, {bad: {}}, {bad: {}}, {remove: {rows: ['r2']}}].map(
    (command) => page.board.send(command));
  let seen = 0;
  /** It answers all that has come. Of what came first the answer is lost. */
  const answer = () => {
    for (const text of page.commands().slice(seen)) {
      seen += 1;
      if (text.includes('bad')) page.give('reply', malformed);
      else if (seen > 1) page.answer(text);
    }
  };
  for (let n = 0; n < 600; n++) {
    await page.wait(50);
    answer();
  }
  assert.equal(page.board.pending.length, 0);
  const codes = (await Promise.all(replies)).map((reply) => reply.error?.code ?? 'ok');
  assert.deepEqual(codes, ['ok', 'malformed', 'malformed', 'ok']);
  assert.ok(seen < 15, `${seen} were sent`);
});

test('what cannot be sent says so, and is not kept', async () => {
  const shared = world();
  const page = await open(shared);
  assert.equal((await page.board.send({set: {row: 'r', title: 'x'.repeat(3000)}})).error.code, 'tooLarge');
  // New files of the page while the daemon is away: what it said last comes again, and that it is away.
  page.give('device', {device: 'grill', prefix: 'web-1-', assets: 'b', hello: page.hello});
  page.give('daemon down', '');
  assert.equal((await page.board.send({remove: {rows: ['r1']}})).error.code, 'notConnected');
  page.socket.onclose({});
  assert.equal((await page.board.send({remove: {rows: ['r1']}})).error.code, 'notConnected');
  assert.equal(page.board.freshness().state, 'disconnected');
  assert.equal(shared.records.size, 0);
});

test('another pairing: what was sent under the old one is uncertain', async () => {
  const shared = world();
  const first = await open(shared, {name: 'first'});
  first.board.send({remove: {rows: ['r1']}});
  await first.wait();
  shared.holds.clear();
  const second = await open({...shared, prefix: 'web-2-'}, {name: 'second'});
  await second.wait(10);
  assert.deepEqual(second.commands(), []);
  assert.equal(second.board.outcomes.length, 1);
  assert.equal(shared.records.size, 0);
});

test('another pairing within one page: nothing of the old one is sent again', async () => {
  const shared = world();
  const page = await open(shared);
  const replies = Array.from({length: 6}, (_, n) => page.board.send({remove: {rows: [`r${n}`]}}));
  await page.wait();
  const old = page.commands();
  assert.equal(old.length, 4, 'two wait for room in the window');
  page.socket.onclose({});
  await page.wait(2000);
  page.give('device', {device: 'grill', prefix: 'web-2-', assets: 'a', hello: page.hello});
  await page.wait(9000);
  assert.deepEqual(page.commands(), old);
  for (const reply of await Promise.all(replies)) assert.equal(reply.error.code, 'unknown');
  assert.equal(page.board.outcomes.length, 6);
  assert.match(page.board.outcomes[0].message, /another pairing/);
  assert.equal(page.board.pending.length, 0);
  assert.equal(shared.records.size, 0);
  page.answer(old[0], {ok: false, error: {code: 'notAllowed', message: 'No.'}});
  const next = page.board.send({remove: {rows: ['r9']}});
  await page.wait();
  assert.match(JSON.parse(page.commands().at(-1)).client, /^web-2-/);
  page.answer(page.commands().at(-1));
  assert.equal((await next).ok, true);
});

test('a device that is revoked does not come back', async () => {
  const page = await open(world());
  const events = [];
  page.session.onChange(({kind}) => events.push(kind));
  page.give('end', {code: 'revoked', message: 'This device was revoked.'});
  page.socket.onclose({});
  await page.wait(60000);
  assert.equal(page.session.connection, 'ended');
  assert.equal(page.session.ended.code, 'revoked');
  assert.ok(events.includes('ended'));
});

/** A drag whose daemon is the test. */
function dragged(time, replies = {}) {
  const steps = [];
  const drag = new Drag({lease: 'L', rows: ['r1'], ttl: 3}, {
    ask: async (step) => {
      steps.push(Object.keys(step)[0]);
      return replies[Object.keys(step)[0]] ?? {ok: true};
    },
    submit: async (step) => {
      steps.push(Object.keys(step)[0]);
      return replies.drop ?? {ok: true};
    },
    timers: {
      set: (f, ms) => time.at(ms, f),
      clear: (event) => {
        if (event) event.off = true;
      }
    },
    clock: () => time.now,
    over: () => steps.push('over')
  });
  return {drag, steps};
}

test('a drag is renewed, hovers once a frame, and ends exactly once', async () => {
  const time = new Time();
  const {drag, steps} = dragged(time);
  for (let n = 0; n < 10; n++) drag.hover({before: `r${n}`});
  await time.run(100);
  assert.deepEqual(steps, ['hover']);
  await time.run(5000);
  assert.ok(steps.filter((step) => step === 'renew').length >= 3, `${steps}`);
  const [one, other] = await Promise.all([drag.drop({top: true}), drag.drop({bottom: true})]);
  assert.equal(one.ok, true);
  assert.equal(other.error.code, 'noSuchLease');
  drag.cancel();
  drag.hasEnded({reason: 'late', dropped: true});
  assert.equal((await drag.ended).dropped, true);
  assert.equal(steps.filter((step) => step === 'drop').length, 1);
  assert.equal(steps.filter((step) => step === 'over').length, 1);
  assert.ok(!steps.includes('cancel'));
  const count = steps.length;
  await time.run(60000);
  assert.equal(steps.length, count, 'nothing is said of it any more');
});

test('a drop that is refused ends the drag; one that was not sent is a cancel', async () => {
  const time = new Time();
  const refused = dragged(time, {drop: {ok: false, error: {code: 'pinned', message: 'It is pinned.'}}});
  await refused.drag.drop({top: true});
  assert.deepEqual(await refused.drag.ended.then(({dropped, reason}) => [dropped, reason]), [false, 'It is pinned.']);
  assert.ok(!refused.steps.includes('cancel'));
  const offline = dragged(time, {drop: {ok: false, error: {code: 'notConnected', message: 'No.'}}});
  await offline.drag.drop({top: true});
  assert.equal((await offline.drag.ended).dropped, false);
  assert.ok(offline.steps.includes('cancel'));
  const gone = dragged(time, {hover: {ok: false, error: {code: 'noSuchLease', message: 'It was not renewed.'}}});
  gone.drag.hover({top: true});
  await time.run(time.now + 100);
  assert.equal((await gone.drag.ended).reason, 'It was not renewed.');
});
