/** One server that cannot be used costs that server alone, and whoever asks for it reads why. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { withTimeout } from '../../src/with-timeout.ts';
import { serverOf, statusOf } from '../support/daemon.ts';
import { fixtureServer, Pml } from '../support/pml.ts';
import { INITIALIZE, RawSession, textOf, type Wire } from '../support/raw-session.ts';

const FIXTURE = 'hostile-stdio.ts';
const UNSET = '$' + '{PML_TEST_UNSET}';
const NOT_SET = /PML_TEST_UNSET is not set.*mcpServers\.keyless\.env\.KEY/;

const pml = new Pml({ after });
let session: RawSession;
let instructions: string;

before(async () => {
  pml.configure({
    mcpServers: {
      good: fixtureServer(FIXTURE),
      keyless: { ...fixtureServer(FIXTURE), env: { KEY: UNSET } },
      fileless: { ...fixtureServer(FIXTURE), envFile: 'no-such.env' },
      'off-duty': { ...fixtureServer(FIXTURE), disabled: true },
      dying: fixtureServer(FIXTURE, '--start=die'),
    },
  });
  session = new RawSession(pml);
  instructions = String((await session.request('initialize', INITIALIZE)).result?.instructions);
  await eventually(async () => (await serverOf(pml, 'dying')).state === 'down', 'dying is down');
});

async function execute(code: string, args: object = {}, by = session): Promise<Wire> {
  return by.call('pml_execute', { intent: 'try', code, args });
}

/** Opens a session with two servers that have just begun to start: `late` until the file exists, and `hung` for ever. */
async function besideStarting(name: string): Promise<{ beside: RawSession; mayList: string }> {
  const mayList = join(pml.dir, `${name}-may-list`);
  const cwd = pml.project(name, {
    mcpServers: {
      good: fixtureServer(FIXTURE),
      late: fixtureServer(FIXTURE, `--list-when=${mayList}`),
      hung: fixtureServer(FIXTURE, '--start=hang'),
    },
  });
  const beside = await new RawSession(pml, { cwd }).initialize();
  assert.equal(textOf(await beside.call('good:echo', { text: 'here' })), 'here');
  return { beside, mayList };
}

/** Asserts that a call failed since its server is not available, and not with `Not found`. */
function assertUnavailable(answer: Wire, words: RegExp): void {
  assert.equal(answer.result?.isError, true, JSON.stringify(answer));
  assert.match(textOf(answer), words);
  assert.doesNotMatch(textOf(answer), /not found|unknown tool/i);
}

test('a variable that is not set takes down its server alone, and every place names it with the reason', async () => {
  assert.match(
    instructions,
    /Down: keyless \(was not started: the environment variable PML_TEST_UNSET is not set/,
  );
  assert.equal(textOf(await session.call('good:echo', { text: 'here' })), 'here');
  const status = await serverOf(pml, 'keyless');
  assert.equal(status.state, 'down');
  assert.match(String(status.problem), NOT_SET);
  assert.match((await pml.run(['status'])).stdout, NOT_SET);
});

test('pml doctor names what is missing, and checks the other servers', async () => {
  const folder = pml.project('doctored', {
    mcpServers: { good: fixtureServer(FIXTURE), keyless: { command: 'x', env: { KEY: UNSET } } },
  });
  const { code, stdout } = await pml.doctor([], { cwd: folder });
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`FAIL server keyless it was not started: .*${NOT_SET.source}`));
  assert.match(stdout, /ok {3}server good/);
});

test('the server starts for a session that has the variable', async () => {
  const other = await new RawSession(pml, { env: { PML_TEST_UNSET: 'a-key-that-is-set' } }).initialize();
  assert.equal(textOf(await other.call('keyless:echo', { text: 'set' })), 'set');
});

for (const [server, words] of [
  ['keyless', NOT_SET],
  ['fileless', /cannot read this file \(mcpServers\.fileless\.envFile\)/],
  ['off-duty', /off-duty\W+is disabled in the config/],
  ['dying', /dying\W+is not available: it exited with code 3/],
] as const) {
  test(`a call of a tool of ${server} says why there is none, whoever makes it`, async () => {
    for (const name of [`${server}:echo`, `mcp__${server}__echo`])
      assertUnavailable(await session.call(name, { text: 'x' }), words);
    const name = JSON.stringify(server);
    assertUnavailable(await execute(`return await mcp[${name}].echo({ text: 'x' });`), words);
    const caught = await execute(
      'try { return await mcp.call(args.n, {}); } catch (e) { return e.message; }',
      {
        n: `${server}:echo`,
      },
    );
    assert.match(textOf(caught), words);
    assertUnavailable(await session.call('pml_discover', { server }), words);
  });
}

test('a search says which servers it could not search, because they start for the first time', async () => {
  const { beside } = await besideStarting('searched');
  const answer = textOf(await beside.call('pml_discover', { intent: 'echo a text' }));
  assert.match(answer, /mcp__good__echo/);
  assert.match(answer, /Still starting, so not searched: late, hung\. Ask again in a few seconds\./);
});

test('the search of a person waits for servers that start', async () => {
  const may = join(pml.dir, 'may-list-for-person');
  const cwd = pml.project('slow', { mcpServers: { slow: fixtureServer(FIXTURE, `--list-when=${may}`) } });
  const searching = pml.run(['discover', 'echo a text'], { cwd });
  // Longer than the first list waits for servers that are new.
  assert.equal(await withTimeout(searching, 4500), undefined);
  writeFileSync(may, '');
  assert.match((await searching).stdout, /mcp__slow__echo/);
});

test('code waits for the servers that it names to start, and for no others', async () => {
  const began = performance.now();
  const { beside, mayList } = await besideStarting('named');
  const run = (code: string) => execute(code, {}, beside);
  assert.match(textOf(await run('return await mcp.good.echo({ text: "at once" });')), /at once/);
  const waiting = run('return await mcp.late.echo({ text: "at last" });');
  const searching = beside.call('pml_discover', { server: 'late' });
  const { workspaces } = await statusOf(pml);
  const own = workspaces.find(({ config }) => config?.includes('/named/'));
  const state = own?.servers.find(({ name }) => name === 'late')?.state;
  assert.equal(state, 'starting', `after ${performance.now() - began} ms`);
  writeFileSync(mayList, '');
  assert.match(textOf(await waiting), /at last/);
  assert.match(textOf(await searching), /mcp__late__echo/);
});

test('without a config, all that one reads says what to do next', async () => {
  const NEXT = /0 servers\. Next: pml init/;
  const bare = new Pml({ after }, {}, { PML_HOME: pml.home });
  const cwd = join(bare.dir, 'empty');
  mkdirSync(cwd);
  // The folder of the test has a config, and this one is found before it.
  writeFileSync(join(bare.dir, 'pml.json'), '{}');
  const alone = new RawSession(bare, { cwd });
  const { result } = await alone.request('initialize', INITIALIZE);
  assert.match(String(result?.instructions), NEXT);
  assert.match(textOf(await alone.call('pml_discover', { intent: 'read a file' })), NEXT);
  const code = 'return await mcp.fs.read_file({ path: "x" });';
  assert.match(textOf(await alone.call('pml_execute', { intent: 'read', code })), NEXT);
  assert.match(textOf(await alone.call('fs:read_file')), NEXT);
  const { workspaces } = await statusOf(pml);
  assert.ok(workspaces.some(({ noServers }) => NEXT.test(String(noServers))));
});
