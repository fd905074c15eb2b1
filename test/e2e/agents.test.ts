import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixtureServer, Pml } from '../support/pml.ts';

const config = {
  mcpServers: { work: fixtureServer('fixture-work.ts') },
  agents: {
    analyst: {
      systemPrompt: 'You analyse.',
      capabilities: { work: { tools: ['read'], dirs: ['/data'] }, capabilities: {} },
    },
  },
};

const pml = new Pml({ after }, config);

test('the config takes agents, and a session that asks for one is refused rather than given everything', async () => {
  for (const agent of ['analyst', 'nobody']) {
    const { code, stdout, stderr } = await pml.run(['serve', '--agent', agent]);
    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`Agent "${agent}" cannot be served`));
  }
  const { code, stderr } = await pml.run(['list']);
  assert.equal(code, 0, stderr);
});

test('the tools of an agent are a list of names', async () => {
  const agents = { analyst: { capabilities: { work: { tools: 'read' } } } };
  const folder = pml.project('wrong', { ...config, agents });
  const { code, stderr } = await pml.run(['list'], { cwd: folder });
  assert.equal(code, 1);
  assert.match(stderr, /agents\.analyst\.capabilities\.work\.tools: expected array, got string/);
});
