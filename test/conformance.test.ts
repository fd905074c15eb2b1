import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runConformance } from '../scripts/conformance.ts';
import { fixtureServer, Pml } from './support/pml.ts';
import { onUsualEngine } from './support/usual-engine.ts';

test('the official conformance suite passes through PML, for both revisions of the protocol', async (t) => {
  const fixture = { ...fixtureServer('conformance-server.ts', 'stdio'), pml: { prefix: false } };
  const pml = new Pml(t, { mcpServers: { fixture } });
  await onUsualEngine(pml);
  const { url } = await pml.up();

  const runs = await runConformance(`${url}/mcp`);

  for (const { requirements, exitCode, output } of runs) {
    assert.equal(exitCode, 0, `${requirements}:\n${output.slice(-4000)}`);
  }
  assert.deepEqual(
    runs.map(({ requirements }) => requirements),
    ['2025-11-25', '2026-07-28'],
  );
});
