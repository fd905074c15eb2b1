import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReadOnlyTool } from './read-only-tool.ts';

const READS =
  'get_user listFiles read-file search_repos find describe_table fs:read_text_file show_order get_post list_books query ls grep fetch_url lookup check_tire_pressure user_search displayCarStatus';
const WRITES =
  'create_issue updateUser delete_file send_message fs:write_file set_budget post_tweet put_object move_file book_flight pay get_or_create_user search_and_replace cd frobnicate execute_query upsert login run fs:edit_file user_delete';

test('the first verb of a name tells what a tool does', () => {
  for (const name of READS.split(' ')) assert.equal(isReadOnlyTool({ name }), true, name);
  for (const name of WRITES.split(' ')) assert.equal(isReadOnlyTool({ name }), false, name);
});

test("a tool's own hint decides", () => {
  assert.equal(isReadOnlyTool({ name: 'create', annotations: { readOnlyHint: true } }), true);
  assert.equal(isReadOnlyTool({ name: 'get', annotations: { readOnlyHint: false } }), false);
  assert.equal(isReadOnlyTool({ name: 'get', annotations: { destructiveHint: true } }), false);
  assert.equal(isReadOnlyTool({ name: 'get', annotations: { readOnlyHint: 'no' } }), true);
  assert.equal(isReadOnlyTool({ name: 'get', annotations: null }), true);
});

test('a tool that takes a program, or a file and its content, may write', () => {
  const of = (...keys: string[]) => ({ properties: Object.fromEntries(keys.map((key) => [key, {}])) });
  assert.equal(isReadOnlyTool({ name: 'query', inputSchema: of('sql') }), false);
  assert.equal(isReadOnlyTool({ name: 'echo', inputSchema: of('file_name', 'content') }), false);
  assert.equal(isReadOnlyTool({ name: 'echo', inputSchema: of('content') }), true);
  assert.equal(isReadOnlyTool({ name: 'query', inputSchema: of('table', 'limit') }), true);
  assert.equal(isReadOnlyTool({ name: 'query', inputSchema: { properties: 7 } }), true);
});
