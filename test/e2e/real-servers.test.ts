import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectPeer, EACH_CLIENT, failureOf, type Loose, type Peer } from '../support/clients.ts';
import { npmServer, Pml } from '../support/pml.ts';
import { RawClient } from '../support/raw-client.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml({ after });
const files = join(pml.dir, 'files');
mkdirSync(files);
pml.configure({
  mcpServers: {
    everything: npmServer('everything', 'stdio'),
    filesystem: npmServer('filesystem', files),
    memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(pml.dir, 'memory.jsonl') } },
  },
});
let url: string;

before(async () => {
  url = await upReady(pml);
});

for (const [index, { kind, transport }] of EACH_CLIENT.entries()) {
  describe(`${kind} over ${transport}`, () => {
    let peer: Peer;
    before(async () => {
      peer = await connectPeer(pml, kind, transport, url, {
        sample: () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'mock' }),
        elicit: () => ({ action: 'accept', content: { name: 'Ana' } }),
      });
    });

    test('lists the tools of all three servers', async () => {
      const names = await peer.toolNames();
      for (const name of ['everything__get-sum', 'filesystem__read_text_file', 'memory__create_entities']) {
        assert.ok(names.includes(`mcp__${name}`), name);
      }
    });

    test('calls server-everything: text, structured content and an image', async () => {
      const sum = await peer.call('everything:get-sum', { a: 2, b: 40 });
      assert.match(sum.content[0].text, /42/);
      const weather = await peer.call('everything:getStructuredContent', { location: 'Chicago' });
      assert.deepEqual(JSON.parse(weather.content[0].text), weather.structuredContent);
      const tiny = await peer.call('everything:get_tiny_image');
      const { data } = tiny.content.find(({ type }: Loose) => type === 'image');
      assert.equal(Buffer.from(data, 'base64').subarray(1, 4).toString(), 'PNG');
    });

    test('answers server-everything for its model and its user', async () => {
      const sampled = await peer.call('everything:trigger-sampling-request', { prompt: 'x', maxTokens: 5 });
      assert.match(JSON.stringify(sampled.content), /sampled/);
      const elicited = await peer.call('everything:trigger-elicitation-request');
      assert.match(JSON.stringify(elicited.content), /Ana/);
    });

    test('gets prompts and resources of server-everything, and completions', async () => {
      const prompt = await peer.request('prompts/get', {
        name: 'mcp__everything__args-prompt',
        arguments: { city: 'Paris' },
      });
      assert.match(prompt.messages[0].content.text, /Paris/);
      const { contents } = await peer.request('resources/read', { uri: 'demo://resource/dynamic/text/1' });
      assert.match(contents[0].text, /Resource 1/);
      const { completion } = await peer.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'mcp__everything__completable-prompt' },
        argument: { name: 'department', value: 'Eng' },
      });
      assert.deepEqual(completion.values, ['Engineering']);
    });

    test('writes and reads files with server-filesystem, and is refused files outside', async () => {
      const path = join(files, `${index}.txt`);
      await peer.call('filesystem:write_file', { path, content: `by ${kind} ✓\n` });
      assert.equal(readFileSync(path, 'utf8'), `by ${kind} ✓\n`);
      const { content } = await peer.call('filesystem:readTextFile', { path });
      assert.equal(content[0].text, `by ${kind} ✓\n`);
      const refused = await failureOf(peer.call('filesystem:read_text_file', { path: '/etc/hostname' }));
      assert.match(refused, /Access denied/);
    });

    test('adds to the one memory that all clients share', async () => {
      await peer.call('memory:create_entities', {
        entities: [{ name: `n${index}`, entityType: 'client', observations: [kind] }],
      });
      const { structuredContent } = await peer.call('memory:read_graph');
      const names = structuredContent.entities.map(({ name }: Loose) => name);
      assert.deepEqual(
        names.slice(0, index + 1),
        EACH_CLIENT.slice(0, index + 1).map((_, i) => `n${i}`),
      );
    });
  });
}

test('the progress of a long call of server-everything arrives whole', async () => {
  // By hand, because an SDK client drops progress that arrives in one chunk with the result.
  const client = await RawClient.open(pml);
  await client.send(1, 'tools/call', {
    name: 'everything:trigger-long-running-operation',
    arguments: { duration: 0.2, steps: 4 },
    _meta: { progressToken: 'mine' },
  });
  assert.deepEqual(
    client.notifications.of('notifications/progress').map(({ params }) => params),
    [1, 2, 3, 4].map((progress) => ({ progress, total: 4, progressToken: 'mine' })),
  );
});
