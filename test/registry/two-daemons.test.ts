/** Simultaneous acts at two daemons on one PostgreSQL have one outcome, which both report. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertConsistent } from '../../src/registry/consistency.testing.ts';
import { times } from '../../src/testing/effort.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { Pml } from '../support/pml.ts';
import { execute, TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

/** 200 and more with `PML_EFFORT=8`. */
const ROUNDS = times(25);
const config = { names: { reserveDays: 0 } };
const bed = new TestBed(config, { onPostgres: true });
const second = new Pml({ after }, config);
let here: Peer;
let there: Peer;

before(async () => {
  await bed.url();
  second.env.PML_DATABASE_URL = bed.pml.env.PML_DATABASE_URL as string;
  const env = { PML_USER: 'ana' };
  [here, there] = await Promise.all([
    bed.peer('SDK v2 legacy', 'stdio', { env }),
    connectPeer(second, 'SDK v2 legacy', 'stdio', '', { env }),
  ]);
});

/** The result of a call: `done`, or `code: message`. */
async function outcomeOf(peer: Peer, tool: string, input: object = {}): Promise<string> {
  const { isError, structuredContent, content } = await peer.call(tool, input);
  if (!isError) return 'done';
  const { code, message } = structuredContent?.error ?? { code: 'odd', message: content[0].text };
  return `${code}: ${message}`;
}

/** Does two things at once, one at each daemon; they take turns in who begins. */
async function atOnce(
  round: number,
  one: [tool: string, input: object],
  other: [tool: string, input: object],
): Promise<[string, string]> {
  const [first, then] = round % 2 === 0 ? [here, there] : [there, here];
  return Promise.all([outcomeOf(first, ...one), outcomeOf(then, ...other)]);
}

function race(name: string, run: () => Promise<(round: number) => Promise<void>>): void {
  test(`${name}, ${ROUNDS} times`, async () => {
    const once = await run();
    for (let round = 0; round < ROUNDS; round++) await once(round);
    const all = (peer: Peer) => ask(peer, 'cap_list', { sort_by: 'name', limit: 1000 });
    // Each first stores the calls that it counted.
    await Promise.all([all(here), all(there)]);
    assert.deepEqual(await all(here), await all(there), 'both tell the same');
    assert.deepEqual(await here.toolNames(), await there.toolNames());
    await bed.rows('select 1');
    await assertConsistent({
      notify: async () => {},
      query: async (sql, params) => ({ rows: await bed.rows(sql, params), rowCount: 0 }),
    });
  });
}

async function made(name: string): Promise<string> {
  return (await execute(here, { name, code: `return "${name}"` })).capabilityFqdn;
}

function taken(name: string): string {
  return `name_taken: Capability name '${name}' already exists in scope local.default`;
}

function assertOneWon(outcomes: string[], name: string): void {
  assert.deepEqual(outcomes.toSorted(), ['done', taken(name)]);
}

race('of two renames to one name exactly one wins', async () => {
  const [a, b] = [await made('r:a'), await made('r:b')];
  return async (round) => {
    const new_name = `r:${round}`;
    const outcomes = await atOnce(
      round,
      ['cap_rename', { name: a, new_name }],
      ['cap_rename', { name: b, new_name }],
    );
    assertOneWon(outcomes, new_name);
    const owner = outcomes[0] === 'done' ? a : b;
    const told = await Promise.all([here, there].map((peer) => ask(peer, 'cap_lookup', { name: new_name })));
    assert.deepEqual(
      told.map(({ fqdn, display_name }) => [fqdn, display_name]),
      [
        [owner, new_name],
        [owner, new_name],
      ],
    );
  };
});

race('a rename and an update of one capability are both kept', async () => {
  const fqdn = await made('u:start');
  return async (round) => {
    const outcomes = await atOnce(
      round,
      ['cap_rename', { name: fqdn, new_name: `u:${round}` }],
      ['cap_update', { name: 'u:start', code: `return ${round}` }],
    );
    assert.deepEqual(outcomes, ['done', 'done']);
    const told = await Promise.all([here, there].map((peer) => ask(peer, 'cap_lookup', { name: 'u:start' })));
    for (const { display_name, version } of told)
      assert.deepEqual([display_name, version], [`u:${round}`, round + 2]);
  };
});

race('a capability that is retired while it is called was called, or was not there', async () => {
  await made('c:called');
  return async (round) => {
    const [retired, called] = await atOnce(round, ['cap_retire', { name: 'c:called' }], ['c:called', {}]);
    assert.equal(retired, 'done');
    const gone = 'capability_not_found: Capability not found: c:called';
    assert.ok(called === 'done' || called === gone, called);
    for (const peer of [here, there]) assert.equal(await outcomeOf(peer, 'c:called'), gone);
    await ask(there, 'cap_restore', { name: 'c:called' });
    assert.equal(await outcomeOf(here, 'c:called'), 'done');
  };
});

race('an update of what is just being retired is kept, or told that it is not there', async () => {
  await made('v:updated');
  let version = 1;
  return async (round) => {
    const [retired, updated] = await atOnce(
      round,
      ['cap_retire', { name: 'v:updated' }],
      ['cap_update', { name: 'v:updated', code: `return ${round}` }],
    );
    assert.equal(retired, 'done');
    if (updated === 'done') version += 1;
    else assert.equal(updated, 'capability_not_found: Capability not found: v:updated');
    const { version: told } = await ask(there, 'cap_restore', { name: 'v:updated' });
    assert.equal(told, version);
  };
});

race('a former name of one that goes back to it is not given to another', async () => {
  const [a, b] = [await made('o:a'), await made('o:b')];
  return async (round) => {
    await ask(here, 'cap_rename', { name: b, new_name: 'o:away' });
    const outcomes = await atOnce(
      round,
      ['cap_rename', { name: a, new_name: 'o:b' }],
      ['cap_rename', { name: b, new_name: 'o:b' }],
    );
    assert.deepEqual(outcomes, [taken('o:b'), 'done']);
    for (const peer of [here, there]) {
      const { fqdn, deprecated_alias } = await ask(peer, 'cap_lookup', { name: 'o:b' });
      assert.deepEqual([fqdn, deprecated_alias], [b, undefined]);
    }
  };
});

race('of two forks to one name exactly one is made', async () => {
  const source = await made('f:source');
  return async (round) => {
    const name = `f:${round}`;
    assertOneWon(await atOnce(round, ['cap_fork', { source, name }], ['cap_fork', { source, name }]), name);
    for (const peer of [here, there]) assert.equal(await outcomeOf(peer, name), 'done');
  };
});

race('the same new code run at both is one capability, with the one name that came first', async () => {
  return async (round) => {
    const code = `return "same ${round}"`;
    const runs = await Promise.all([
      execute(here, { code }),
      execute(there, { code, name: `s:${round}` }),
      execute(here, { code, name: `t:${round}` }),
    ]);
    assert.equal(new Set(runs.map(({ capabilityFqdn }) => capabilityFqdn)).size, 1);
    const { capabilityName } = (await execute(there, { code })) as Loose;
    assert.match(capabilityName, /^[st]:/);
    // The run without a name may be told only that the code is known.
    const [late, ...more] = runs.slice(1).flatMap(({ warnings }) => warnings ?? []);
    assert.deepEqual(more, []);
    assert.equal(late, `This code is already the capability "${capabilityName}", which keeps its name.`);
  };
});

race('a name whose time is up goes back to its owner, or to the one who takes it', async () => {
  const heir = await made('h:heir');
  return async (round) => {
    const name = `h:${round}`;
    const owner = await made(name);
    await ask(there, 'cap_retire', { name });
    const [back, took] = await atOnce(
      round,
      ['cap_restore', { name: owner }],
      ['cap_rename', { name: heir, new_name: name }],
    );
    assert.equal(back, 'done');
    const told = await Promise.all([here, there].map((peer) => ask(peer, 'cap_lookup', { name })));
    const now = await ask(here, 'cap_lookup', { name: owner });
    if (took === 'done') assert.match(now.display_name, /^unnamed_/);
    else assert.deepEqual([took, now.display_name], [taken(name), name]);
    for (const { fqdn } of told) assert.equal(fqdn, took === 'done' ? heir : owner);
  };
});
