// The sync core under seeded faults: every command is carried out once or said to be uncertain, and
// no frame says live for long after the truth ended. Planted bugs must be found.

import assert from 'node:assert/strict';
import test from 'node:test';

import {Proof} from '../../web/src/model/freshness.js';
import {Follower} from '../../web/src/sync/follower.js';
import {Writer} from '../../web/src/sync/writer.js';
import {World} from './model_world.mjs';

const full = !['', '0', undefined].includes(process.env.FULL);
const SEEDS = full ? 1000 : 40;
const TROUBLE_MS = 40000, CALM_MS = 60000;

const FAULTS = {
  loss: (w) => {
    w.gateway.loss = w.dice.pick([0.05, 0.3]);
  },
  calm: (w) => {
    w.gateway.loss = 0;
  },
  cut: (w) => w.gateway.cut(),
  kill: (w) => {
    w.daemon.kill();
    w.time.at(w.dice.below(6000), () => {
      if (w.daemon.alive) return;
      w.daemon.start();
      w.gateway.restarted();
    });
  },
  freezeDaemon: (w) => w.daemon.freeze(w.dice.below(9000)),
  freezeGateway: (w) => {
    w.gateway.frozenUntil = w.time.now + w.dice.below(9000);
  },
  freezePage: (w) => w.dice.pick(w.pages).freeze(w.dice.below(15000), w.dice.chance(0.5)),
  /** Everything stands still, and the daemon ends meanwhile: what waited tells of better times. */
  nap: (w) => {
    w.gateway.frozenUntil = w.time.now + 2500 + w.dice.below(5000);
    w.time.at(1000 + w.dice.below(1500), () => FAULTS.kill(w));
  },
  reload: (w) => {
    const page = w.dice.pick(w.pages);
    page.die();
    w.pages = w.pages.filter((one) => one !== page);
    w.open();
  },
  diskFull: (w) => {
    w.daemon.diskFull = true;
    w.time.at(w.dice.below(4000), () => {
      w.daemon.diskFull = false;
    });
  },
  remake: (w) => {
    if (w.daemon.runs) w.daemon.remake();
  },
};

async function simulate(seed) {
  const world = new World(`sim ${seed}`), {dice, time} = world;
  world.open();
  world.open();
  for (let at = 0; at < TROUBLE_MS + CALM_MS; at += 50) {
    await time.run(at);
    world.look();
    if (at === TROUBLE_MS) {
      world.gateway.loss = 0;
      world.daemon.diskFull = false;
    }
    if (at >= TROUBLE_MS) continue;
    if (dice.chance(0.08)) FAULTS[dice.pick(Object.keys(FAULTS))](world);
    // As a person who taps: rarely, or many times in a row.
    if (dice.chance(0.1)) {
      for (let n = dice.pick([1, 1, 8]); n > 0; n--) {
        const page = dice.pick(world.pages);
        if (time.now >= page.frozenUntil) page.act();
      }
    }
  }
  return judge(world);
}

/** What is wrong with how it went. */
function judge(world) {
  const {daemon} = world;
  const wrong = [...world.lies.slice(0, 3), ...daemon.problems];
  for (const [tag, count] of daemon.executed) {
    if (count > 1) wrong.push(`${tag} was carried out ${count} times`);
  }
  for (const {tag, reply, page} of world.submitted.values()) {
    const count = daemon.executed.get(tag) ?? 0;
    if (!reply && !page.gone) wrong.push(`${tag} has no answer`);
    if (reply?.ok && count !== 1) wrong.push(`${tag} was called done, and carried out ${count} times`);
    if (reply && !reply.ok && ['notConnected', 'diskFull'].includes(reply.error.code) && count) {
      wrong.push(`${tag} was refused as ${reply.error.code}, and carried out`);
    }
    if (world.kept?.has(tag) && !count) wrong.push(`${tag} was kept, and lost`);
  }
  for (const {outcome} of world.outcomes) {
    // A refusal of what an earlier page had sent is certain.
    if (outcome.code !== 'unknown') continue;
    wrong.push(`uncertain: ${JSON.stringify(outcome.request.command)}`);
  }
  for (const record of world.records.values()) wrong.push(`${record.key} is kept for ever`);
  for (const page of world.pages) {
    const {state, why} = page.board.freshness();
    if (state !== 'live') wrong.push(`page ${page.number} is ${state} at the end: ${why}`);
    if (page.board.table?.digest !== daemon.table.digest) wrong.push('another table at the end');
    if (page.board.counts.wrong) wrong.push(`${page.board.counts.wrong} wrong digests`);
  }
  return {wrong, world};
}

test(`${SEEDS} seeds: exactly once, honest freshness`, {timeout: 3600000}, async () => {
  let live = 0, frames = 0, executed = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const {wrong, world} = await simulate(seed);
    assert.deepEqual(wrong, [], `seed ${seed}`);
    live += world.live;
    frames += world.frames;
    executed += world.daemon.executed.size;
  }
  console.log(`# ${frames} frames, ${live} of them live, ${executed} commands`);
  assert.ok(live > frames / 2, 'most of the time the pages are live');
  assert.ok(executed > SEEDS * 10);
});

/** A method is another one while `f` runs. */
async function planted(type, name, made, f) {
  const right = type.prototype[name];
  type.prototype[name] = made(right);
  try {
    return await f();
  } finally {
    type.prototype[name] = right;
  }
}

const BUGS = {
  'a command is sent again under a new number': [
    Writer, 'put', /carried out 2 times/,
    (right) => function put(one) {
      if (one.sent > 0 && !one.taken) {
        one.identity.last += 1;
        one.identity.pending.delete(one.number);
        one.number = one.identity.last;
        one.identity.pending.set(one.number, one);
        one.text = JSON.stringify({...JSON.parse(one.text), number: one.number});
      }
      right.call(this, one);
    }
  ],
  'the window is not kept': [
    Writer, 'sendDue', /uncertain/,
    (right) => function sendDue() {
      for (const one of this.all()) one.identity.window = Infinity;
      right.call(this);
    }
  ],
  'a reload forgets what was under way': [Writer, 'recover', /is kept for ever/, () => async function recover() {}],
  'heartbeats are not compared':
    [Follower, 'compareHead', /says live/, () => function compareHead() { this.proof.heartbeat(this.now()); }],
  'any heartbeat proves that all is well now':
    [Proof, 'heartbeat', /says live/, () => function heartbeat(now) { this.at = {...now}; }],
};

for (const [name, [type, method, sign, made]] of Object.entries(BUGS)) {
  test(`found: ${name}`, {timeout: 600000}, async () => {
    let found = [];
    await planted(type, method, made, async () => {
      for (let seed = 0; seed < 100 && found.length === 0; seed++) {
        const {wrong} = await simulate(seed);
        found = wrong.filter((one) => sign.test(one));
        if (found.length) console.log(`# seed ${seed}: ${found[0]}`);
      }
    });
    assert.ok(found.length > 0, 'the simulation does not see it');
  });
}
