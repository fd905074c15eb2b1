/** Cached results where servers change, differ between workspaces and sessions, and where daemons restart or are many. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { execute, failing, onEachStore, TestBed } from '../support/test-bed.ts';
import { ask, asUser } from '../support/tool-answers.ts';

const text = { type: 'string' };
const READ = { type: 'object', properties: { path: text }, required: ['path'] };
const WIDER = { type: 'object', properties: { path: text, limit: { type: 'number' } }, required: ['path'] };
const STRICTER = { type: 'object', properties: { path: text, mode: text }, required: ['path', 'mode'] };

const meter = { ...fixtureServer('fixture-meter.ts'), cwd: '/' };
const config = {
  mcpServers: {
    meter,
    own: { ...meter, pml: { perSession: true } },
    files: fixtureServer('fixture-shift.ts'),
  },
};
const env = { PML_USER: 'ana' };

/** Makes a capability that calls a tool, with results cached in the store. */
async function cachedReader(peer: Peer, name: string, callee: string, policy = 'persistent'): Promise<void> {
  const key = name.replace(':', '_');
  const code = `const made = await mcp.${callee}({ key: args.key as string, path: args.key as string }) as any;
    return { ...made, ${key}: 1 }`;
  await execute(peer, { name, code, args: { key: 'first' } });
  await ask(peer, 'cap_rename', { name, cache_policy: policy, ttl: 600, force: true });
}

const call = (peer: Peer, capability: string, key: string): Promise<Loose> =>
  execute(peer, { capability, args: { key } });

onEachStore(config, (bed) => {
  let ana: Peer;
  before(async () => {
    ana = await asUser(bed, 'ana');
  });

  test('a tool that changed makes results out of date, and a stale capability has none', async () => {
    await ana.call('files:shift', { tools: { read: READ } });
    await cachedReader(ana, 'drift:read', 'files.read');
    const isStale = async () => (await ask(ana, 'cap_lookup', { name: 'drift:read' })).stale !== undefined;
    await call(ana, 'drift:read', 'a');
    assert.equal((await call(ana, 'drift:read', 'a')).cached, true);
    await ana.call('files:shift', { tools: { read: WIDER } });
    const known = async () => {
      const tools = await ana.list('tools/list', 'tools');
      return tools.some(
        ({ name, inputSchema }: Loose) => /files.*read/.test(name) && inputSchema.properties.limit,
      );
    };
    await eventually(known, 'the wider schema is known');
    assert.equal((await call(ana, 'drift:read', 'a')).cached, undefined);
    await eventually(async () => (await call(ana, 'drift:read', 'a')).cached, 'its new result is kept');
    await ana.call('files:shift', { tools: { read: STRICTER } });
    await eventually(isStale, 'stale');
    assert.equal(
      (await failing(ana, { capability: 'drift:read', args: { key: 'a' } })).code,
      'capability_stale',
    );
  });

  test('sessions with a server process each share no results of it', async () => {
    const other = await asUser(bed, 'ana');
    for (const policy of ['memoize', 'persistent']) {
      await cachedReader(ana, `own:${policy}`, 'own.read', policy);
      await call(ana, `own:${policy}`, 'b');
      assert.equal((await call(ana, `own:${policy}`, 'b')).cached, true);
      assert.equal((await call(other, `own:${policy}`, 'b')).cached, undefined);
    }
  });

  test('workspaces whose servers only share a name share no results', async () => {
    await cachedReader(ana, 'space:read', 'meter.read');
    const cwd = bed.pml.project('elsewhere', {
      mcpServers: { meter: { ...meter, args: [...meter.args, 'other'] } },
    });
    const elsewhere = await bed.peer('SDK v2 legacy', 'stdio', { env, cwd });
    await call(ana, 'space:read', 'c');
    assert.equal((await call(ana, 'space:read', 'c')).cached, true);
    assert.equal((await call(elsewhere, 'space:read', 'c')).cached, undefined);
    // Caching that was forced was decided for the original alone.
    const copy = await ask(ana, 'cap_fork', { source: 'space:read', name: 'space:copy' });
    assert.equal(copy.cache_policy, 'none');
  });

  test('persistent results outlive the daemon, memoized ones do not', async () => {
    await cachedReader(ana, 'life:long', 'meter.read', 'persistent');
    await cachedReader(ana, 'life:short', 'meter.read', 'memoize');
    for (const name of ['life:long', 'life:short']) {
      await call(ana, name, 'd');
      assert.equal((await call(ana, name, 'd')).cached, true);
    }
    await bed.pml.run(['down']);
    const again = await bed.peer('SDK v2 legacy', 'stdio', { env });
    assert.equal((await call(again, 'life:long', 'd')).cached, true);
    assert.equal((await call(again, 'life:short', 'd')).cached, undefined);
    const { stdout } = await bed.pml.run(['run', 'life:long', '--args', '{"key":"d"}', '--json'], { env });
    assert.equal(JSON.parse(stdout).cached, true);
    await bed.pml.run(['rename', 'life:long', '--cache', 'none'], { env });
    const renamed = await bed.pml.run(['rename', 'life:long', '--cache', 'memoize', '--ttl', '7', '--json'], {
      env,
    });
    const { cache_policy, ttl } = JSON.parse(renamed.stdout);
    assert.deepEqual({ cache_policy, ttl }, { cache_policy: 'memoize', ttl: 7 });
  });
});

test('two daemons on one PostgreSQL share persistent results, and hear of every change', async () => {
  const shared = { mcpServers: { meter } };
  const bed = new TestBed(shared, { onPostgres: true });
  const here = await bed.peer('SDK v2 legacy', 'stdio', { env });
  const second = new Pml({ after }, shared, { PML_DATABASE_URL: bed.pml.env.PML_DATABASE_URL as string });
  const there = await connectPeer(second, 'SDK v2 legacy', 'stdio', '', { env });
  await cachedReader(here, 'both:read', 'meter.read');
  const first = await call(here, 'both:read', 'e');
  const other = await call(there, 'both:read', 'e');
  assert.equal(other.cached, true);
  assert.deepEqual(other.result, first.result);
  await ask(there, 'cap_rename', { name: 'both:read', description: 'another' });
  assert.equal((await call(here, 'both:read', 'e')).cached, undefined);
  await ask(here, 'cap_retire', { name: 'both:read' });
  assert.equal(
    (await failing(there, { capability: 'both:read', args: { key: 'e' } })).code,
    'capability_not_found',
  );
});
