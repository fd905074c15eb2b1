import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReadCall, readCalls } from './is-read-call.ts';

const SELECT = 'select a from t where b = 1';

test('a tool that executes SQL reads if it gets one select, and nothing else that may change something', () => {
  const cases: [tool: string, args: unknown, isRead: boolean][] = [
    ['supabase:execute_sql', { project_id: 'p', query: SELECT }, true],
    ['postgres:query', { sql: `${SELECT};` }, true],
    ['db:runQuery', { sql: SELECT, params: [1], limit: 5 }, true],
    ['bq:execute-sql', { statement: 'with x as (select 1) select * from x' }, true],
    ['db:execute_sql', { query: 'delete from t' }, false],
    ['db:execute_sql', { query: 'select purge()' }, false],
    ['db:execute_sql', { query: `${SELECT}; delete from t` }, false],
    ['db:execute_sql', { query: SELECT, next: 'delete from t where a = 1' }, false],
    ['db:execute_sql', { query: SELECT, destination_table: 'u' }, false],
    ['db:execute_sql', { query: [SELECT] }, false],
    ['db:execute_sql', { query: 'SELECT a FRM t' }, false],
    ['db:execute_sql', SELECT, false],
    ['db:execute_sql', undefined, false],
    ['db:save_query', { query: SELECT }, false],
    ['db:create_view', { name: 'v', query: SELECT }, false],
    ['db:schedule_query', { sql: SELECT }, false],
    ['db:delete_by_query', { query: SELECT }, false],
    ['chat:post_message', { text: SELECT }, false],
    ['ai:execute', { query: SELECT }, false],
  ];
  for (const [tool, args, isRead] of cases)
    assert.equal(isReadCall(tool, args), isRead, `${tool} ${JSON.stringify(args)}`);
});

test('recorded calls are judged by their JSON', () => {
  const calls = [SELECT, 'drop table t'].map((query) => ({
    name: 'db:query',
    args: JSON.stringify({ query }),
  }));
  assert.deepEqual(readCalls(JSON.stringify([...calls, { name: 'db:query', args: '' }])), [
    true,
    false,
    false,
  ]);
});
