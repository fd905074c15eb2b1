import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Server } from '@modelcontextprotocol/server';
import type { ResolvedAgent } from '../access/agents/index.ts';
import { loadConfig } from '../config/index.ts';
import { openLog } from '../log.ts';
import { type ServerDefinition, serveInProcess, Upstream } from '../upstream/index.ts';
import { AgentScopes } from './agent-scopes.ts';

const home = mkdtempSync(join(tmpdir(), 'pml-scopes-'));
after(() => rmSync(home, { recursive: true, force: true }));
const config = loadConfig({ cwd: home, env: { PML_HOME: home }, flags: {} });
const log = openLog({ level: 'silent' });
const ana = { user: 'ana', org: 'acme', project: 'web' };

const notes: ServerDefinition = {
  ...{ name: 'notes', routing: 'local', perSession: false, timeoutMs: 1000, prefix: true },
  transport: {
    kind: 'in-process',
    id: 'notes',
    open: () => serveInProcess(new Server({ name: 'notes', version: '1' }, { capabilities: { tools: {} } })),
  },
};

function scopes() {
  const started: Upstream[] = [];
  const resolve = (agent: string): ResolvedAgent => ({
    rights: { agent, servers: new Map([['notes', 'all']]), capabilities: 'none', changingTools: new Set() },
    backings: new Map([['notes', notes]]),
  });
  const start = (servers: readonly ServerDefinition[]) => {
    const upstreams = servers.map((server) => new Upstream({ server, log }));
    started.push(...upstreams);
    return upstreams;
  };
  return { started, scopes: new AgentScopes({ config, shared: [], resolve, start }) };
}

test('the sessions of an agent and user share its servers, which end a minute after the last session', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { started, scopes: all } = scopes();
  const first = all.open('clerk', ana);
  all.enter(first);
  // Also another agent may call in the user's name: the servers are of the agent that is asked for.
  assert.equal(all.open('clerk', first.who), first);
  all.enter(first);
  const bens = all.open('clerk', { ...ana, user: 'ben' });
  assert.notEqual(bens, first);
  all.enter(bens);
  assert.equal(started.length, 2);
  all.leave(first);
  t.mock.timers.tick(120_000);
  assert.deepEqual(all.all, [first, bens]);
  all.leave(first);
  t.mock.timers.tick(59_000);
  // It comes back in time.
  all.enter(all.open('clerk', ana));
  t.mock.timers.tick(120_000);
  assert.equal(started.length, 2);
  all.leave(first);
  t.mock.timers.tick(61_000);
  assert.deepEqual(all.all, [bens]);
  assert.equal(started[0]?.state, 'stopped');
  all.enter(all.open('clerk', ana));
  assert.equal(started.length, 3);
});

test('an agent that nobody joins is closed, too, and all are closed at the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { started, scopes: all } = scopes();
  all.open('clerk', ana);
  t.mock.timers.tick(61_000);
  assert.deepEqual(all.all, []);
  all.enter(all.open('clerk', ana));
  await all.close();
  assert.deepEqual(
    started.map(({ state }) => state),
    ['stopped', 'stopped'],
  );
});
