import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { answerOf, execute, TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const bed = new TestBed({ mcpServers: { work: fixtureServer('fixture-work.ts') } });
let peer: Peer;

before(async () => {
  peer = await bed.peer();
});

const CODE = 'const kept = await mcp.work.kept(); return kept.length >= 0 ? [args.date] : kept;';

async function parametersOf(name: string): Promise<Loose> {
  const { parameters_schema } = await ask(peer, 'cap_whois', { name });
  return parameters_schema.properties;
}

test('an argument that the code chose says its type, format and example', async () => {
  const { capabilityFqdn } = await execute(peer, { code: CODE, args: { date: '2026-03-02' } });
  assert.deepEqual((await parametersOf(capabilityFqdn)).date, {
    type: 'string',
    format: 'date',
    description: 'YYYY-MM-DD',
    examples: ['2026-03-02'],
  });
});

test('an argument of another type with which the same code ran later is accepted from then on', async () => {
  const { capabilityFqdn: capability } = await execute(peer, { code: CODE, args: { date: '2026-03-02' } });
  const before = await answerOf(peer, { capability, args: { date: 20260302 } });
  assert.equal(before.error.code, 'invalid_arguments');
  const again = await execute(peer, { code: CODE, args: { date: 20260302 } });
  assert.equal(again.capabilityFqdn, capability);
  const { result } = await execute(peer, { capability, args: { date: 20260303 } });
  assert.deepEqual(result, [20260303]);
  assert.deepEqual((await execute(peer, { capability, args: { date: '2026-03-04' } })).result, [
    '2026-03-04',
  ]);
  assert.deepEqual((await parametersOf(capability)).date.type, ['string', 'number']);
});
