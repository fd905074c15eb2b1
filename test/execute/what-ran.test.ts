/** Through a real gateway: a capability, given other values, does what the program does that has these values written in. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type Gateway, joinGateway, startGateway } from '../../src/embed/index.ts';
import { isJsonSchema, type Json, type JsonSchema } from '../../src/json.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { type NotedCall, NotingTools } from '../support/noting-tools.ts';

const FOLDERS: Record<string, string[]> = { docs: ['a', 'b'], 'docs/a': ['c'], src: ['x'] };
const tools = new NotingTools({
  store: {
    list_items: ({ project }) => ({
      items: [1, 2, 3].map((n) => ({ id: `${project}-${n}`, owner: n < 3 ? 'ana' : 'bo', size: n * 10 })),
    }),
    purge: () => ({ ok: true }),
    delete: () => ({ ok: true }),
    tag: ({ tags }) => ({ tagged: tags }),
  },
  bank: {
    get_account: ({ id }) => ({ id, balance: 40 }),
    transfer: ({ amount }) => ({ moved: amount }),
  },
  disk: {
    list_folder: ({ path }) => ({ folders: FOLDERS[path] ?? [] }),
    move_file: () => ({ ok: true }),
    write_file: ({ content }) => ({ bytes: content.length }),
  },
  web: { fetch_page: ({ url }) => ({ url, title: `Page ${url.length}` }) },
  chat: { post: ({ text }) => ({ ts: text.length }) },
});

const env = { PATH: process.env.PATH ?? '', PML_LOG: 'error' };
const dir = mkdtempSync(join(scratchRoot(), 'pml-what-ran-'));
const config = join(dir, 'pml.json');
let gateway: Gateway;
let projects = 0;
const place = (project: string) => ({
  home: join(dir, 'home'),
  config,
  cwd: dir,
  env: { ...env, HOME: dir, PML_PROJECT: project },
});

before(async () => {
  const mcpServers = await tools.start();
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers,
      expose: 'lean',
      curation: { model: 'none' },
      discovery: { embeddings: 'none' },
    }),
  );
  gateway = await startGateway(place('default'));
});
after(async () => {
  await gateway.close();
  tools.stop();
});

interface Did {
  readonly calls: readonly NotedCall[];
  readonly result?: unknown;
  readonly failed?: string;
}

async function run(session: Gateway, request: object): Promise<Did & { fqdn?: string }> {
  tools.take();
  try {
    const { result, capabilityFqdn } = await session.execute({ intent: 'do it', ...request });
    return {
      calls: tools.take(),
      result,
      ...(typeof capabilityFqdn === 'string' ? { fqdn: capabilityFqdn } : {}),
    };
  } catch (error) {
    return { calls: tools.take(), failed: (error as Error).message };
  }
}

type Values = Readonly<Record<string, Json>>;

/** The arguments that give other values to the parameters whose first values are those of the program. */
function argumentsFor({ properties = {} }: JsonSchema, usual: Values, other: Values): Record<string, Json> {
  const firstOf = (schema: JsonSchema | boolean) =>
    isJsonSchema(schema) ? (schema.default ?? (schema.examples as Json[] | undefined)?.[0]) : undefined;
  const args: Record<string, Json> = {};
  for (const [key, value] of Object.entries(usual)) {
    const names = Object.keys(properties).filter((name) =>
      isDeepStrictEqual(firstOf(properties[name] as JsonSchema), value),
    );
    if (!isDeepStrictEqual(value, other[key]))
      assert.equal(names.length, 1, `${key} must be one parameter of ${JSON.stringify(properties)}`);
    for (const name of names) args[name] = other[key] as Json;
  }
  return args;
}

type Written = Record<string, string>;

/**
 * Learns the program with its usual values, and calls the capability with those and with others: it must do what the program does
 * that has the same values written in. `check` gets the texts of the writes, and the result or the failure, of each other call.
 */
function alike(
  title: string,
  program: (values: Written) => string,
  usual: Values,
  ...others: readonly [values: Values, writes: readonly string[], end?: unknown][]
): void {
  test(title, async () => {
    projects += 1;
    const session = await joinGateway(place(`p${projects}`));
    try {
      const write = (values: Values) =>
        program(
          Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)])),
        );
      const learned = await run(session, { code: write(usual) });
      assert.ok(learned.fqdn, JSON.stringify(learned));
      const { parameters_schema, verified } = await session.registry.whois(learned.fqdn);
      assert.equal(verified, true);
      for (const [values, writes, end] of [[usual] as const, ...others]) {
        const args = argumentsFor(parameters_schema as JsonSchema, usual, values);
        const did = await run(session, { capability: learned.fqdn, args });
        const written = await run(session, { code: write(values), options: { remember: false } });
        assert.deepEqual([did.calls, did.result], [written.calls, written.result], JSON.stringify(args));
        assert.equal(did.failed === undefined, written.failed === undefined);
        if (writes) assert.deepEqual(writesOf(did), writes);
        if (end !== undefined) assert.deepEqual(did.failed ?? did.result, end);
      }
    } finally {
      await session.close();
    }
  });
}

/** `store:delete api/items/1`: the writing calls with the values of their arguments. */
function writesOf({ calls }: Did): string[] {
  return calls
    .filter(({ name }) => !/:(?:get|list|read|find|fetch)/.test(name))
    .map(({ name, args }) => `${name} ${Object.values(args).join(' ')}`);
}

describe('a guard follows the value that it guards', () => {
  for (const [style, test] of [
    ['a constant', 'if (!dryRun)'],
    ['a comparison', 'if (dryRun === false)'],
    ['an early return', 'if (dryRun) return { dryRun, n: items.length };'],
  ] as const) {
    const purge = (dry: string) => `const dryRun = ${dry};
      const { items } = await mcp.store.list_items({ project: "web", dryRun });
      ${test} await mcp.store.purge({ project: "web" });
      return { dryRun, n: items.length };`;
    const program = ({ dry = '' }: Written) => purge(dry);
    alike(`dry run, ${style}: from a real run`, program, { dry: false }, [
      { dry: true },
      [],
      { dryRun: true, n: 3 },
    ]);
    alike(`dry run, ${style}: from a dry one`, program, { dry: true }, [
      { dry: false },
      ['store:purge web'],
      { dryRun: false, n: 3 },
    ]);
  }

  alike(
    'the amount of a transfer',
    ({ amount }) => `const acc = await mcp.bank.get_account({ id: "acc-1" });
      if (acc.balance < ${amount}) throw new Error("too little");
      return await mcp.bank.transfer({ from: "acc-1", to: "acc-2", amount: ${amount} });`,
    { amount: 25.5 },
    [{ amount: 99999 }, []],
    [{ amount: 40 }, ['bank:transfer acc-1 acc-2 40'], { moved: 40 }],
  );

  const guards: readonly [string, string, string][] = [
    ['startsWith', '!file.startsWith("/data/")', 'secret/keep.txt'],
    ['endsWith', '!file.endsWith(".txt")', '/data/keep.csv'],
    ['includes', '!file.includes("data")', 'secret/keep.txt'],
    ['slice ===', 'file.slice(0, 6) !== "/data/"', 'secret/keep.txt'],
    ['truthiness', '!file', ''],
    ['Number()', 'Number(file.slice(-5, -4)) > 5', '/data/9.txt'],
    ['a list of what is allowed', '!["/data/a.txt", "/data/b.txt"].includes(file)', 'secret/keep.txt'],
  ];
  for (const [name, condition, refused] of guards)
    alike(
      `a file that is moved: ${name}`,
      ({ file }) => `const file = ${file};
        if (${condition}) throw new Error("not this file");
        return await mcp.disk.move_file({ source: file, target: "/old" });`,
      { file: '/data/a.txt' },
      [{ file: refused }, []],
      [{ file: '/data/b.txt' }, ['disk:move_file /data/b.txt /old'], { ok: true }],
    );
});

describe('a text follows the value in it', () => {
  alike(
    'a project within paths',
    ({ project = '' }) => `const { items } = await mcp.store.list_items({ project: ${project} });
      for (const x of items.slice(0, 2)) await mcp.store.delete({ path: "${JSON.parse(project)}/items/" + x.id });
      return items.length;`,
    { project: 'web' },
    [{ project: 'api' }, ['store:delete api/items/api-1', 'store:delete api/items/api-2'], 3],
  );

  alike(
    'an id in addresses',
    ({
      id = '',
    }) => `const page = await mcp.web.fetch_page({ url: "https://ci.example/runs/${JSON.parse(id)}/log" });
      await mcp.store.tag({ id: ${id}, tags: [page.title] });
      return page.url;`,
    { id: 'run-42' },
    [
      { id: 'run-7' },
      ['store:tag run-7 Page 34'.replace('34', String('https://ci.example/runs/run-7/log'.length))],
      'https://ci.example/runs/run-7/log',
    ],
  );

  alike(
    'owner and repository',
    ({
      owner = '',
      repo = '',
    }) => `const { items } = await mcp.store.list_items({ project: ${repo}, owner: ${owner} });
      const page = await mcp.web.fetch_page({ url: "https://x.example/${JSON.parse(owner)}/${JSON.parse(repo)}/pulls" });
      return [items.length, page.url];`,
    { owner: 'acme', repo: 'rocket' },
    [{ owner: 'globex', repo: 'lander' }, [], [3, 'https://x.example/globex/lander/pulls']],
  );

  alike(
    'a folder without a slash',
    ({ folder = '' }) => `const { folders } = await mcp.disk.list_folder({ path: ${folder} });
      for (const one of folders) await mcp.disk.move_file({ source: "${JSON.parse(folder)}/" + one, target: "old" });
      return folders;`,
    { folder: 'docs' },
    [{ folder: 'src' }, ['disk:move_file src/x old'], ['x']],
  );
});

describe('all uses of a value follow it', () => {
  alike(
    'the parameters of a local function',
    ({ city, days }) => `async function report(city, days) {
        const { items } = await mcp.store.list_items({ project: city, limit: days });
        return \`\${city}: \${items.length} in \${days} days\`;
      }
      return await report(${city}, ${days});`,
    { city: 'Oslo', days: 5 },
    [{ city: 'Lyon', days: 2 }, [], 'Lyon: 3 in 2 days'],
  );

  alike(
    'a list that is walked',
    ({ cities }) => `const sent = [];
      for (const city of ${cities}) sent.push((await mcp.chat.post({ channel: "#c", text: \`\${city}: fine\` })).ts);
      return sent;`,
    { cities: ['Oslo', 'Bergen'] },
    [{ cities: ['Lyon'] }, ['chat:post #c Lyon: fine'], [10]],
    [{ cities: [] }, [], []],
  );
});

describe('the program that ran is the program that is stored', () => {
  alike(
    'a queue that grows while it is walked',
    ({ root }) => `const queue = [${root}];
      for (const d of queue) for (const child of (await mcp.disk.list_folder({ path: d })).folders) queue.push(d + "/" + child);
      return queue;`,
    { root: 'docs' },
    [{ root: 'src' }, [], ['src', 'src/x']],
  );

  alike(
    'Array.from with a function',
    ({
      names,
    }) => `const sent = await Promise.all(Array.from(${names}, (name, at) => mcp.chat.post({ channel: "#c", text: at + name })));
      return sent.map(({ ts }) => ts);`,
    { names: ['ana', 'bo'] },
    [{ names: ['cyd'] }, ['chat:post #c 0cyd'], [4]],
  );

  alike(
    'a default after an optional chain',
    ({ tag }) => `const opts = (await mcp.bank.get_account({ id: ${tag} })).opts;
      const { tagged } = await mcp.store.tag({ tags: [${tag}] });
      return [opts?.a.length ?? 0, tagged.length];`,
    { tag: 'vip' },
    [{ tag: 'new' }, ['store:tag new'], [0, 1]],
  );

  alike(
    'the order of keys in a text',
    ({ z, a }) => `const z = ${z};
      const a = ${a};
      await mcp.disk.write_file({ path: "pair.json", content: JSON.stringify({ z, a }) });
      return JSON.stringify({ z, a });`,
    { z: 'last', a: 'first' },
    [
      { z: 'omega', a: 'alpha' },
      ['disk:write_file pair.json {"z":"omega","a":"alpha"}'],
      '{"z":"omega","a":"alpha"}',
    ],
  );
});

test('a replay calls nothing: the tools see the calls of the run alone', async () => {
  const session = await joinGateway(place('replays'));
  try {
    const styles = [
      `for (const n of [1, 2]) await mcp.store.delete({ path: \`web/\${n}\` }); return (await mcp.store.list_items({ project: "web" })).items.length;`,
      'let n = 1; while (n <= 2) { await mcp.store.delete({ path: "web/" + n }); n += 1; } const { items } = await mcp.store.list_items({ project: "web" }); return items.length;',
      'await mcp.store.delete({ path: "web/1" }); await mcp.store.delete({ path: "web/2" }); return (await mcp.store.list_items({ project: "web" })).items.length + 0;',
    ];
    for (const code of styles) {
      const { calls } = await run(session, { code });
      // What is replayed after the answer would come later.
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(
        [...calls, ...tools.take()].map(({ name }) => name),
        ['store:delete', 'store:delete', 'store:list_items'],
      );
    }
  } finally {
    await session.close();
  }
});
