import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Log, openLog } from '../../log.ts';
import { onBothEngines } from '../../store/testing.ts';
import { scratchRoot } from '../../testing/scratch.ts';
import { type DiscoveryEntry, DiscoveryIndex, openEndpoint, openLocalModel, Vectors } from '../index.ts';
import { compare, UNRELATED_TEXTS } from './meaning.ts';
import { fromBytes, similarity, smallVector } from './small-vector.ts';
import { WordPiece } from './word-piece.ts';

/** Words that the endpoint takes for the same. */
const MEANINGS = [/film|movie/, /car|vehicle/, /weather|forecast/];

/** An endpoint that speaks the protocol of OpenAI. Its vectors count meanings. */
async function endpoint(
  answer?: (input: string[]) => unknown,
): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { input } = JSON.parse(body) as { input: string[] };
    asked.push(...input);
    const vectorOf = (text: string) => [...MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1];
    const usual = { data: input.map((text, index) => ({ index, embedding: vectorOf(text.toLowerCase()) })) };
    const given = answer ? answer(input) : undefined;
    response.end(JSON.stringify(given ?? usual));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, server };
}

function tool(name: string, description: string): DiscoveryEntry {
  return { id: `tool:x:${name}`, kind: 'tool', server: 'x', name, description, inputSchema: {} };
}

const ENTRIES = [
  tool('search_a', 'Find a vehicle by its title.'),
  tool('search_b', 'Find a movie by its title.'),
  tool('search_c', 'Find a forecast by its title.'),
];
const FIRST_BY_WORDS = 'tool:x:search_a';
const INTENT = { intents: ['find a film by its title'], limit: 3 };

function logTo(lines: string[]): Log {
  return openLog({ level: 'warn', print: (line) => lines.push(line) });
}

onBothEngines(
  'meaning decides among entries that the words leave equal, and each text is embedded once',
  async ({ db }) => {
    const { url, asked, server } = await endpoint();
    const lines: string[] = [];
    const make = async (): Promise<DiscoveryIndex> => {
      const vectors = new Vectors({
        db,
        log: logTo(lines),
        queryMs: 60_000,
        open: () => openEndpoint({ url, model: 'm' }),
      });
      const index = new DiscoveryIndex({ vectors });
      index.replace('x', ENTRIES);
      await vectors.settled();
      return index;
    };
    try {
      const index = await make();
      assert.equal(index.search(INTENT)[0]?.id, FIRST_BY_WORDS);
      assert.equal((await index.find(INTENT))[0]?.id, 'tool:x:search_b');
      assert.ok(
        asked.includes('search b: Find a movie by its title.'),
        'the first sentence is a text of its own',
      );
      const before = asked.length;
      assert.equal((await (await make()).find(INTENT))[0]?.id, 'tool:x:search_b');
      assert.deepEqual(asked.slice(before), ['dimensions', ...UNRELATED_TEXTS, ...INTENT.intents]);
      await db.query(`update discovery_vectors set vector = '\\x01'`);
      assert.equal((await (await make()).find(INTENT))[0]?.id, 'tool:x:search_b');
      const { rows } = await db.query('select distinct length(vector) as length from discovery_vectors');
      assert.deepEqual(rows, [{ length: 4 }]);
      assert.deepEqual(lines, []);
    } finally {
      server.close();
    }
  },
);

onBothEngines('without a working model, words decide and the log says so once', async ({ db }) => {
  const wrong = await endpoint((input) =>
    input[0] === 'dimensions' ? undefined : { data: input.map(() => ({ embedding: [1] })) },
  );
  const corrupt = mkdtempSync(join(scratchRoot(), 'weights-'));
  writeFileSync(join(corrupt, 'tokenizer.json'), '{"model": {"vocab": {"a": 1}}}');
  const openers = {
    missing: () => openLocalModel({ runtime: '/no/such/folder', weights: '/no/such/folder' }),
    corrupt: () => openLocalModel({ runtime: corrupt, weights: corrupt }),
    dimension: () => openEndpoint({ url: wrong.url, model: 'm' }),
    unreachable: () => openEndpoint({ url: 'http://127.0.0.1:1/v1', model: 'm' }),
  };
  try {
    for (const [name, open] of Object.entries(openers)) {
      const lines: string[] = [];
      const vectors = new Vectors({ db, log: logTo(lines), queryMs: 60_000, open });
      const index = new DiscoveryIndex({ vectors });
      index.replace('x', ENTRIES);
      await vectors.settled();
      index.put(tool('later', 'Comes later.'), 'x');
      await vectors.settled();
      assert.equal((await index.find(INTENT))[0]?.id, FIRST_BY_WORDS, name);
      assert.equal(lines.length, 1, `${name}: ${lines.join('\n')}`);
    }
  } finally {
    wrong.server.close();
    rmSync(corrupt, { recursive: true });
  }
});

onBothEngines('a model that failed is asked again, and what was left is made', async ({ db }) => {
  let isBroken = true;
  const { url, server } = await endpoint(() => (isBroken ? {} : undefined));
  const lines: string[] = [];
  const open = () => openEndpoint({ url, model: 'm' });
  const vectors = new Vectors({ db, log: logTo(lines), queryMs: 60_000, retryMs: 0, open });
  const index = new DiscoveryIndex({ vectors });
  try {
    index.replace('x', ENTRIES);
    await index.settled();
    await vectors.settled();
    assert.equal((await index.find(INTENT))[0]?.id, FIRST_BY_WORDS);
    await vectors.settled();
    isBroken = false;
    await index.find(INTENT);
    await vectors.settled();
    assert.equal((await index.find(INTENT))[0]?.id, 'tool:x:search_b');
    assert.equal(lines.length, 1);
  } finally {
    server.close();
  }
});

test('many entries are compared in short turns, and only those that are accepted are near', async () => {
  const many = new Map(
    Array.from({ length: 60_000 }, (_, at) => [`${at}`, [smallVector([1, at % 97, 5, 3])]]),
  );
  const wanted = [smallVector([1, 0, 5, 3])];
  const compared = compare(wanted, many, { unrelated: 0, accepts: (id) => Number(id) % 2 === 1 });
  let turns = 0;
  let isDone = false;
  void compared.then(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
  const { nearest } = await compared;
  assert.ok(turns > 3, `${turns} turns`);
  assert.equal(nearest.length, 20);
  assert.ok(nearest.every((id) => Number(id) % 97 === 0 && Number(id) % 2 === 1));
});

test('a vector keeps its direction in bytes', () => {
  const values = Array.from({ length: 384 }, (_, at) => Math.sin(at) / 10);
  const small = smallVector(values);
  assert.ok(similarity(small, fromBytes(small.bytes)) > 0.999);
  assert.ok(similarity(small, smallVector(values.map((value) => -value))) < -0.999);
  assert.equal(similarity(small, smallVector([0, 0])), 0);
  assert.equal(similarity(smallVector([0]), smallVector([0])), 0);
});

test('words become the longest parts that the vocabulary has', () => {
  const tokens = ['[UNK]', '[CLS]', '[SEP]', 'em', '##bed', '##ding', '##s', 'hello', ',', 'naive', '天'];
  const pieces = new WordPiece(new Map(tokens.map((token, at) => [token, at])));
  assert.deepEqual(pieces.encode('Hello, naïve embeddings 天 xyz', 64), [1, 7, 8, 9, 3, 4, 5, 6, 10, 0, 2]);
  assert.deepEqual(pieces.encode('hello '.repeat(100), 4), [1, 7, 7, 2]);
  assert.deepEqual(pieces.encode('', 8), [1, 2]);
  assert.throws(() => new WordPiece(new Map()), /\[UNK\]/);
});
