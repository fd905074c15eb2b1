import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, onEachStore } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const mcpServers = {
  office: fixtureServer('fixture-office.ts'),
  shift: fixtureServer('fixture-shift.ts'),
};

const INTENT = 'reconcile ledger entries of a branch';

/** Asks again while not all capabilities are indexed, which takes a busy machine a while. */
const find = (peer: Peer, intent = INTENT): Promise<Loose> =>
  attempt(
    () => ask(peer, 'pml_discover', { intent }),
    ({ message = '' }) => !message.includes('indexed yet'),
  );
const namesOf = async (peer: Peer, intent?: string): Promise<string[]> =>
  (await find(peer, intent)).results.map(({ name }: Loose) => name);

onEachStore({ mcpServers }, (bed) => {
  test('what another made in private is neither found nor changes a score', async () => {
    const [ana, ben] = [await asUser(bed, 'ana'), await asUser(bed, 'ben')];
    await execute(ben, { name: 'ledger:mine', intent: INTENT, code: 'return ["mine"]' });
    const intents = [INTENT, 'ledger', 'send an email', 'read entries of a text file'];
    const all = (peer: Peer) =>
      Promise.all(
        intents.map(async (intent) => [
          await find(peer, intent),
          await answerOf(peer, { intent }),
          await ask(peer, 'pml_discover', { intent, server: 'ledger' }),
        ]),
      );
    // Results are observed in the background.
    await eventually(
      async () => JSON.stringify(await find(ben)).includes('Promise<string[]>'),
      'its result is known',
    );
    const before = await all(ben);
    for (let n = 0; n < 5; n++) {
      const code = `return ["ledger ${n}", (await mcp.office.read_text_file({ path: "p${n}" })), ${'1 + '.repeat(n)}1]`;
      await execute(ana, { name: `ledger:own${n}`, intent: `${INTENT} send email ${n}`, code });
    }
    assert.ok((await namesOf(ana)).includes('ledger:own4'));
    assert.deepEqual(await all(ben), before);
    // Shared, it is found, but not by the words that its maker said when it first ran.
    await ask(ana, 'cap_rename', {
      name: 'ledger:own0',
      new_name: 'accounts:balance',
      visibility: 'project',
      description: 'Balance the accounts',
    });
    const found = async (peer: Peer, intent?: string) =>
      (await namesOf(peer, intent)).includes('accounts:balance');
    assert.ok(await found(ben, 'balance the accounts'));
    assert.ok(!(await found(ben)));
    await ask(ana, 'cap_rename', { name: 'accounts:balance', visibility: 'private' });
    assert.ok(!(await found(ben, 'balance the accounts')));
    assert.ok((await found(ana, 'balance the accounts')) && (await found(ana)));
  });

  test('a change is found at once: renamed, described, retired, restored', async () => {
    const cyd = await asUser(bed, 'cyd');
    const intent = 'weigh parcels before shipping';
    await execute(cyd, { name: 'post:weigh', intent, code: 'return ["weighed"]' });
    assert.equal((await namesOf(cyd, intent))[0], 'post:weigh');
    await ask(cyd, 'cap_rename', { name: 'post:weigh', new_name: 'post:scale' });
    assert.equal((await namesOf(cyd, intent))[0], 'post:scale');
    await ask(cyd, 'cap_rename', { name: 'post:scale', description: 'Measure the mass of crates' });
    assert.equal((await namesOf(cyd, 'measure mass of crates'))[0], 'post:scale');
    await ask(cyd, 'cap_retire', { name: 'post:scale' });
    assert.ok(!(await namesOf(cyd, 'measure mass of crates')).includes('post:scale'));
    await ask(cyd, 'cap_restore', { name: 'post:scale' });
    assert.equal((await namesOf(cyd, 'measure mass of crates'))[0], 'post:scale');
  });

  test('a stale capability is marked and ranked low, and a changed list of tools is searched', async () => {
    const dan = await asUser(bed, 'dan');
    const intent = 'inspect the warehouse shelf';
    const code = 'return await mcp.shift.read({ path: args.shelf })';
    await execute(dan, { name: 'shelf:old', intent, code, args: { shelf: 'a' } });
    await execute(dan, {
      name: 'shelf:new',
      intent,
      code: 'return ["shelf", args.shelf]',
      args: { shelf: 'a' },
    });
    assert.equal((await namesOf(dan, intent))[0], 'shelf:old', 'it uses a tool');
    const tools = { inspect_warehouse: { type: 'object', properties: { gate: { type: 'string' } } } };
    await dan.call('shift:shift', { tools });
    await eventually(
      async () => (await namesOf(dan, 'inspect warehouse gate'))[0]?.includes('inspect_warehouse'),
      'a new tool',
    );
    const { results } = await eventually(async () => {
      const found = await find(dan, intent);
      return found.results.some(({ stale }: Loose) => stale) && found;
    }, 'a stale capability');
    const names = results.map(({ name }: Loose) => name);
    assert.ok(names.indexOf('shelf:new') < names.indexOf('shelf:old'), names.join());
    assert.match(results.find(({ name }: Loose) => name === 'shelf:old').stale, /read/);
    assert.ok(!names.includes('mcp__shift__read'));
    assert.equal((await answerOf(dan, { intent })).clear_match?.name, 'shelf:new');
  });

  test('public capabilities of other scopes are found by a name that can be called', async () => {
    const ana = await asUser(bed, 'ana');
    await execute(ana, { name: 'world:greet', intent: 'salute the whole planet', code: 'return ["hello"]' });
    const far = await asUser(bed, 'eve', { PML_ORG: 'far' });
    assert.deepEqual(await namesOf(far, 'salute the whole planet'), []);
    await ask(ana, 'cap_rename', { name: 'world:greet', visibility: 'public' });
    const [name] = await namesOf(far, 'salute the whole planet');
    assert.equal(name, 'local.default:world:greet');
    assert.deepEqual((await execute(far, { capability: name })).result, ['hello']);
  });
});
