import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { EACH_CLIENT, type Kind, type Loose, type Peer, type TransportName } from '../support/clients.ts';
import { npmServer } from '../support/pml.ts';
import { CHANGED, execute, TestBed } from '../support/test-bed.ts';

const bed = new TestBed({
  mcpServers: { filesystem: npmServer('filesystem', '.'), everything: npmServer('everything') },
});
const { dir } = bed.pml;
writeFileSync(join(dir, 'package.json'), '{"version": "1.2.3"}');
mkdirSync(join(dir, 'other'));
writeFileSync(join(dir, 'other', 'package.json'), '{"version": "9.8.7"}');

/** Two clients of each kind on each transport: one that works, one that looks on. */
const pairs = new Map<string, [Peer, Peer]>();

before(async () => {
  await Promise.all(
    EACH_CLIENT.map(async ({ kind, transport }) => {
      const pair = await Promise.all([bed.peer(kind, transport), bed.peer(kind, transport)]);
      pairs.set(`${kind} ${transport}`, pair);
    }),
  );
});

const pairOf = (kind: Kind, transport: TransportName) => pairs.get(`${kind} ${transport}`) as [Peer, Peer];

/** Waits until this client lists a tool, and returns the listing. */
async function untilListed(peer: Peer, name: string): Promise<Loose> {
  for (let news = peer.notifications.of(CHANGED).length + 1; ; news++) {
    const listed = (await peer.list('tools/list', 'tools')).find((tool) => tool.name === name);
    if (listed) return listed;
    await peer.notifications.until(CHANGED, news);
  }
}

for (const [at, { kind, transport }] of EACH_CLIENT.entries()) {
  test(`code that ${kind} over ${transport} ran once is a tool for a second client, with other arguments`, async () => {
    const [actor, witness] = pairOf(kind, transport);
    const code = `
      const [file, sum] = await Promise.all([
        mcp.filesystem.read_text_file({ path: "package.json" }),
        mcp.everything.getSum({ a: 20, b: 30 }),
      ]);
      return { run: ${at}, version: JSON.parse(file.content).version, sum };`;
    witness.notifications.clear();
    const answer = await execute(actor, { intent: 'version and sum', name: `trip:run_${at}`, code });
    assert.equal(answer.result.version, '1.2.3');
    assert.match(String(answer.result.sum), /50/);
    assert.deepEqual(answer.toolsUsed.sort(), ['everything:get-sum', 'filesystem:read_text_file']);

    await witness.notifications.until(CHANGED);
    const tool = await untilListed(witness, `mcp__trip__run_${at}`);
    assert.match(tool.description, /^version and sum\n.*filesystem:read_text_file\b/);
    const { path, a, b } = tool.inputSchema.properties;
    assert.deepEqual([path.default, a.default, b.default], ['package.json', 20, 30]);

    const again = await witness.call(tool.name, { path: 'other/package.json', b: 40 });
    assert.equal(again.structuredContent.version, '9.8.7');
    assert.match(String(again.structuredContent.sum), /60/);
    const asBefore = await witness.call(tool.name);
    assert.deepEqual(asBefore.structuredContent, answer.result);
    assert.deepEqual(witness.errors, []);
  });
}

test('the example of the README works as described', async () => {
  const [peer] = pairOf('SDK v2 modern', 'HTTP');
  const code = `const file = await mcp.filesystem.read_text_file({ path: "package.json" });
return JSON.parse(file.content).version;`;
  const input = { intent: 'version of a package', name: 'pkg:version', code };
  assert.equal((await execute(peer, input)).result, '1.2.3');
  const call = 'return await mcp.pkg.version({ path: "other/package.json" })';
  assert.equal((await execute(peer, { code: call })).result, '9.8.7');
  const elsewhere = { intent: 'again', code: code.replace('package.json', 'other/package.json') };
  assert.equal((await execute(peer, elsewhere)).capabilityName, 'pkg:version');
  assert.equal((await peer.call('mcp__pkg__version')).content[0].text, '1.2.3');
});

test('from a terminal: exec remembers a file, run calls it with other arguments', async () => {
  const code = `interface File { content: string }
const file: File = await mcp.filesystem.read_text_file({ path: "package.json" });
return JSON.parse(file.content) as { version: string };`;
  writeFileSync(join(dir, 'whole.ts'), code);
  const exec = await bed.pml.run(['exec', '--intent', 'read a package', '--name', 'pkg:whole', 'whole.ts']);
  assert.deepEqual([JSON.parse(exec.stdout), exec.code], [{ version: '1.2.3' }, 0], exec.stderr);
  const run = await bed.pml.run(['run', 'pkg:whole', '--args', '{"path": "other/package.json"}', '--json']);
  const { result, mode, capabilityName } = JSON.parse(run.stdout);
  assert.deepEqual([result, mode, capabilityName], [{ version: '9.8.7' }, 'capability', 'pkg:whole']);
  const unknown = await bed.pml.run(['run', 'pkg:unknown']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Capability not found: pkg:unknown/);
});
