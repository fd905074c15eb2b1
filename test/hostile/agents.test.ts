import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AgentClient, type GatewayBed, openGatewayBed, rightsServer } from '../support/gateway-bed.ts';

let bed: GatewayBed;
let user: AgentClient;

before(async () => {
  bed = await openGatewayBed({
    mcpServers: { fs: rightsServer('fs', ['read']), vault: rightsServer('vault', ['open']) },
    agents: {
      limited: { capabilities: { fs: {}, capabilities: {} } },
    },
  });
  user = await bed.connect();
});
after(() => bed.close());

const code = 'const opened = await mcp.vault.open({ n: 4711 }); return { opened }';

test('an agent replays no recording of a tool that it may not use, and its verdict does not count', async () => {
  await user.execute({ name: 'lib:vaulted', intent: 'open the vault', code });
  await user.execute({ name: 'lib:nested', intent: 'nested', code: 'return [await mcp.lib.vaulted({})]' });
  await user.execute({ name: 'lib:read', intent: 'read', code: 'return [await mcp.fs.read({ n: 12 })]' });
  for (const name of ['lib:vaulted', 'lib:nested', 'lib:read']) {
    const { structuredContent } = await user.call('cap_verify', { name });
    assert.equal(structuredContent.verified, true, name);
  }
  const limited = await bed.connect({ agent: 'limited' });
  for (const name of ['lib:vaulted', 'lib:nested']) {
    const { structuredContent } = await limited.call('cap_verify', { name });
    assert.deepEqual(structuredContent.runs, [], name);
    assert.equal((await user.call('cap_whois', { name })).structuredContent.verified, true, name);
    const updated = await limited.call('cap_update', { name, code: `return { never: "${name}" }` });
    assert.deepEqual(updated.structuredContent.replay, { passed: 0, failed: 0, differences: [] }, name);
  }
  const { structuredContent } = await limited.call('cap_verify', { name: 'lib:read' });
  assert.equal(structuredContent.verified, true);
});
