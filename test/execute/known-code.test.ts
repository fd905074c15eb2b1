/** Through a real client: code that is known is answered from memory, and what was changed meanwhile is known at once. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDb } from '../../src/store/index.ts';
import { within } from '../../src/testing/wait.ts';
import type { Peer } from '../support/clients.ts';
import { statusOf } from '../support/daemon.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { crm: fixtureServer('fixture-crm.ts') } }, { onPostgres: true });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

const CODE = 'return (await mcp.crm.customer({ name: "Globex" })).city';
const ALL_TABLES =
  'lock table capability_records, parameter_verdicts, run_recordings in access exclusive mode';

test('the answer to known code waits for no table, and says how to call the capability', async (t) => {
  const first = await execute(peer, { code: CODE, name: 'crm:city' });
  // The first run's rows are stored before the status is known.
  await statusOf(bed.pml);
  const second = await execute(peer, { code: CODE });
  const databaseUrl = bed.pml.env.PML_DATABASE_URL as string;
  const db = await openDb({ home: bed.pml.home, databaseUrl });
  t.after(() => db.close());

  const third = await db.transaction(async (tx) => {
    await tx.query(ALL_TABLES);
    return within(execute(peer, { code: CODE }), 30_000, 'the answer');
  });

  assert.equal(third.result, first.result);
  assert.deepEqual(third.remembered, second.remembered);
  assert.equal(third.capabilityFqdn, first.capabilityFqdn);
  assert.match(third.warnings.join(), /This code is the capability "crm:city"/);
});

test('a new name, and that the capability is retired, show in the next answer', async () => {
  await ask(peer, 'cap_rename', { name: 'crm:city', new_name: 'crm:where' });
  const renamed = await execute(peer, { code: CODE });
  assert.equal(renamed.remembered.name, 'crm:where');
  await ask(peer, 'cap_retire', { name: 'crm:where' });
  const again = await execute(peer, { code: CODE });
  assert.notEqual(again.capabilityFqdn, renamed.capabilityFqdn);
});
