import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { runs } from '../../testing/effort.ts';
import {
  type DiscoveryEntry,
  DiscoveryIndex,
  type DiscoveryQuery,
  type Evidence,
  NOTHING_FITS,
} from '../index.ts';

function tool(
  server: string,
  name: string,
  description: string,
  more: Partial<DiscoveryEntry> = {},
): DiscoveryEntry {
  const inputSchema = { type: 'object', properties: {} };
  return { id: `tool:${server}:${name}`, kind: 'tool', server, name, description, inputSchema, ...more };
}

const TOOLS: readonly DiscoveryEntry[] = [
  tool('fs', 'read_text_file', 'Read the complete contents of a file as text.'),
  tool('fs', 'write_file', 'Create a new file or overwrite an existing file.'),
  tool('fs', 'list_directory', 'Get a listing of all files and directories in a path.'),
  tool('github', 'create_issue', 'Create a new issue in a repository.'),
  tool('github', 'list_issues', 'List the issues of a repository.'),
  tool('github', 'delete_issue', 'Delete an issue of a repository.'),
  tool('slack', 'post_message', 'Post a message to a channel.'),
  tool('slack', 'list_channels', 'List the channels of the workspace.'),
  tool('vault', 'keyvault_secret_get', 'Get a secret.'),
  tool('weather', 'forecast', 'Weather forecast for a place.', {
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The name of the town' } },
    },
  }),
];

async function indexOf(entries: readonly DiscoveryEntry[]): Promise<DiscoveryIndex> {
  const index = new DiscoveryIndex();
  index.replace('all', entries);
  await index.settled();
  return index;
}

function find(index: DiscoveryIndex, intent: string, more: Partial<DiscoveryQuery> = {}): string[] {
  return index.search({ intents: [intent], limit: 10, ...more }).map(({ id }) => id);
}

test('the tool that does what is asked comes first', async () => {
  const index = await indexOf(TOOLS);
  const firstFor = (intent: string) => find(index, intent)[0];
  assert.equal(firstFor('read a text file'), 'tool:fs:read_text_file');
  assert.equal(firstFor('show me the issues of the repository'), 'tool:github:list_issues');
  assert.equal(firstFor('remove the issue from the repository'), 'tool:github:delete_issue');
  assert.equal(firstFor('get a secret from the key vault'), 'tool:vault:keyvault_secret_get');
  assert.equal(firstFor('what will the weather be in my town?'), 'tool:weather:forecast');
  assert.equal(firstFor('listDirectory'), 'tool:fs:list_directory');
});

test('each clause of an intent, and each of several intents, gets its place', async () => {
  const variants = Array.from({ length: 6 }, (_, at) =>
    tool('fs', `read_text_file_${'abcdef'[at]}`, 'Read the complete contents of a file as text.'),
  );
  const index = await indexOf([...TOOLS, ...variants]);
  const clauses = index.search({
    intents: ['Read the text file and post a message to the channel'],
    limit: 5,
  });
  assert.ok(clauses.some(({ id, intent }) => id === 'tool:slack:post_message' && intent === 1));
  assert.ok(clauses.some(({ id, intent }) => id.startsWith('tool:fs:read_text_file') && intent === 0));
  const several = index.search({
    intents: ['read a text file', 'weather forecast', 'post a message'],
    limit: 3,
  });
  assert.deepEqual(several.map(({ intent }) => intent).sort(), [0, 1, 2]);
});

test('kind, server and the caller’s own rule limit what is found', async () => {
  const index = await indexOf([
    ...TOOLS,
    { ...tool('fs', 'x', 'Read a file.'), id: 'capability:1', kind: 'capability' },
  ]);
  assert.deepEqual(find(index, 'read a file', { kind: 'capability' }), ['capability:1']);
  assert.ok(find(index, 'list', { server: 'slack' }).every((id) => id.startsWith('tool:slack:')));
  assert.equal(
    find(index, 'read a text file', { accepts: (id) => id !== 'tool:fs:read_text_file' }).includes(
      'tool:fs:read_text_file',
    ),
    false,
  );
});

test('a folder that tasks share does not make them one', async () => {
  const made = (id: string, description: string, intent: string): DiscoveryEntry => ({
    ...{ ...tool('fs', '', description), id, kind: 'capability', only: 'ana', intents: [intent] },
  });
  const index = await indexOf([
    ...TOOLS,
    made(
      'capability:copy',
      'Copy {source} to {target}',
      'Copy /home/ana/atlas/notes/a.txt to /home/ana/atlas/b.txt',
    ),
    made('capability:sum', 'Sum a column of {path}', 'Sum a column of "/home/ana/atlas/sales.csv"'),
  ]);
  const search = (intent: string) => index.search({ intents: [intent], limit: 10, user: 'ana' });
  for (const intent of [
    'Burn /home/ana/atlas/notes/z.md',
    'Burn (~/ana/atlas/z.md)',
    'Burn C:\\ana\\atlas\\z.md',
  ])
    assert.ok(
      search(intent).every(({ score }) => score < NOTHING_FITS),
      intent,
    );
  const [first] = search('Sum a column of /home/ana/atlas/notes/may.csv');
  assert.equal(first?.id, 'capability:sum');
  assert.ok((first?.score ?? 0) >= NOTHING_FITS);
});

const asking = (id: string, description: string, calls: readonly string[]): DiscoveryEntry => ({
  ...{ ...tool('office', '', description), id, kind: 'capability', calls },
});

test('a capability is found by the tools it calls, and does what they do', async () => {
  const index = await indexOf([
    asking('capability:a', 'Can you help me with my alarm at {time}?', ['GetUserToken', 'DeleteAlarm']),
    asking('capability:b', 'Can you help me with my alarm at {time}?', ['GetUserToken', 'AddAlarm']),
    asking('capability:c', 'Bring the numbers of {month}', ['query_ledger', 'post_message']),
  ]);
  assert.equal(find(index, 'remove the alarm')[0], 'capability:a');
  assert.equal(find(index, 'create an alarm')[0], 'capability:b');
  assert.equal(find(index, 'query the ledger')[0], 'capability:c');
});

test('days and times in an intent are data, not what is asked for', async () => {
  const index = await indexOf([
    asking('capability:a', 'Delete the alarm of March 20th, 7 am', []),
    asking('capability:b', 'Show the alarm', []),
  ]);
  assert.equal(find(index, 'Show the alarm of March 20th, 7 am')[0], 'capability:b');
});

test('a tool that demands what the intent does not give comes after one that does not', async () => {
  const demanding = (name: string, type: string): DiscoveryEntry => ({
    ...tool('calendar', 'show_event', 'Show an event of the calendar.'),
    id: `tool:calendar:${name}`,
    inputSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  });
  const index = await indexOf([demanding('event_id', 'string'), demanding('title', 'string')]);
  assert.equal(find(index, 'show the event of the calendar')[0], 'tool:calendar:title');
  const counted = await indexOf([demanding('count', 'number'), demanding('named', 'string')]);
  assert.equal(find(counted, 'show the event of the calendar')[0], 'tool:calendar:named');
});

test('evidence settles between capabilities that read alike', async () => {
  const make = (id: string): DiscoveryEntry => ({
    ...tool('fs', 'sum', 'Add up the sizes of files.'),
    id,
    kind: 'capability',
  });
  const index = await indexOf([make('capability:a'), make('capability:b')]);
  const plain: Evidence = {
    uses: 0,
    successRate: 0,
    lastUsedAt: undefined,
    isStale: false,
    isNamed: false,
    usesTools: true,
  };
  const now = Date.UTC(2026, 0, 1);
  const firstIf = (better: Partial<Evidence>, worse: Partial<Evidence> = {}) => {
    const evidenceOf = (id: string) => ({ ...plain, ...(id === 'capability:b' ? better : worse) });
    return find(index, 'add up file sizes', { evidenceOf, now })[0];
  };
  assert.equal(firstIf({}), 'capability:a');
  for (const better of [{ uses: 50, successRate: 1 }, { lastUsedAt: now }, { isNamed: true }])
    assert.equal(firstIf(better), 'capability:b', JSON.stringify(better));
  for (const worse of [{ uses: 50, successRate: 0 }, { isStale: true }, { usesTools: false }])
    assert.equal(firstIf({}, worse), 'capability:b', JSON.stringify(worse));
  assert.equal(
    find(index, 'add up file sizes', { usedBefore: new Set(['capability:b']) })[0],
    'capability:b',
  );
});

test('evidence that makes no sense does not break the order', async () => {
  const index = await indexOf(TOOLS);
  const evidenceOf = () => ({
    uses: Number.NaN,
    successRate: 7,
    lastUsedAt: Number.NaN,
    isStale: false,
    isNamed: true,
    usesTools: true,
  });
  for (const { score } of index.search({ intents: ['read a text file'], limit: 10, evidenceOf }))
    assert.ok(score >= 0 && score <= 1);
});

test('private entries are found by their user only, and change nobody else’s scores', async () => {
  const index = await indexOf(TOOLS);
  const before = index.search({ intents: ['read the secret file'], limit: 10 });
  for (let at = 0; at < 20; at++)
    index.put({
      ...tool('fs', `secret_file_${at}`, 'Read the secret file.'),
      id: `capability:${at}`,
      kind: 'capability',
      only: 'ana',
    });
  assert.deepEqual(index.search({ intents: ['read the secret file'], limit: 10 }), before);
  assert.deepEqual(index.search({ intents: ['read the secret file'], limit: 10, user: 'ben' }), before);
  assert.match(find(index, 'read the secret file', { user: 'ana' })[0] ?? '', /^capability:/);
});

test('entries outside a population change no score of it, whatever they say', async () => {
  const words = fc.subarray(['read', 'secret', 'file', 'issue', 'weather', 'ledger', 'post'], {
    minLength: 1,
  });
  const isIn = (id: string) =>
    id.startsWith('tool:fs:') || id.startsWith('tool:github:') || id === 'capability:ours';
  const ours = {
    ...tool('lib', 'ours', 'Read the ledger.'),
    id: 'capability:ours',
    kind: 'capability',
  } as const;
  const hidden = fc.array(
    fc.record({
      said: words,
      kind: fc.constantFrom('tool' as const, 'capability' as const),
      own: fc.boolean(),
    }),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(hidden, words, async (others, intent) => {
      const population = {
        tools: TOOLS.map(({ id }) => id).filter(isIn),
        capabilities: [ours.id],
      };
      const query = { intents: [intent.join(' ')], limit: 20, user: 'ana', accepts: isIn, population };
      const bare = await indexOf([...TOOLS.filter(({ id }) => isIn(id)), ours]);
      const whole = await indexOf([...TOOLS, ours]);
      for (const [at, { said, kind, own }] of others.entries())
        whole.put({
          ...tool(`other${at}`, `does_${said.join('_')}`, said.join(' ')),
          ...{ id: `${kind}:other${at}`, kind },
          ...(own && kind === 'capability' && { only: 'ana' }),
        });
      assert.deepEqual(whole.search(query), bare.search(query));
    }),
    runs(60),
  );
});

test('a population with all capabilities counts those that its user may see', async () => {
  const index = await indexOf(TOOLS);
  const population = { tools: ['tool:fs:read_text_file'], capabilities: 'all' as const };
  const scores = () => index.search({ intents: ['read the ledger'], limit: 5, user: 'ana', population });
  const before = scores();
  index.put({ ...tool('x', 'ledger', 'The ledger.'), id: 'capability:ben', kind: 'capability', only: 'ben' });
  assert.deepEqual(scores(), before);
  index.put({ ...tool('x', 'ledger', 'The ledger.'), id: 'capability:ana', kind: 'capability', only: 'ana' });
  assert.equal(scores()[0]?.id, 'capability:ana');
});

test('a score tells whether anything fits', async () => {
  const index = await indexOf(TOOLS);
  const best = (intent: string) => index.search({ intents: [intent], limit: 1 })[0]?.score ?? 0;
  assert.ok(best('read a text file') > 0.8);
  assert.ok(best('create an issue in the repository') > 0.8);
  assert.ok(best('book a table at an Italian restaurant for two') < NOTHING_FITS);
  assert.ok(best('compute the eigenvalues of a matrix') < NOTHING_FITS);
});

test('strange intents are answered quickly and without failing', async () => {
  const index = await indexOf(TOOLS);
  const strange = [
    '',
    '   \n\t',
    '🦊🎉',
    '读取文件并发送消息',
    'прочитать файл',
    "'; DROP TABLE capabilities; --",
    'SELECT * FROM files WHERE name = "x"',
    'for (const f of await fs.readdir(".")) { console.log(f) }',
    '\0\uD800',
    '__proto__ constructor toString',
    'read a text file. '.repeat(60_000),
    `${'a'.repeat(1_000_000)}`,
    '"'.repeat(100_000),
    '<'.repeat(100_000),
    `, and${' '.repeat(100_000)}`,
  ];
  const ms = await leastCpuOf(() => {
    for (const intent of strange)
      for (const { score } of index.search({ intents: [intent], limit: 10 }))
        assert.ok(score >= 0 && score <= 1);
  }, 5000);
  assert.ok(ms < 5000, `${ms} ms`);
  assert.deepEqual(index.search({ intents: [], limit: 10 }), []);
  assert.deepEqual(index.search({ intents: ['read'], limit: 0 }), []);
  assert.deepEqual(index.search({ intents: ['read'], limit: Number.NaN }), []);
});

test('5,000 tools with one description are listed in the order of their ids', async () => {
  const same = Array.from({ length: 5000 }, (_, at) => ({
    ...tool('many', 'do_it', 'Does the same thing.'),
    id: `tool:many:${String(at).padStart(4, '0')}`,
  }));
  const forward = await indexOf(same);
  const backward = await indexOf(same.toReversed());
  const found = find(forward, 'do the same thing', { limit: 100 });
  assert.deepEqual(
    found,
    same.slice(0, 100).map(({ id }) => id),
  );
  assert.deepEqual(find(backward, 'do the same thing', { limit: 100 }), found);
});

test('a source that is replaced loses what it no longer has at once, and gains the rest in slices', async () => {
  const index = await indexOf(TOOLS);
  const many = Array.from({ length: 2000 }, (_, at) => tool('big', `gadget_${at}`, 'Turns the gadget.'));
  index.replace('all', many);
  assert.deepEqual(find(index, 'read a text file'), []);
  const part = find(index, 'turn the gadget', { limit: 1000 }).length;
  assert.ok(part > 0 && part < 1000, `${part} at once`);
  index.remove('tool:big:gadget_1999');
  index.put(tool('big', 'gadget_1998', 'Paints the wall.'), 'all');
  await index.settled();
  assert.equal(index.size, 1999);
  assert.equal(find(index, 'paint the wall')[0], 'tool:big:gadget_1998');
  index.replace('all', []);
  await index.settled();
  assert.equal(index.size, 0);
});

const WORDS = ['read', 'file', 'list', 'issue', 'delete', 'channel', 'weather', 'getUser', 'my_key'];
const someWords = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));
const someEntry: fc.Arbitrary<DiscoveryEntry> = fc
  .record({
    at: fc.nat(11),
    server: fc.constantFrom('a', 'b'),
    name: someWords,
    description: someWords,
    isPrivate: fc.boolean(),
  })
  .map(({ at, server, name, description, isPrivate }) => ({
    ...tool(server, name, description, isPrivate ? { only: 'ana' } : {}),
    id: `tool:${at}`,
  }));
const someAct = fc.oneof(
  fc.record({ put: someEntry, source: fc.constantFrom('one', 'two') }),
  fc.record({ remove: fc.nat(11) }),
  fc.record({
    replace: fc.uniqueArray(someEntry, { selector: ({ id }) => id, maxLength: 8 }),
    source: fc.constantFrom('one', 'two'),
  }),
);

test('an index that was changed answers as one that was built anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someAct, { maxLength: 12 }), someWords, async (acts, intent) => {
      const index = new DiscoveryIndex();
      const expected = new Map<string, { entry: DiscoveryEntry; source: string }>();
      for (const act of acts) {
        if ('put' in act) {
          index.put(act.put, act.source);
          expected.set(act.put.id, { entry: act.put, source: act.source });
        } else if ('remove' in act) {
          index.remove(`tool:${act.remove}`);
          expected.delete(`tool:${act.remove}`);
        } else {
          index.replace(act.source, act.replace);
          for (const [id, { source }] of expected) if (source === act.source) expected.delete(id);
          for (const entry of act.replace) expected.set(entry.id, { entry, source: act.source });
        }
      }
      await index.settled();
      const fresh = await indexOf([...expected.values()].map(({ entry }) => entry));
      for (const user of [undefined, 'ana'])
        assert.deepEqual(
          index.search({ intents: [intent], limit: 20, user, now: 0 }),
          fresh.search({ intents: [intent], limit: 20, user, now: 0 }),
        );
    }),
    runs(150),
  );
});
