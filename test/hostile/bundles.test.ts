import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/json.ts';
import { importBundle } from '../../src/registry/bundle/index.ts';
import {
  type BundledVersion,
  bundledCapability,
  type Content,
  contentOf,
  fqdnOf,
  importing,
  printBundle,
  readBundle,
  strangerKeys,
  versionOf,
} from '../../src/registry/bundle/testing.ts';
import { ana, failureOf, registryOf } from '../../src/registry/testing.ts';
import { openDb } from '../../src/store/index.ts';
import { freshFolder } from '../../src/store/testing.ts';
import { runs } from '../../src/testing/effort.ts';
import { WORST_SOURCES } from '../code/worst-sources.ts';

/** Processor time for inspecting a bundle: all threads and the database together. */
const MAX_MS = 1000;
/** The part of it in the main thread, where every session waits. */
const MAX_MAIN_MS = 250;
/** Attempts: a busy machine makes some of them dearer, a fault makes all of them dear. */
const TRIES = 5;

const keys = await strangerKeys();
const MAIL = `a@b${',,,,,a@b'.repeat(60)} `;

const schemaWith = (value: unknown) => ({
  parameters_schema: { type: 'object', properties: { x: { default: value as Json } } },
});
const one = (code: string, more: Partial<BundledVersion> = {}) =>
  contentOf({ ...bundledCapability('a:b'), versions: [versionOf(1, code, more)] });
const TINY = versionOf(1, 'return 1;');
const tiny = (count: number) =>
  contentOf(
    ...Array.from({ length: count }, (_, i) => ({ ...bundledCapability(`a:n${i}`), versions: [TINY] })),
  );
const call = (name: string) => `return mcp["${fqdnOf(name)}"]({});`;

/** Correctly signed bundles that are as costly to inspect as their maker could manage. */
const BUNDLES: Record<string, () => Content> = {
  'a default that looks like mail': () => one('return args.x;', schemaWith(MAIL)),
  'a thousand such defaults': () =>
    one('return 1;', {
      parameters_schema: {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, { default: MAIL }])),
      },
    }),
  'literals that look like mail': () =>
    one(`return [\n${Array.from({ length: 60 }, (_, i) => `mcp.x.y({ a: "${i}${MAIL}" })`).join(',\n')}\n];`),
  'a huge default': () => one('return args.x;', schemaWith('x'.repeat(7_000_000))),
  'a huge default of words': () => one('return args.x;', schemaWith('sk-a eyJ- '.repeat(90_000))),
  'a default of many values': () =>
    one('return args.x;', schemaWith(Array.from({ length: 300_000 }, (_, i) => i % 9))),
  'a default nested as deep as is allowed': () => {
    let value: unknown = 'x'.repeat(10_000);
    for (let depth = 0; depth < 28; depth += 1) value = depth % 4 === 0 ? [value, value] : [value];
    return one('return args.x;', schemaWith(value));
  },
  'a parameter that is passed a thousand times': () =>
    one(`return [\n${'mcp.x.y({ k: args.x }),\n'.repeat(1250)}];`, {
      ...schemaWith(Array.from({ length: 300 }, (_, i) => `some value ${i}`)),
      tools_used: ['x:y'],
      written_for: { 'x:y': { type: 'object', properties: { k: {} } } },
    }),
  'nine thousand capabilities': () => tiny(9000),
  'a thousand capabilities': () => tiny(1000),
  'fifty capabilities': () => tiny(50),
  'a thousand versions': () =>
    contentOf({
      ...bundledCapability('a:b'),
      versions: Array.from({ length: 1000 }, (_, i) => versionOf(i + 1, `return ${i};`)),
    }),
  'fifty capabilities that call each other in a row': () =>
    contentOf(
      ...Array.from({ length: 50 }, (_, i) =>
        bundledCapability(`a:n${i}`, i === 49 ? 'return 1;' : call(`a:n${i + 1}`)),
      ),
    ),
  'fifty that call each other in a circle': () =>
    contentOf(
      ...Array.from({ length: 50 }, (_, i) => bundledCapability(`a:n${i}`, call(`a:n${(i + 1) % 50}`))),
    ),
  'a thousand that call each other in a circle': () =>
    contentOf(
      ...Array.from({ length: 1000 }, (_, i) => bundledCapability(`a:n${i}`, call(`a:n${(i + 1) % 1000}`))),
    ),
  'many calls of many tools': () => {
    const tools = Array.from({ length: 900 }, (_, i) => `srv:tool_${i}`);
    const code = tools.map((name) => `mcp["${name}"]({ a: 1 });`).join('\n');
    return one(code, { tools_used: tools });
  },
  'fifty versions that use hundreds of tools': () => {
    const tools_used = Array.from({ length: 500 }, (_, i) => `srv:tool_${i}`);
    return contentOf({
      ...bundledCapability('a:b'),
      versions: Array.from({ length: 50 }, (_, i) => versionOf(i + 1, `return ${i};`, { tools_used })),
    });
  },
  'words in every place': () => {
    const text = 'lorem ipsum, '.repeat(1500);
    return contentOf(
      ...Array.from({ length: 25 }, (_, i) => ({
        ...bundledCapability(`a:n${i}`, 'return 1;'),
        description: text,
        intent: text,
      })),
    );
  },
  'eight megabytes of code': () =>
    contentOf({
      ...bundledCapability('a:b'),
      versions: Array.from({ length: 25 }, (_, i) => versionOf(i + 1, 'x;\n'.repeat(12_000))),
    }),
};

/** Code that is costly to read, up to the limits for a stranger's code. */
const SOURCES = Object.entries(WORST_SOURCES).filter(([, make]) => make().length < 32 * 1024);
for (const [name, make] of SOURCES.slice(0, runs(3).numRuns)) BUNDLES[name] = () => one(make());

test('a bundle of a stranger is inspected quickly, whatever it holds', async (t) => {
  const db = await openDb({ home: freshFolder(t) });
  t.after(() => db.close());
  const look = (content: Content) =>
    failureOf(importBundle(registryOf(db), ana, printBundle(keys, content), importing({ dryRun: true })));
  // Warms up: starts the thread, and prepares the statements.
  await look(contentOf(bundledCapability('a:b', '// text\n'.repeat(3000))));
  for (const [name, make] of Object.entries(BUNDLES)) {
    const text = printBundle(keys, make());
    await t.test(name, async () => {
      const inspect = async () => {
        const [all, main] = [process.cpuUsage(), process.threadCpuUsage()];
        const said = await failureOf(importBundle(registryOf(db), ana, text, importing({ dryRun: true })));
        const [usedMs, mainMs] = [process.cpuUsage(all), process.threadCpuUsage(main)].map(
          ({ user, system }) => Math.round((user + system) / 1000),
        ) as [number, number];
        return { said, usedMs, mainMs };
      };
      const { said, ...first } = await inspect();
      let { usedMs, mainMs } = first;
      // A crowded core makes all work dearer for a moment.
      for (let tries = 1; tries < TRIES && (usedMs >= MAX_MS || mainMs >= MAX_MAIN_MS); tries++) {
        const again = await inspect();
        usedMs = Math.min(usedMs, again.usedMs);
        mainMs = Math.min(mainMs, again.mainMs);
      }
      t.diagnostic(`${name}: ${usedMs} ms, ${mainMs} ms of them in the main thread; ${said.slice(0, 80)}`);
      assert.doesNotMatch(said, /internal|RangeError|heap/);
      assert.ok(usedMs < MAX_MS, `${usedMs} ms`);
      assert.ok(mainMs < MAX_MAIN_MS, `${mainMs} ms in the main thread`);
    });
  }
});

test('files that are no bundle are refused quickly', () => {
  const files = {
    brackets: '['.repeat(8_000_000),
    braces: '{"a":'.repeat(1_600_000),
    numbers: `[${'1,'.repeat(4_000_000)}1]`,
    spaces: ' '.repeat(8_000_000),
    'a text': `"${'x'.repeat(8_000_000)}"`,
    escapes: `"${'\\u0041'.repeat(1_300_000)}"`,
    'too large': 'x'.repeat(100_000_000),
    keys: `{${Array.from({ length: 400_000 }, (_, i) => `"${i}":1`).join(',')}}`,
  };
  for (const [name, text] of Object.entries(files)) {
    let usedMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && usedMs >= MAX_MS; tries++) {
      const before = process.cpuUsage();
      assert.throws(() => readBundle(text), { code: 'bundle_invalid' }, name);
      const { user, system } = process.cpuUsage(before);
      usedMs = Math.min(usedMs, (user + system) / 1000);
    }
    assert.ok(usedMs < MAX_MS, `${name}: ${usedMs} ms`);
  }
});
