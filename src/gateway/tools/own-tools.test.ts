import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { OWN_TOOLS_TOKENS } from '../../access/index.ts';
import type { JsonSchema } from '../../json.ts';
import { assertValidName } from '../../registry/names/index.ts';
import { estimateTokens } from '../../token-estimate.ts';
import { PML_TOOLS } from './index.ts';

interface Listed {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  _meta?: Record<string, unknown>;
}

const listed = PML_TOOLS.map((tool) => tool.listed as unknown as Listed);

/** Returns the part of a list of tools that clients give to models. */
const loaded = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

test('PML’s own tools take few tokens together', (t) => {
  const tokens = encode(JSON.stringify(loaded)).length;
  t.diagnostic(`${tokens} tokens for ${loaded.length} tools`);
  assert.ok(tokens <= OWN_TOOLS_TOKENS, `${tokens}`);
});

test('the estimate of their tokens is near what a tokenizer counts', () => {
  const text = JSON.stringify(loaded);
  const ratio = estimateTokens(text) / encode(text).length;
  assert.ok(Math.abs(ratio - 1) < 0.25, `${ratio}`);
});

test('no capability can take the name of one of PML’s own tools', () => {
  for (const { name } of listed)
    for (const spelling of [name, name.replace('_', ':')])
      assert.throws(() => assertValidName(spelling), { code: 'name_taken' }, spelling);
});

test('pml_execute and pml_discover come first and are always loaded', () => {
  const always = listed.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
  assert.deepEqual(
    always.map(({ name }) => name),
    ['pml_execute', 'pml_discover'],
  );
  assert.deepEqual(listed.slice(0, 2), always);
});

test('pml_execute says when, how and what comes back, with an example', () => {
  const description = listed[0]?.description ?? '';
  for (const part of [
    /two or more calls, or long results/,
    /await mcp\.<server>\.<tool>\(\{…\}\)`, then `return`/,
    /Only what it returns comes back, as `result`/,
    /Example: .*const f = await mcp\.fs\.read_text_file\(/,
    /`intent` alone: suggestions/,
  ])
    assert.match(description, part);
});

/** The inputs that each tool lists. Others are accepted besides. */
const INPUTS: Record<string, string> = {
  pml_execute: 'intent code capability args name options',
  pml_discover: 'intent intents limit kind server',
  cap_lookup: 'name',
  cap_list:
    'pattern namespace named_only unnamed_only created_by tags visibility type version_tag sort_by limit offset',
  cap_whois: 'name',
  cap_rename: 'name undo new_name description tags visibility routing cache_policy ttl',
  cap_update: 'name code version_tag change_summary args',
  cap_verify: 'name',
  cap_history: 'name',
  cap_stats: 'name since',
  cap_fork: 'source name',
  cap_merge: 'sources name code',
  cap_curate: 'mode filter renames merges',
  cap_retire: 'name',
  cap_restore: 'name',
  cap_feedback: 'name success note',
};

test('every tool says what it does, and every input has a type', () => {
  const inputs = listed.map(({ name, inputSchema }) => [
    name,
    Object.keys(inputSchema.properties ?? {}).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(inputs), INPUTS);
  for (const { name, description, inputSchema } of listed) {
    assert.ok(description.length > 10, name);
    for (const [key, schema] of Object.entries(inputSchema.properties ?? {}))
      assert.ok((schema as JsonSchema).type, `${name}.${key}`);
  }
});
