import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Nameable, Suggestion } from './nameable.ts';
import { namingStyleOf } from './style.ts';
import { suggestNames } from './suggest.ts';
import { nameable } from './testing.ts';

function suggest(intent: string, toolsUsed: readonly string[], more: Partial<Nameable>): Suggestion {
  return (
    suggestNames([nameable(intent, toolsUsed, more)], () => false, namingStyleOf([]))[0] ?? assert.fail()
  );
}

test('a description says what is done, when to use it and what it returns', () => {
  const { description, tags } = suggest('summarise the open issues of a repository', ['github:list_issues'], {
    code: 'const found = await mcp.github.list_issues({ owner: args.who });\nreturn { total: found.length, titles: found.map((one) => one.title) };',
  });
  assert.equal(
    description,
    'Summarise the open issues of a repository. Use it to summarise repository open issues through github. Returns an object with `total`, `titles`.',
  );
  assert.deepEqual(tags, ['github', 'summarise', 'repository', 'open', 'issues']);
});

test('a known output schema says what is returned', () => {
  const outputSchema = { type: 'array', items: { type: 'object', properties: { id: {}, title: {} } } };
  const { description } = suggest('list issues', ['github:list_issues'], { outputSchema });
  assert.match(description, /Returns a list; each item is an object with `id`, `title`\.$/);
});

test('a description quotes no data of the first run', () => {
  const { description } = suggest(
    "move 'taxes 2024.pdf' from /home/ana to {folder}, 37 times, for ana@example.com",
    ['filesystem:move_file'],
    {},
  );
  assert.match(
    description,
    /^Move … from … to folder, … times, for … Use it to move file through filesystem\.$/,
  );
});

test('what a person says to an agent is no description', () => {
  const { description } = suggest('Hi, I am Ana. Could you cancel that order?', ['shop:cancel_order'], {});
  assert.equal(description, 'Use it to cancel order through shop.');
});

test('words that every object has as keys are words', () => {
  const { name, parameterDescriptions } = suggest('constructor of the valueOf', [], {
    parameters: { properties: { constructor: {}, toString: {} } },
  });
  assert.equal(name, 'util:value_of_constructor');
  assert.deepEqual(parameterDescriptions, { constructor: 'Constructor.', toString: 'To string.' });
});

test('parameters without a description get one from their names and uses', () => {
  const { parameterDescriptions } = suggest('read', ['filesystem:read_file'], {
    code: 'return await mcp.filesystem.read_file({ path: args.config_place })',
    parameters: {
      properties: { config_place: {}, user_id: {}, limit: {}, given: { description: 'Known.' }, n: {} },
      required: ['config_place', 'user_id', 'n'],
    },
  });
  assert.deepEqual(parameterDescriptions, {
    config_place: 'Config place: path of the file or folder.',
    user_id: 'Identifier of the user.',
    limit: 'How many results at most (optional).',
    n: 'Value of `n`.',
  });
});
