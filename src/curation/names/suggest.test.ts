import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertValidName } from '../../registry/names/index.ts';
import { leastCpuOf } from '../../testing/cpu-time.ts';
import { runs } from '../../testing/effort.ts';
import type { Nameable } from './nameable.ts';
import { namingStyleOf } from './style.ts';
import { suggestNames } from './suggest.ts';
import { nameable } from './testing.ts';

const PLAIN = namingStyleOf([]);
const nothingTaken = () => false;

function nameOf(intent: string, toolsUsed: readonly string[] = [], more: Partial<Nameable> = {}): string {
  return suggestNames([nameable(intent, toolsUsed, more)], nothingTaken, PLAIN)[0]?.name ?? '';
}

test('13.4 AC5: tools of the filesystem give a name in fs', () => {
  assert.match(nameOf('read a file', ['filesystem:read', 'filesystem:write']), /^fs:/);
});

test('13.4 AC6: "read and parse JSON config file" gives read_json_config, in the style of the names there are', () => {
  const intent = 'read and parse JSON config file';
  assert.equal(nameOf(intent, ['filesystem:read']), 'fs:read_json_config');
  const hyphens = namingStyleOf(['fs:list-files', 'api:fetch-user', 'unnamed_a7f3']);
  assert.equal(
    suggestNames([nameable(intent, ['filesystem:read'])], nothingTaken, hyphens)[0]?.name,
    'fs:read-json-config',
  );
});

for (const [intent, tools, expected] of [
  ['Fetch the user with the given id', ['http:get'], 'api:fetch_user'],
  ['Convert CSV to JSON', [], 'util:csv_to_json'],
  ['Checks whether a date is in the future', [], 'util:is_future'],
  ['Returns a function that sorts issues by label', [], 'util:sort_issues_by_label'],
  ['Please create a new ticket for the outage', ['ticket_api:create_ticket'], 'ticket:create_ticket'],
  [
    'I am a bit late today. Could you cancel that last order?',
    ['trading:cancel_order'],
    'trading:cancel_last_order',
  ],
  ['', ['github:create_issue'], 'github:create_issue'],
  ['读取文件', ['filesystem:read_text_file'], 'fs:read_text_file'],
  ["move 'q3 report.txt' to {folder}", ['filesystem:move_file'], 'fs:move_file'],
  ['', ['filesystem:list', 'github:search_issues', 'github:create_issue'], 'github:create_issue'],
] as const)
  test(`"${intent}" with ${tools.join(', ') || 'no tools'} is ${expected}`, () => {
    assert.equal(nameOf(intent, tools), expected);
  });

test('13.4 AC9: a name that is taken gets another phrasing first, then a number, with less confidence', () => {
  const intent = 'read the config from the header';
  const one = nameable(intent, ['http:get'], { parameters: { properties: { section: {} } } });
  const [free] = suggestNames([one], nothingTaken, PLAIN);
  assert.equal(free?.name, 'api:read_config');
  const taken = new Set<string>();
  const names: string[] = [];
  let confidence = free.confidence;
  for (let round = 0; round < 4; round++) {
    taken.add(names.at(-1) ?? 'api:read_config');
    const [next] = suggestNames([one], (name) => taken.has(name), PLAIN);
    assert.ok(next && !taken.has(next.name) && next.confidence < free.confidence);
    assert.ok(next.confidence <= confidence);
    confidence = next.confidence;
    names.push(next.name);
  }
  assert.deepEqual(names, [
    'api:read_config_from_header',
    'api:read_config_by_section',
    'api:read_config_2',
    'api:read_config_3',
  ]);
});

test('a name holds no name of a person or firm, but keeps words of the tools and titles', () => {
  assert.equal(
    nameOf('add the stock of Zeta Corp to my watchlist', ['bot:add_to_watchlist']),
    'bot:add_stock',
  );
  assert.equal(nameOf('post a summary to Slack', ['slack:post_message']), 'slack:post_summary');
  assert.equal(nameOf('List The Open Issues', ['github:list_issues']), 'github:list_open_issues');
});

test('capabilities of one batch get different names', () => {
  const twins = [1, 2, 3].map(() => nameable('read the config', ['filesystem:read']));
  const names = suggestNames(twins, nothingTaken, PLAIN).map(({ name }) => name);
  assert.equal(new Set(names).size, 3);
});

test('a name holds no value that the intent quotes', () => {
  const intent = 'Send "hello ana" to bob@example.com with https://example.com/x and /home/ana/taxes.pdf';
  const { name, description } =
    suggestNames([nameable(intent, ['mail:send_mail'])], nothingTaken, PLAIN)[0] ?? assert.fail();
  for (const data of ['ana', 'bob', 'example', 'taxes']) {
    assert.ok(!name.includes(data), name);
    assert.ok(!description.includes(data), description);
  }
});

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem(),
  fc.webUrl(),
);
const tool = fc.oneof(
  fc.constantFrom(
    'filesystem:read_file',
    'github:create_issue',
    'mcp:pml',
    'pml:execute',
    'cap:list',
    'local.default.fs.read.a7f3',
  ),
  fc.tuple(text, text).map(([server, name]) => `${server}:${name}`),
);
const capability = fc.record({
  id: fc.string(),
  currentName: fc.constant('unnamed_1'),
  intent: fc.oneof(
    text,
    fc.constantFrom(
      '',
      'execute',
      'list',
      'pml execute',
      'mcp__fs__read',
      'Read `__proto__`',
      'constructor toString',
      'valueOf the constructor',
      '$',
      '{}',
      'a-b_c',
    ),
  ),
  code: fc.oneof(text, fc.constantFrom('return { total: args.a }', 'return {', 'return { a: { b }, c }')),
  toolsUsed: fc.array(tool, { maxLength: 5 }),
  parameters: fc.record({ properties: fc.dictionary(text, fc.constant({})) }),
  examples: fc.array(text, { maxLength: 3 }),
});

test('any intents, code and tools give names that are valid, free, different and always the same', () => {
  fc.assert(
    fc.property(
      fc.array(capability, { maxLength: 6 }),
      fc.constantFrom('_' as const, '-' as const),
      fc.nat(3),
      (all, separator, busy) => {
        // Some names are taken, by a rule that looks like chance.
        const taken = (name: string) => busy > 0 && name.length % 4 < busy;
        const style = { separator, namespaces: ['fs', 'x'] };
        const suggestions = suggestNames(all, taken, style);
        assert.deepEqual(suggestNames(all, taken, style), suggestions);
        assert.equal(new Set(suggestions.map(({ name }) => name.toLowerCase())).size, all.length);
        for (const { name, confidence, description, tags } of suggestions) {
          assertValidName(name);
          assert.match(name, /^[\w-]+:[\w-]+$/);
          assert.ok(name.length <= 57 && !taken(name));
          assert.ok(confidence >= 0 && confidence <= 1);
          assert.ok(description.isWellFormed() && description.length < 1200 && tags.length <= 6);
        }
      },
    ),
    runs(150),
  );
});

test('with every name taken, the names of a batch still differ, and nobody is sure of them', () => {
  const twins = [1, 2, 3].map(() => nameable('read the config', ['filesystem:read']));
  const suggestions = suggestNames(twins, () => true, PLAIN);
  assert.equal(new Set(suggestions.map(({ name }) => name)).size, 3);
  for (const { confidence } of suggestions) assert.ok(confidence < 0.6);
});

test('huge inputs take no longer than a turn of the event loop may', async () => {
  const huge = nameable(
    'read and '.repeat(100_000),
    Array.from({ length: 10_000 }, (_, n) => `server${n}:tool_${n}`),
    {
      code: 'return { a: args.b, '.repeat(50_000),
      examples: ['word '.repeat(10_000)],
    },
  );
  const ms = await leastCpuOf(() => {
    const [suggestion] = suggestNames([huge], nothingTaken, PLAIN);
    assert.ok(suggestion && suggestion.name.length <= 64);
  }, 500);
  assert.ok(ms < 500, `${ms} ms, far more than the work it may cost`);
});
