/** Through a real client: every tool answers a stranger as if hidden capabilities had never been made. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDb } from '../../src/store/index.ts';
import { engines } from '../../src/testing/effort.ts';
import { freshDatabase } from '../../src/testing/postgres.ts';
import { eventually } from '../../src/testing/wait.ts';
import { connectPeer, type Loose, type Peer } from '../support/clients.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { execute } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';
import { erase } from './world.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

// Everything that eve may not see is called zqxhidden: long enough that no signature holds it by chance.

for (const engine of engines()) {
  const pml = new Pml({ after }, config);

  test(`a stranger learns nothing by any tool, list, count, error, suggestion or nested call (${engine})`, async () => {
    if (engine === 'PostgreSQL') pml.env.PML_DATABASE_URL = await freshDatabase();
    const { hidden, spellings } = await settle(pml);
    const since = new Date();
    const withThem = await everything(pml, spellings);
    await pml.run(['down']);
    await eraseAll(pml, hidden, since);
    const without = await everything(pml, spellings);
    for (const [index, [asked, answer]] of withThem.entries())
      assert.deepEqual(answer, without[index]?.[1], asked);
    assert.deepEqual(withThem.flatMap(betrayed), []);
    assert.ok(withThem.length > 200);
  });
}

/** Finds hidden words in an answer that were not in the question. */
function betrayed([asked, answer]: Answers[number]): string[] {
  const words = [...JSON.stringify(answer).matchAll(/[\w.:@-]*zqxhidden[\w.:@-]*/g)].map(([word]) => word);
  return words.filter((word) => !asked.includes(word)).map((word) => `${asked} is answered with ${word}`);
}

function connect(pml: Pml, user: string, org = 'local', project = 'default'): Promise<Peer> {
  const env = { PML_USER: user, PML_ORG: org, PML_PROJECT: project };
  return connectPeer(pml, 'SDK v2 legacy', 'stdio', '', { env });
}

/** Creates visible and hidden capabilities. Returns the FQDNs of the hidden ones, and their spellings. */
async function settle(pml: Pml): Promise<{ hidden: string[]; spellings: string[] }> {
  const ana = await connect(pml, 'ana');
  const [cyd, dan] = [
    await connect(pml, 'cyd', 'local', 'other'),
    await connect(pml, 'dan', 'far', 'default'),
  ];
  const eve = await connect(pml, 'eve');
  const hidden: string[] = [];
  const hide = async (peer: Peer, name: string, changes: object = {}) => {
    const code = `return [${hidden.length}, await mcp.work.read({ path: "plan" })]`;
    const { capabilityFqdn } = await execute(peer, { name, code, intent: 'reads the plan' });
    hidden.push(capabilityFqdn);
    if (Object.keys(changes).length > 0) await ask(peer, 'cap_rename', { name, ...changes });
  };
  const show = async (peer: Peer, name: string, code: string, visibility = 'public') => {
    const { capabilityFqdn } = await execute(peer, { name, code, intent: 'reads something open' });
    await ask(peer, 'cap_rename', { name, visibility });
    return capabilityFqdn as string;
  };
  await hide(ana, 'zqxhidden:draft', { new_name: 'zqxhidden:plan', tags: ['zqxhiddentag', 'open'] });
  await ask(ana, 'cap_update', { name: 'zqxhidden:plan', code: 'return "two"', version_tag: 'v2.0.0' });
  await hide(ana, 'zqxhidden:gone');
  await ask(ana, 'cap_retire', { name: 'zqxhidden:gone' });
  await hide(cyd, 'zqxhidden:next_door', { visibility: 'project' });
  await hide(dan, 'zqxhidden:far', { visibility: 'org' });
  await show(ana, 'open:door', 'return { inside: await mcp.zqxhidden.plan() }');
  await show(cyd, 'open:org', 'return "org"', 'org');
  await show(ana, 'open:plain', 'return await mcp.work.read({ path: "open" })', 'project');
  await ask(ana, 'cap_merge', {
    sources: ['zqxhidden:plan', 'zqxhidden:plan@v1'],
    name: 'open:both',
    code: 'return await mcp.zqxhidden.plan()',
  });
  await ask(ana, 'cap_rename', { name: 'open:both', visibility: 'public' });
  // A fork of a capability that was visible once, and a visible fork of a hidden one.
  await show(ana, 'zqxhidden:once', 'return "once"');
  hidden.push((await ask(ana, 'cap_lookup', { name: 'zqxhidden:once' })).fqdn);
  await ask(eve, 'cap_fork', { source: 'zqxhidden:once', name: 'eve:copy' });
  await ask(ana, 'cap_rename', { name: 'zqxhidden:once', visibility: 'private' });
  await ask(ana, 'cap_fork', { source: 'zqxhidden:plan', name: 'open:copy' });
  await ask(ana, 'cap_update', { name: 'open:copy', code: 'return "open copy"' });
  await ask(ana, 'cap_rename', { name: 'open:copy', visibility: 'public', tags: ['open'] });
  await show(eve, 'eve:mine', 'return await mcp.open.plain()', 'private');
  for (const peer of [ana, cyd]) for (let n = 0; n < 3; n++) await peer.call('zqxhidden:plan');
  await settleReturnTypes(ana, eve);
  // A verification marks the version, so hers are verified before she is asked about them.
  for (const name of ['eve:mine', 'eve:copy']) await ask(eve, 'cap_verify', { name });
  const spellings: string[] = [];
  for (const name of hidden) {
    const owner = [ana, cyd, dan].find((_, at) =>
      name.startsWith(['local.default', 'local.other', 'far.'][at] as string),
    );
    const found = await (owner as Peer).call('cap_whois', { name });
    const {
      id = 'zqxhidden-retired',
      display_name = 'zqxhidden:gone',
      aliases = [],
    } = found.structuredContent;
    const scope = name.split('.').slice(0, 2).join('.');
    spellings.push(
      name,
      id,
      display_name,
      ...aliases,
      `${scope}:${display_name}`,
      name.replace(/\.\w+$/, ''),
    );
    spellings.push(`mcp__${display_name.replace(':', '__')}`, `cap:${display_name}`, `${display_name}@v1`);
  }
  for (const peer of [ana, cyd, dan, eve]) {
    await ask(peer, 'cap_stats');
    await peer.close();
  }
  return { hidden, spellings: [...new Set(spellings)] };
}

/**
 * Lets PML learn what visible capabilities return, until nothing that eve does later teaches more. Only then are signatures
 * the same whenever they are asked for.
 */
async function settleReturnTypes(ana: Peer, eve: Peer): Promise<void> {
  for (let n = 0; n < 4; n++) for (const name of ['open:door', 'open:plain']) await ana.call(name);
  for (let n = 0; n < 4; n++) await eve.call('eve:mine');
  await eve.call('eve:copy');
  const signatures = async () => {
    const { results } = await ask(eve, 'pml_discover', {
      intents: ['open door', 'open plain', 'eve mine', 'eve copy'],
    });
    return results.map(({ signature }: Loose): string => signature) as string[];
  };
  const known = [
    /open\.door.*\{ inside\?/,
    /open\.plain.*\{ path\?/,
    /eve\.mine.*\{ path\?/,
    /eve\.copy.*<string>$/,
  ];
  await eventually(async () => {
    const all = await signatures();
    return known.every((one) => all.some((signature) => one.test(signature)));
  }, 'what they return is known');
}

/** Removes the hidden capabilities, and what eve has done since. */
async function eraseAll(pml: Pml, hidden: string[], since: Date): Promise<void> {
  const databaseUrl = pml.env.PML_DATABASE_URL;
  const db = await openDb({ home: pml.home, ...(databaseUrl && { databaseUrl }) });
  try {
    const from = [since.toISOString()];
    await db.query(
      `update capability_records r set usage_count = usage_count - c.calls, success_count = success_count - c.good,
         -- Failures of others' capabilities are no evidence, so only what went well was added.
         recent = left(recent, greatest(length(recent) - c.good::int, 0))
       from (select fqdn, count(*) as calls, count(*) filter (where success) as good from tool_usage
         where called_at >= $1 group by fqdn) c where r.id = c.fqdn`,
      from,
    );
    await db.query('delete from tool_usage where called_at >= $1', from);
    // Ranking looks at it.
    await db.query(
      `update capability_records r set last_used_at =
         coalesce((select max(called_at) from tool_usage u where u.fqdn = r.id), r.created_at)`,
    );
    await db.query('delete from run_recordings where recorded_at >= $1', from);
    await db.query('delete from curation_suggestions');
    await erase(db, hidden);
  } finally {
    await db.close();
  }
}

type Answers = [asked: string, answer: unknown][];

async function everything(pml: Pml, spellings: readonly string[]): Promise<Answers> {
  const eve = await connect(pml, 'eve');
  const answers: Answers = [];
  const call = async (tool: string, input: object = {}) => {
    const answer = await eve.call(tool, input).catch((error: Error) => error.message);
    answers.push([JSON.stringify([tool, input]).replaceAll('\\"', '"'), untimed(answer)]);
  };
  const code = (text: string) =>
    call('pml_execute', { intent: 'x', code: text, options: { remember: false } });
  answers.push(['tools/list', await eve.list('tools/list', 'tools')]);
  for (const filter of [
    {},
    { tags: ['open'] },
    { visibility: 'private' },
    { created_by: 'a*' },
    { unnamed_only: true },
  ])
    for (const sort_by of ['usage', 'name', 'created'])
      await call('cap_list', { ...filter, sort_by, limit: 3 });
  await call('cap_list', { limit: 1000 });
  await call('cap_stats');
  await call('cap_curate', { filter: { unnamed_only: false } });
  await call('cap_curate', { filter: { unnamed_only: false }, dry_run: true });
  await call('cap_list', { pattern: 'z*' });
  await call('cap_list', { namespace: 'z*' });
  for (const intent of ['read the plan', 'the data', 'reads', 'zqxhidden']) {
    await call('pml_execute', { intent });
    for (const more of [{}, { kind: 'capability' }, { server: 'zqxhidden' }])
      await call('pml_discover', { intent, ...more });
  }
  // Near enough for "did you mean".
  for (const near of ['zqxhiden:plan', 'zqyhidden:plan', 'qxhidden:gone', 'op:door']) {
    await call(near);
    await call('pml_execute', { intent: 'x', capability: near });
    await code(`return await mcp["${near}"]()`);
    await code(`const name = "${near}"; return await mcp[name]()`);
  }
  for (const name of [
    'open:door',
    'open:both',
    'open:copy',
    'open:plain',
    'open:org',
    'eve:copy',
    'eve:mine',
  ]) {
    for (const tool of ['cap_lookup', 'cap_whois', 'cap_history', 'cap_stats', 'cap_verify'])
      await call(tool, { name });
    await call(name);
    await call('pml_execute', { intent: 'x', capability: name });
    await code(`return await mcp["${name}"]()`);
    await code(`try { return await mcp["${name}"]() } catch (error) { return String(error) }`);
  }
  for (const [at, name] of spellings.entries()) {
    await call('cap_lookup', { name });
    await call(name);
    await call('pml_execute', { intent: 'x', capability: name });
    await code(`return await mcp["${name}"]()`);
    // The other tools find it in the same way: a few spellings each suffice.
    if (at % 4 > 0) continue;
    for (const tool of ['cap_whois', 'cap_history', 'cap_stats', 'cap_verify', 'cap_retire', 'cap_restore'])
      await call(tool, { name });
    await call('cap_rename', { name, description: 'mine now' });
    await call('cap_update', { name, code: 'return 1' });
    await call('cap_fork', { source: name, name: 'eve:stolen' });
    await call('cap_merge', { sources: ['eve:mine', name], name: 'eve:stolen' });
    const decisions = {
      renames: [{ id: name, name: 'eve:stolen' }],
      merges: [{ keep: 'eve:mine', fold: [name] }],
    };
    await call('cap_curate', { mode: 'apply', ...decisions, refuse: [name] });
    await call('pml_execute', { intent: 'x', capability_id: name });
    await code(`const name = "${name}"; return await mcp[name]()`);
  }
  await eve.close();
  return answers;
}

/** Removes times, which always differ. */
function untimed(answer: Loose): unknown {
  if (typeof answer === 'string') return answer;
  const { content, structuredContent, isError } = answer;
  const plain = JSON.stringify(structuredContent ?? content, (key, value) =>
    /_ms$|Ms$|^last_used_at$/.test(key) ? 0 : value,
  );
  return { isError, said: JSON.parse(plain) };
}
