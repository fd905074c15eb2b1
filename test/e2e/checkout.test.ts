/** All other tests of a whole PML drive the package; this one drives the sources, as `npm start` in a clone does. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fixtureServer, Pml } from '../support/pml.ts';
import { RawSession, textOf } from '../support/raw-session.ts';

const program = fileURLToPath(new URL('../../bin/pml.js', import.meta.url));

test('a checkout runs from its sources: it relays calls and runs code', async () => {
  const pml = new Pml({ after }, { mcpServers: { good: fixtureServer('hostile-stdio.ts') } });
  const session = await new RawSession(pml, { program }).initialize();
  assert.equal(textOf(await session.call('good:echo', { text: 'from sources' })), 'from sources');
  const code = 'return await mcp.good.echo({ text: "from code" })';
  assert.match(textOf(await session.call('pml_execute', { intent: 'try', code })), /from code/);
});
