import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyLiteral, type LiteralKind } from './classify-literal.ts';

type Row = [
  tool: string,
  key: string | undefined,
  value: string | number | boolean,
  kind: LiteralKind,
  description?: string,
];

/** Calls of real MCP servers, as agents write them. Descriptions are the servers' own. */
// biome-ignore format: a table
const CALLS: Row[] = [
  // filesystem, memory
  ['filesystem:read_text_file', 'path', '/home/ana/notes/to do list.txt', 'data'],
  ['filesystem:read_text_file', 'head', 20, 'data'],
  ['filesystem:read_text_file', 'path', 'config.json', 'data'],
  ['filesystem:write_file', 'path', './out/report.md', 'data'],
  ['filesystem:write_file', 'content', '# Report\n\nAll tests pass.\n', 'data'],
  ['filesystem:write_file', 'content', 'hello', 'data'],
  ['filesystem:write_file', 'content', '{"port": 8080, "debug": false}', 'data'],
  ['filesystem:edit_file', 'oldText', 'timeout: 30', 'program'],
  ['filesystem:edit_file', 'newText', 'return cache.get(key);', 'program'],
  ['filesystem:edit_file', 'dryRun', true, 'data'],
  ['filesystem:search_files', 'pattern', '**/*.test.ts', 'data'],
  ['filesystem:move_file', 'destination', 'C:\\Users\\ana\\b.txt', 'data'],
  ['memory:create_entities', 'name', 'Ana Lima', 'data'],
  ['memory:create_entities', 'entityType', 'person', 'data'],
  ['memory:create_entities', 'observations', 'Prefers short answers and works from Lisbon.', 'data'],
  ['memory:search_nodes', 'query', 'people in Lisbon', 'data', 'The search query to match against entity names, types, and observation content'],
  // github, gitlab, linear
  ['github:get_file_contents', 'owner', 'modelcontextprotocol', 'data'],
  ['github:get_file_contents', 'ref', 'refs/heads/main', 'data'],
  ['github:list_commits', 'sha', 'da39a3ee5e6b4b0d3255bfef95601890afd80709', 'data'],
  ['github:create_issue', 'title', 'Login fails on Safari when cookies are off', 'data'],
  ['github:create_issue', 'body', 'Steps to reproduce: open the page, click login, see the error.', 'data'],
  ['github:create_issue', 'labels', 'help wanted', 'data'],
  ['github:search_issues', 'q', 'repo:acme/web is:open label:bug', 'program'],
  ['github:search_code', 'q', 'parseConfig', 'data'],
  ['github:create_or_update_file', 'message', 'Update README', 'data'],
  ['github:create_or_update_file', 'content', 'export const answer = 42;', 'data'],
  ['github:list_issues', 'since', '2025-12-22T00:00:00Z', 'data'],
  ['repomix:pack_remote_repository', 'githubToken', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'secret', 'GitHub personal access token for private repository access'],
  ['linear:create_issue', 'teamId', '9cfb482a-81e3-4154-b5b9-2c805e70a02d', 'data'],
  ['linear:create_issue', 'priority', 2, 'data'],
  ['jira:search', 'jql', 'project = WEB', 'program'],
  ['jira:search', 'query', 'status = Done AND assignee = currentUser()', 'program'],
  // slack, mail, notion
  ['slack:post_message', 'channel', '#general', 'data'],
  ['slack:post_message', 'channel_id', 'C024BE91L', 'data'],
  ['slack:post_message', 'text', 'Deploy finished', 'data'],
  ['slack:post_message', 'text', 'The nightly build has failed, please look at the log.', 'data'],
  ['slack:post_message', 'thread_ts', '1503435956.000247', 'data'],
  ['slack:connect', 'botToken', 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy', 'secret'],
  ['smtp:send-email', 'to', 'Ana Lima <ana@example.org>', 'data'],
  ['smtp:send-email', 'subject', 'Your weekly report', 'data'],
  ['smtp:send-email', 'html', '<h1>Report</h1><p>Hello</p>', 'data'],
  ['notion:search', 'query', 'roadmap 2026', 'data'],
  ['notion:fetch', 'id', '195de9221179449fab8075a27c979105', 'data'],
  ['gdrive:read_file', 'fileId', '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms', 'data'],
  ['gdrive:search', 'pageToken', '~!!~AI9FV7TsbKJ1rm0bXhPqzYw3sE9', 'data', 'Pagination token'],
  // databases
  ['postgres:query', 'sql', 'SELECT count(*) FROM users', 'program'],
  ['postgres:query', 'query', 'delete from users where id = 4', 'program'],
  ['postgres:connect', 'connectionString', 'postgres://app:hunter2@db.example.org:5432/app', 'secret'],
  ['postgres:execute', 'schema', 'public', 'data'],
  ['sqlite:write_query', 'query', "INSERT INTO notes VALUES (1, 'a')", 'program'],
  ['sqlite:describe_table', 'table_name', 'notes', 'data'],
  ['dynamodb:query-table', 'keyConditionExpression', 'PK = :pk', 'program'],
  ['mongodb:find', 'collection', 'orders', 'data'],
  ['azure:cosmos_item_query', 'query', 'devices of the last day', 'program', 'SQL query to execute against the container. Uses Cosmos DB SQL syntax.'],
  ['azure:kusto_query', 'query', 'StormEvents | where State == "TEXAS" | take 5', 'program'],
  ['azure:marketplace_product_list', 'filter', "displayName eq 'Azure'", 'program'],
  ['neo4j:read', 'query', 'MATCH (n:Person) RETURN n', 'program'],
  ['github:graphql', 'query', 'query { viewer { login } }', 'program'],
  // browsers, web
  ['puppeteer:puppeteer_navigate', 'url', 'https://example.org/a?b=1#c', 'data'],
  ['puppeteer:puppeteer_click', 'selector', '#login', 'program', 'CSS selector for element to click'],
  ['puppeteer:puppeteer_fill', 'value', 'ana', 'data'],
  ['puppeteer:puppeteer_evaluate', 'script', 'document.title', 'program'],
  ['playwright:browser_click', 'element', 'Submit button', 'data'],
  ['playwright:browser_click', 'ref', 'e12', 'data'],
  ['playwright:browser_evaluate', 'function', '() => document.body.innerText', 'program'],
  ['playwright:browser_fill', 'value', '//div[@id="main"]/a', 'program'],
  ['fetch:fetch', 'url', 'https://user:secret@example.org/', 'secret'],
  ['fetch:fetch', 'max_length', 5000, 'data'],
  ['fetch:fetch', 'Authorization', 'Bearer 8f14e45fceea167a5a36dedd4bea2543', 'secret'],
  ['fetch:fetch', 'Accept', 'application/json', 'data'],
  ['brave-search:brave_web_search', 'query', 'best pizza near central park new york', 'data', 'Search query (max 400 chars, 50 words)'],
  ['brave-search:brave_web_search', 'count', 10, 'data'],
  ['firecrawl:firecrawl_extract', 'prompt', 'Extract the price', 'program', 'Prompt for the LLM extraction'],
  // clouds and containers
  ['aws:call_aws', 'cli_command', 'aws s3 ls --recursive', 'program'],
  ['aws:s3_get', 'bucket', 'acme-logs', 'data'],
  ['aws:configure', 'aws_access_key_id', 'AKIAIOSFODNN7EXAMPLE', 'secret'],
  ['aws:configure', 'secretAccessKey', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'secret'],
  ['kubernetes:kubectl_get', 'resourceType', 'pods', 'data'],
  ['kubernetes:kubectl_get', 'labelSelector', 'app=web,tier=front', 'data'],
  ['kubernetes:kubectl_apply', 'manifest', 'apiVersion: v1\nkind: Pod\n', 'program'],
  ['docker:run-container', 'image', 'postgres:16-alpine', 'data'],
  ['docker:run-container', 'command', 'npm start', 'program'],
  ['docker:exec', 'cmd', 'ls', 'program'],
  ['shell:run', 'input', 'grep -rn TODO src | head', 'program'],
  ['azure:keyvault_secret_get', 'secret', 'db-password', 'data', 'The name of the secret.'],
  ['azure:keyvault_secret_create', 'value', 'blue', 'data'],
  ['azure:sql_server_create', 'administrator-password', 'P@ssw0rd1234', 'secret', 'The administrator password for the SQL server.'],
  ['azure:storage_account_get', 'resource-group', 'rg-prod-westeurope', 'data'],
  ['azure:appconfig_kv_get', 'key', 'feature.flags.beta', 'data', 'The name of the key to access within the App Configuration store.'],
  ['scheduler:create', 'schedule', '0 9 * * MON-FRI', 'data'],
  // money, models, others
  ['stripe:create_customer', 'email', 'ana@example.org', 'data'],
  ['stripe:create_price', 'currency', 'eur', 'data'],
  ['stripe:create_payment_link', 'price', 'price_1MoBy5LkdIwHu7ixZhnattbh', 'data'],
  ['stripe:configure', 'key_value', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'secret'],
  ['uniswap:getPrice', 'tokenIn', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'data', 'Input token address'],
  ['token-metrics:get_tokens_data', 'token_name', 'Bitcoin, Ethereum, Solana', 'data'],
  ['openai:chat', 'system', 'You are terse.', 'program'],
  ['openai:chat', 'api_key', 'sk-proj-abcdefghijklmnopqrstuvwxyz012345', 'secret'],
  ['maps:directions', 'origin', '1600 Amphitheatre Parkway, Mountain View, CA', 'data'],
  ['weather:forecast', 'date', 'next friday', 'data'],
  ['sentry:search_issues', 'naturalLanguageQuery', 'unhandled errors', 'data', 'Natural language description of issues to search for'],
  ['auth:login', 'loginToken', 'a8f5f167f44f4964e6c998dee827110c', 'secret'],
  ['llm:generate', 'stopToken', '<|end_of_text|>', 'data'],
  ['party:plan', 'topic', 'secret-santa-gift-exchange-2024', 'data'],
  ['docs:search', 'query', 'basic authentication with sk-learn-contrib', 'data'],
  ['grep:search', 'regex', 'TODO', 'program'],
  ['grep:search', 'pattern', '^import .* from', 'program'],
  ['template:render', 'text', 'Dear {{name}}', 'program'],
  ['plantuml:generate', 'plantuml_code', 'A -> B;', 'program'],
  ['crm:update_customer', 'code', 'ACME-01', 'data', 'Code client'],
  ['tci:run-code', 'code', 'x + 1', 'program', 'The code to run'],
  // sentences that look like programs, and programs that look like data
  ['everything:echo', 'message', 'I am on my way', 'data'],
  ['everything:echo', 'message', 'SELECT your seat from the list; then confirm.', 'data'],
  ['slack:post_message', 'text', 'Select a seat from the list.', 'data'],
  ['slack:post_message', 'text', 'Explain how the cache works, and return the keys; thanks', 'data'],
  ['slack:post_message', 'text', 'Go to Settings > Privacy and use **bold** text (see above);\n- one\n', 'data'],
  ['slack:post_message', 'text', '#fun #travel', 'data'],
  ['apibank:Calculator', 'formula', '25*3+7/3', 'program'],
  ['sheets:set', 'expression', 'a/b', 'program'],
  ['sci:laplacian', 'f_str', 'x**2 + y**2*sin(z)', 'program'],
  ['pg:run', 'text', 'SELECT * FROM users WHERE id = ?', 'program'],
  ['pg:run', 'text', 'select name from users', 'program'],
  ['help:display', 'command', 'ls', 'data', 'The name of the command to display help for'],
  ['firecrawl:search', 'filter', 'site:docs.rs tokio select', 'program'],
  ['todoist:get-tasks', 'filter', 'p1 & overdue', 'program'],
  ['places:list', 'filter', 'Building 4', 'data'],
  ['k8s:get', 'label_selector', 'app=web,tier=front', 'data'],
  ['smtp:update-template', 'body', 'Dear {{name}}', 'program', 'Email body template'],
];

test('data, programs and secrets in calls of real servers', () => {
  const wrong = CALLS.flatMap(([tool, key, value, expected, description]) => {
    const { kind, rule } = classifyLiteral({
      value,
      key,
      schema: description ? { type: 'string', description } : undefined,
    });
    return kind === expected
      ? []
      : [`${tool} ${key}=${JSON.stringify(value)}: ${kind} (${rule}), not ${expected}`];
  });
  assert.deepEqual(wrong, []);
  assert.ok(CALLS.length >= 60);
});

test("the tool's schema counts", () => {
  assert.equal(
    classifyLiteral({ value: 'select one', schema: { enum: ['select one', 'all'] } }).kind,
    'data',
  );
  assert.equal(classifyLiteral({ value: '1234', key: 'x', schema: { format: 'password' } }).kind, 'secret');
  assert.equal(classifyLiteral({ value: 'x', key: 'x', schema: { writeOnly: true } }).kind, 'secret');
  assert.equal(
    classifyLiteral({ value: 'foo', key: 'match', schema: { description: 'A regular expression' } }).kind,
    'program',
  );
});

test('text that a database cannot hold, and long text, stay in the code', () => {
  assert.equal(classifyLiteral({ value: 'a\u0000b', key: 'name' }).kind, 'program');
  assert.equal(classifyLiteral({ value: '\ud800', key: 'name' }).kind, 'program');
  assert.equal(classifyLiteral({ value: 'word '.repeat(300), key: 'message' }).kind, 'data');
  assert.equal(classifyLiteral({ value: `/a/${'b'.repeat(2000)}`, key: 'path' }).kind, 'program');
  assert.equal(classifyLiteral({ value: '"'.repeat(1500), key: 'message' }).kind, 'program');
});

test('classifying is fast for any text', () => {
  const texts = [
    'a.'.repeat(100_000),
    'Bearer '.repeat(30_000),
    ' '.repeat(200_000),
    'sk-'.repeat(60_000),
    'eyJ-'.repeat(50_000),
    'SG.aaaaaaaaaaaaaaaa-'.repeat(10_000),
    '-----BEGIN A PRIVATE KEY-----'.repeat(7000),
    'https://x.'.repeat(20_000),
    'token a'.repeat(30_000),
    '://a:b'.repeat(40_000),
    '<a '.repeat(160),
  ];
  const before = process.cpuUsage();
  for (const value of texts) classifyLiteral({ value, key: 'query' });
  for (const value of texts) classifyLiteral({ value: value.slice(0, 500), key: 'x' });
  // Seconds of processor time, so that a busy machine does not matter; a quadratic pattern would take minutes.
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});
