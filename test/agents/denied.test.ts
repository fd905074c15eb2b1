import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import {
  type AgentClient,
  type GatewayBed,
  type Loose,
  openGatewayBed,
  rightsServer,
} from '../support/gateway-bed.ts';

const agents = {
  blind: { capabilities: { alpha: {}, beta: { tools: ['read'] } } },
  sighted: { capabilities: { alpha: {}, beta: { tools: ['read'] }, capabilities: { names: ['lib:open'] } } },
  empty: { capabilities: { alpha: { tools: [] } } },
};
const shared = { alpha: rightsServer('alpha', ['read', 'write', 'touch']) };
/** The agents may not use all of this. */
const whole = {
  mcpServers: {
    ...shared,
    beta: rightsServer('beta', ['read', 'drop', 'ready']),
    secret: rightsServer('secret', ['read', 'payroll', 'touch']),
    'alpha.two': rightsServer('alpha.two', ['read']),
  },
  scope: { project: 'whole' },
  agents,
};
/** Here there is nothing else than what they may use. */
const bare = {
  mcpServers: { ...shared, beta: rightsServer('beta', ['read']) },
  scope: { project: 'bare' },
  agents,
};

let bed: GatewayBed;
let bareGateway: GatewayBed['gateway'];

before(async () => {
  bed = await openGatewayBed(whole);
  bareGateway = await bed.reopen(bare);
  const inWhole = await bed.connect();
  const inBare = await bed.connect({}, { of: bareGateway, who: { ...bed.user, project: 'bare' } });
  for (const user of [inWhole, inBare])
    await user.execute({ name: 'lib:open', intent: 'open things', code: 'return { open: [1].length }' });
  const code = 'return { hidden: await mcp.secret.payroll({ n: 1 }) }';
  await inWhole.execute({ name: 'lib:hidden', intent: 'hidden payroll', code });
  await inWhole.execute({
    name: 'lib:opened',
    intent: 'open other things',
    code: 'return { opened: [2, 3].length }',
  });
  await inWhole.call('secret:payroll', { n: 2 });
  // An answer says so while not all capabilities are indexed, which takes a busy machine a while.
  for (const user of [inWhole, inBare])
    await eventually(() => isIndexed(user), 'all capabilities are indexed');
});
after(() => bed.close());

async function isIndexed(client: AgentClient): Promise<boolean> {
  const { structuredContent } = await client.call('pml_discover', { intent: 'open things' });
  return !JSON.stringify(structuredContent).includes('indexed yet');
}

const NAMES = [
  'mcp__secret__read',
  'secret:read',
  'secret.payroll',
  'secret:payrol',
  'beta:drop',
  'mcp__beta__drop',
  'beta:ready',
  'beta:rea',
  'alpha.two:read',
  'alphatwo:read',
  'alpha:raed',
  'lib:hidden',
  'mcp__lib__hidden',
  'lib:hiden',
  'lib:opened',
  'local.whole.lib.hidden',
  'local.whole:lib:hidden',
  'mcp:secret',
  'secret',
];
const CODES = [
  ...NAMES.map((name) => `return await mcp.call(${JSON.stringify(name)}, {})`),
  ...NAMES.map((name) => `const name = args.none ?? ${JSON.stringify(name)}; return await mcp[name]({})`),
  'return await mcp.secret.payroll({})',
  'return await mcp.secret.payrol({ n: 1 })',
  'return await mcp.beta.drop({})',
  'return [Object.keys(mcp), Object.keys(mcp.beta), Object.keys(mcp.secret)]',
  'return await pml.query({ limit: 50 })',
  'return await pml.lookup("lib:hidden")',
  'return await pml.whois("mcp:secret")',
  'return await pml.history("lib:hidden")',
  'return await pml.result("abc-def")',
];
const URIS = ['secret://doc', 'secret://item/1', 'beta://doc', 'beta://item/1', 'other://doc', 'alpha://doc'];

/** Everything that a client can ask about what its agent may not use. */
async function probe(client: AgentClient): Promise<[string, Loose][]> {
  const seen: [string, Loose][] = [['instructions', client.instructions()]];
  const note = async (what: string, answer: Promise<Loose>) =>
    seen.push([what, await answer.catch(({ code, message, data }) => ({ code, message, data }))]);
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    await note(method, client.request(method));
  for (const name of NAMES) {
    await note(`call ${name}`, client.call(name, { n: 1 }));
    await note(`execute ${name}`, client.execute({ capability: name }));
    await note(
      `get ${name}`,
      client.request('prompts/get', { name: name.replace(/read|drop|payroll/, 'ask') }),
    );
    for (const tool of ['cap_lookup', 'cap_whois', 'cap_history', 'cap_stats'])
      await note(`${tool} ${name}`, client.call(tool, { name }));
    for (const tool of ['cap_rename', 'cap_retire', 'cap:restore', 'cap_verify'])
      await note(`${tool} ${name}`, client.call(tool, { name, description: 'x' }));
  }
  for (const code of CODES) await note(code, client.execute({ code, options: { remember: false } }));
  for (const uri of URIS) {
    await note(`read ${uri}`, client.request('resources/read', { uri }));
    await note(`subscribe ${uri}`, client.request('resources/subscribe', { uri }));
    const ref = { type: 'ref/resource', uri: uri.replace('/1', '/{id}') };
    await note(
      `complete ${uri}`,
      client.request('completion/complete', { ref, argument: { name: 'id', value: '' } }),
    );
  }
  for (const name of ['mcp__secret__ask', 'secret:ask', 'beta:ask', 'alpha:aks']) {
    const argument = { name: 'x', value: '' };
    await note(
      `complete ${name}`,
      client.request('completion/complete', { ref: { type: 'ref/prompt', name }, argument }),
    );
  }
  for (const server of ['secret', 'beta', 'alpha.two', 'nothing'])
    await note(`discover ${server}`, client.call('pml_discover', { server }));
  for (const intent of [
    'payroll',
    'drop by beta',
    'hidden payroll',
    'open things',
    'read by secret',
    'touch',
  ])
    for (const tool of ['pml_discover', 'pml_execute'])
      await note(`${tool} ${intent}`, client.call(tool, { intent }));
  await note('list', client.call('cap_list', {}));
  await note('list servers', client.call('cap_list', { type: 'mcp-server' }));
  await note('stats', client.call('cap_stats', {}));
  return seen;
}

/** Ids, times and the names of the two scopes differ by themselves; scores do not. */
function comparable(answer: Loose): string {
  return JSON.stringify(answer)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/((?:executionTimeMs|p50_ms|p95_ms)\\?":)[\d.]+/g, '$1MS')
    .replace(/\b(whole|bare)\b/g, 'scope');
}

for (const agent of Object.keys(agents)) {
  test(`to ${agent}, what it may not use looks like something that does not exist, byte for byte`, async () => {
    const denied = await probe(await bed.connect({ agent }));
    const who = { ...bed.user, project: 'bare' };
    const missing = await probe(await bed.connect({ agent }, { of: bareGateway, who }));
    assert.equal(denied.length, missing.length);
    for (const [at, [what, answer]] of denied.entries())
      assert.equal(comparable(answer), comparable(missing[at]?.[1]), what);
    const told = JSON.stringify(denied.map(([, answer]) => answer));
    assert.ok(!/secret (at|by|is)|by secret|hidden payroll/.test(told));
  });
}
