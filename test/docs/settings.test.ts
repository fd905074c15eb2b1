import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { fileSchema } from '../../src/config/file-schema.ts';
import { IGNORED_KEYS } from '../../src/config/foreign-keys.ts';
import { pmlWords, wrongUse } from './command-lines.ts';
import { type Block, inlineCode, ROOT, userPages } from './markdown.ts';

const pages = userPages();
const configure = pages.find(({ path }) => path === 'docs/configure.md');
assert.ok(configure);

interface ClientEntry {
  command?: string | string[];
  args?: string[];
}

/** The keys under which clients keep their servers. */
const CLIENT_KEYS = ['mcpServers', 'servers', 'context_servers', 'mcp'];

/** Returns the entries of a client's own file: one that has PML as a server. */
function clientEntries(example: Record<string, Record<string, ClientEntry>>): ClientEntry[] | undefined {
  const servers = CLIENT_KEYS.map((key) => example[key]).find((each) => each !== undefined);
  return servers && 'pml' in servers ? Object.values(servers) : undefined;
}

async function problemsOf({ text, place }: Block): Promise<string[]> {
  const example = JSON.parse(text);
  const entries = clientEntries(example);
  if (!entries) {
    const { error } = fileSchema.safeParse(example);
    return error ? [`${place}: ${z.prettifyError(error)}`] : [];
  }
  const lines = entries.filter(({ command }) => command !== undefined);
  const problems = await Promise.all(
    lines.map(({ command = [], args = [] }) => wrongUse(pmlWords([command, args].flat()) ?? ['(none)'])),
  );
  return problems.flatMap((problem) => (problem ? [`${place}: ${problem}`] : []));
}

test('every JSON block of the documents is a valid pml.json, or starts PML in a client', async () => {
  const blocks = pages.flatMap((page) => page.blocks.filter(({ language }) => language === 'json'));
  assert.deepEqual((await Promise.all(blocks.map(problemsOf))).flat(), []);
  assert.ok(blocks.length >= 4);
  const wrong = { place: 'x', language: 'json', text: '{ "sandbox": { "timeoutMs": "1" } }' };
  assert.match((await problemsOf(wrong)).join(), /timeoutMs/);
  const client = { ...wrong, text: '{ "mcpServers": { "pml": { "command": "pml", "args": ["srve"] } } }' };
  assert.match((await problemsOf(client)).join(), /srve/);
});

test('every setting that the documents quote is valid', () => {
  const known = Object.keys(fileSchema.shape);
  const quoted = pages.flatMap((page) => inlineCode(page).map((code) => ({ page, code })));
  const settings = quoted.filter(
    ({ code }) => known.includes(/^"(\w+)": /.exec(code)?.[1] ?? '') && !code.includes('…'),
  );
  const wrong = settings.flatMap(({ page, code }) => {
    const { error } = fileSchema.safeParse(JSON.parse(`{${code}}`));
    return error ? [`${page.path}: ${code}: ${z.prettifyError(error)}`] : [];
  });
  assert.deepEqual(wrong, []);
  assert.ok(settings.length > 5);
});

interface Described {
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  anyOf?: Described[];
  default?: unknown;
}

/** Returns every setting of a schema by its path, with its default: `agents.NAME.model`. */
function settingsOf(schema: Described, path: readonly string[] = []): { path: string; default?: unknown }[] {
  const { properties = {}, additionalProperties: map, anyOf = [] } = schema;
  const inner = [
    ...Object.entries(properties).map(([key, each]) => settingsOf(each, [...path, key])),
    ...(typeof map === 'object' && Object.keys(map.properties ?? {}).length > 0
      ? [settingsOf(map, [...path, 'NAME'])]
      : []),
    ...anyOf.map((each) => settingsOf(each, path).filter((setting) => setting.path !== path.join('.'))),
  ].flat();
  const own = { path: path.join('.'), default: schema.default };
  // A setting that is a word or an object is one row, and its parts are others.
  return inner.length === 0 || anyOf.length > 0 ? [own, ...inner] : inner;
}

test('the page on configuration has every setting, with its default', () => {
  const all = settingsOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Described);
  // The keys of a server stand in a table of their own.
  const settings = all
    .map((setting) => ({ ...setting, path: setting.path.replace('mcpServers.NAME.', '') }))
    .filter(({ path }) => !(path in IGNORED_KEYS));
  const rows = configure.text.split('\n').filter((line) => line.startsWith('| `'));
  const missing = settings.filter(({ path, default: value }) => {
    const own = rows.filter((line) => (line.split('|')[1] ?? '').includes(`\`${path}\``));
    // `envFile` is a key of the file and one of a server.
    const isComplete = own.length >= settings.filter((each) => each.path === path).length;
    return !(
      isComplete &&
      (!isShown(value) || own.some((row) => row.split('|')[2]?.includes(String(value))))
    );
  });
  assert.ok(settings.length > 40, `${settings.length}`);
  assert.deepEqual(missing, []);
});

/** Defaults that are empty say nothing worth a column. */
function isShown(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

test('the page on configuration has every variable that PML reads', () => {
  const sources = globSync(['src/**/*.{ts,js}', 'bin/*.js'], { cwd: ROOT }).filter(
    (file) => !/test/.test(file),
  );
  const read = sources.flatMap((file) =>
    Array.from(
      readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:env\.|env, ')(PML_[A-Z_]+)/g),
      ([, name]) => name as string,
    ),
  );
  const documented = new Set(Array.from(configure.text.matchAll(/`(PML_[A-Z_]+)`/g), ([, name]) => name));
  assert.deepEqual(
    [...new Set(read)].filter((name) => !documented.has(name)),
    [],
  );
  assert.ok(new Set(read).size > 6);
});
