import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonc } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { composeConfig } from './compose-config.ts';

const SCHEMA = './pml.schema.json';
const added = { fs: { command: 'npx', args: ['-y'] } };
const into = (text: string, servers: object = added) =>
  composeConfig({ ...servers }, SCHEMA, { text, label: 'pml.json' });

test('a new file has the schema and the servers', () => {
  assert.equal(
    composeConfig({ fs: { command: 'x' } }, SCHEMA),
    '{\n  "$schema": "./pml.schema.json",\n  "mcpServers": {\n    "fs": {\n      "command": "x"\n    }\n  }\n}\n',
  );
});

test('an existing file keeps its comments, its order and its layout', () => {
  const before = `{
  // ours
  "expose": "lean", /* why */
  "mcpServers": {
    "git": { "command": "git" } // stays
    // last
  }
}
`;
  const after = `{
  "$schema": "./pml.schema.json",
  // ours
  "expose": "lean", /* why */
  "mcpServers": {
    "git": { "command": "git" }, // stays
    // last
    "fs": {
      "command": "npx",
      "args": [
        "-y"
      ]
    }
  }
}
`;
  assert.equal(into(before), after);
});

const LAYOUTS = [
  '{}',
  '{ }',
  '{ // nothing yet\n}',
  '{"mcpServers":{}}',
  '{ "mcpServers": {}, }',
  '{ "$schema": "mine", "mcpServers": { "git": { "command": "git" }, } }',
  '{ "scope": { "org": "acme" } }',
  '{ "mcpServers": { "git": { "command": "git" } /* a */ , /* b */ } }',
  '{ "mcpServers": { "git": { "command": "git" } // c\n} }',
];

for (const text of LAYOUTS) {
  test(`adding to ${JSON.stringify(text)}`, () => {
    const before = parseJsonc(text);
    const after = parseJsonc(into(text));
    assert.ok('value' in before && 'value' in after);
    const old = before.value as { mcpServers?: object };
    assert.deepEqual(after.value, { $schema: SCHEMA, ...old, mcpServers: { ...old.mcpServers, ...added } });
    for (const comment of ['// nothing yet', '/* a */', '/* b */', '// c']) {
      if (text.includes(comment)) assert.ok(into(text).includes(comment), comment);
    }
  });
}

test('the content of an existing file is never lost or changed', () => {
  const config = fc.record({
    mcpServers: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue(), { noNullPrototype: true }),
    other: fc.jsonValue(),
  });
  const property = fc.property(config, fc.constantFrom(0, 2, '\t'), (value, indent) => {
    const text = JSON.stringify(value, null, indent);
    fc.pre(!text.includes('__proto__'));
    const result = parseJsonc(into(text));
    assert.ok('value' in result);
    const old = JSON.parse(text);
    assert.deepEqual(result.value, { $schema: SCHEMA, ...old, mcpServers: { ...added, ...old.mcpServers } });
  });
  fc.assert(property);
});

test('an existing server is not changed', () => {
  const text = '{ "$schema": "x", "mcpServers": { "fs": { "command": "mine" } } }';
  assert.equal(into(text), text);
});

test('an invalid file is not overwritten', () => {
  const message = (text: string) => {
    try {
      return into(text);
    } catch (thrown) {
      assert.ok(thrown instanceof PmlError);
      return thrown.message;
    }
  };
  assert.equal(message('{ "a" }'), 'pml.json:1:7: expected ":" after the key "a", found "}"');
  assert.equal(message('[]'), 'pml.json: expected object');
  assert.equal(message('{ "mcpServers": [] }'), 'pml.json: mcpServers: expected object');
});
