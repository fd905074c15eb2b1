import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../store/testing.ts';
import { HAS_TIME } from '../../testing/effort.ts';
import { resolve } from '../index.ts';
import { ana, dan, failureOf, registryOf, saveCapability } from '../testing.ts';
import type { Content } from './bundle-schema.ts';
import { bundledCapability, contentOf, fqdnOf, versionOf } from './forging.testing.ts';
import { importBundle } from './import.ts';
import { printBundle, readBundle } from './read-bundle.ts';
import { importing, strangerKeys } from './testing.ts';
import { validateBundle } from './validate.ts';

const keys = await strangerKeys();
const trust = readBundle(printBundle(keys, contentOf(bundledCapability('a:b', 'return 1;')))).fingerprint;

/** Signs any content validly. */
const signed = (content: Content) => printBundle(keys, content);

/** Runs the checks of an import that need no registry. */
async function verdict(content: Content): Promise<string> {
  return failureOf(Promise.resolve().then(() => validateBundle(readBundle(signed(content)).content)));
}

const call = (name: string, pin = '') => `return mcp["${fqdnOf(name)}${pin}"]({});`;
const honest = () =>
  contentOf(
    bundledCapability('a:one', call('b:two')),
    bundledCapability('b:two', 'return "zwölf \\u{1f600}";', 'return 2;'),
  );

test('an honest bundle passes', async () => {
  assert.equal(await verdict(honest()), 'done');
});

test('a bundle changed by one bit is refused, wherever the bit is', () => {
  const bytes = Buffer.from(signed(honest()));
  let refused = 0;
  const ends = bytes.indexOf('"signer"');
  for (let at = 0; at < bytes.length * 8; at += 1) {
    // Every byte of the bundle, and every bit of its header and signature.
    const isTried = HAS_TIME || at < 1000 || at > ends * 8 || (at & 7) === (((at >> 3) * 3) & 7);
    if (!isTried) continue;
    const changed = Buffer.from(bytes);
    changed[at >> 3] = (changed[at >> 3] as number) ^ (1 << (at & 7));
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(changed);
    } catch {
      // The command refuses bytes that are no text.
      refused += 1;
      continue;
    }
    assert.throws(() => readBundle(text), { code: 'bundle_invalid' }, `bit ${at & 7} of byte ${at >> 3}`);
    refused += 1;
  }
  assert.ok(refused > 3000, String(refused));
});

test('the same content printed differently is refused', () => {
  const text = signed(honest());
  const others = [
    JSON.stringify(JSON.parse(text)),
    text.replace('"does it"', '"\\u0064oes it"'),
    text.replace('"named": true', '"named": true, "named": true'),
    text.replace('"version": 1,', '"version": 1.0,'),
    text.replace('"format"', '"x": 1, "format"'),
    `${text}x`,
    `${text}{}`,
  ];
  for (const other of others) {
    assert.notEqual(other, text);
    assert.throws(() => readBundle(other), { code: 'bundle_invalid' });
  }
  // Git may change line ends.
  readBundle(text.replaceAll('\n', '\r\n'));
  readBundle(text.trimEnd());
});

test('a signature of another text, by another key or for another key is refused', async () => {
  const [one, two] = [signed(honest()), signed(contentOf(bundledCapability('c:three', 'return 3;')))].map(
    (text) => JSON.parse(text),
  );
  const print = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  assert.equal(print(one), signed(honest()));
  const other = await strangerKeys();
  for (const change of [
    { signature: two.signature },
    { signer: other.publicKey },
    { signature: other.sign('x') },
    { signer: '' },
    { signature: '' },
  ]) {
    assert.throws(() => readBundle(print({ ...one, ...change })), {
      code: 'bundle_invalid',
      message: /changed after it was signed/,
    });
  }
});

test('a file that is no bundle and a newer bundle get different errors', () => {
  const said = (text: string) => {
    try {
      return readBundle(text) && 'read';
    } catch (error) {
      const { message, hint } = error as Error & { hint?: string };
      return `${message} ${hint ?? ''}`;
    }
  };
  for (const text of ['', 'nonsense', '[]', 'null', '{}', '"pml-bundle"'])
    assert.match(said(text), /no bundle/);
  assert.match(said('{"format":"pml-bundle","version":2}'), /format 2; .* Upgrade PML/);
  assert.match(said('{"format":"pml-bundle","version":1}'), /is malformed/);
  const deep = `{"format":"pml-bundle","version":1,"content":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
  assert.match(said(deep), /nested too deeply/);
  assert.match(said(`"${'x'.repeat(9e6)}"`), /too large/);
  assert.match(said('{"format":"pml-bundle","a":"\\u0000"}'), /not text/);
  assert.match(said('{"format":"pml-bundle","a":"\\ud800"}'), /not text/);
});

test('an error that quotes a stranger cannot control the terminal', async () => {
  const evil = '\u001b[2J\u009b\u202e\u0007';
  const contents = [
    { ...contentOf(bundledCapability('a:b', 'return 1;')), [evil.repeat(9000)]: 1 } as Content,
    contentOf(bundledCapability('a:b', `return (/* ${evil} */;`)),
    contentOf({
      ...bundledCapability('a:b'),
      versions: [versionOf(1, 'return 1;', { tools_used: [`x:${evil}`] })],
    }),
  ];
  for (const content of contents) {
    const said = await verdict(content);
    assert.match(said, /^bundle_invalid/);
    assert.doesNotMatch(said, /[^\P{C}\n]/u);
    assert.ok(said.length < 1100);
  }
});

/** Each is validly signed, and refused for its content. */
const ATTACKS: Record<string, [content: () => Content, verdict: RegExp]> = {
  'calls itself': [
    () => contentOf(bundledCapability('a:one', call('a:one'))),
    /^capability_cycle: .*a:one → a:one$/,
  ],
  'calls in a circle': [
    () =>
      contentOf(
        bundledCapability('a:one', call('b:two')),
        bundledCapability('b:two', call('c:three')),
        bundledCapability('c:three', call('a:one')),
      ),
    /^capability_cycle: .*a:one → b:two → c:three → a:one$/,
  ],
  'calls in a circle through a pin': [
    () =>
      contentOf(
        bundledCapability('a:one', 'return 1;', call('b:two')),
        bundledCapability('b:two', call('a:one', '@v2')),
      ),
    /^capability_cycle/,
  ],
  'pins a version that is not there': [
    () =>
      contentOf(bundledCapability('a:one', call('b:two', '@v7')), bundledCapability('b:two', 'return 2;')),
    /^bundle_invalid: Version v7 of "b:two"/,
  ],
  'has a capability twice': [
    () => contentOf(bundledCapability('a:one', 'return 1;'), bundledCapability('a:one', 'return 2;')),
    /^bundle_invalid: This bundle has the capability "evil.corp.a.one.abcd" twice/,
  ],
  'has a name twice': [
    () =>
      contentOf(bundledCapability('a:one', 'return 1;'), {
        ...bundledCapability('b:two', 'return 2;'),
        name: 'a:one',
      }),
    /^bundle_invalid: This bundle has the name "a:one" twice/,
  ],
  'has a reserved name': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), name: 'cap:list' }),
    /^name_taken: "cap:list" is reserved/,
  ],
  'has the name of a server': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), name: 'mcp:fs' }),
    /^name_taken/,
  ],
  'has no name': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), name: 'a b' }),
    /^invalid_name/,
  ],
  'has a name of control characters': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), name: 'a\u001b[2Jb' }),
    /^bundle_invalid: .*name: must be one line/,
  ],
  'has an identity that is none': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), fqdn: 'a.b' }),
    /^bundle_invalid: .*is no full name/,
  ],
  'has code that is none': [
    () => contentOf(bundledCapability('a:b', 'return (;')),
    /^bundle_invalid: The code of "a:b@1" cannot be read/,
  ],
  'has code that imports': [
    () => contentOf(bundledCapability('a:b', 'import "fs"; return 1;')),
    /^bundle_invalid: .*`import` is not available/,
  ],
  'has code nested without end': [
    () => contentOf(bundledCapability('a:b', `return ${'['.repeat(5000)}${']'.repeat(5000)};`)),
    /^bundle_invalid: .*nested too deeply/,
  ],
  'has code of another hash': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [versionOf(1, 'return 1;', { code: ['return "evil";'] })],
      }),
    /^bundle_invalid: The code of "a:b@1" is not the code that the bundle claims/,
  ],
  'hides a call': [
    () =>
      contentOf(
        { ...bundledCapability('a:b'), versions: [versionOf(1, call('c:d'), { calls: [] })] },
        bundledCapability('c:d', 'return 1;'),
      ),
    /^bundle_invalid: .*calls other capabilities than the bundle claims/,
  ],
  'hides what it uses': [
    () =>
      contentOf(
        { ...bundledCapability('a:b'), versions: [versionOf(1, call('c:d'), { tools_used: [] })] },
        bundledCapability('c:d', 'return 1;'),
      ),
    /^bundle_invalid: .*uses other capabilities/,
  ],
  'hides a tool': [
    () => ({
      ...contentOf({
        ...bundledCapability('a:b'),
        versions: [versionOf(1, 'return 1;', { tools_used: ['sh:run'] })],
      }),
      tools_needed: [],
    }),
    /^bundle_invalid: This bundle needs other tools/,
  ],
  'was written for a tool that it does not use': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [versionOf(1, 'return 1;', { written_for: { 'sh:run': {} } })],
      }),
    /^bundle_invalid: .*written for other tools/,
  ],
  'holds a secret in its code': [
    () => contentOf(bundledCapability('a:b', `return "ghp_${'a1B2'.repeat(9)}";`)),
    /^bundle_invalid: "a:b@1" holds .* secret/,
  ],
  'holds a secret in a comment': [
    () => contentOf(bundledCapability('a:b', `return 1; // ghp_${'a1B2'.repeat(9)}`)),
    /secret/,
  ],
  'holds a password': [
    () => contentOf(bundledCapability('a:b', 'return mcp.db.open({ password: "hunter2222" });')),
    /secret/,
  ],
  'holds a secret default': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [
          versionOf(1, 'return args.password;', {
            parameters_schema: { type: 'object', properties: { password: { default: 'hunter2222' } } },
          }),
        ],
      }),
    /secret/,
  ],
  'holds a secret in its words': [
    () => contentOf({ ...bundledCapability('a:b', 'return 1;'), description: `ghp_${'a1B2'.repeat(9)}` }),
    /secret/,
  ],
  'has a regular expression in its schema': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [
          versionOf(1, 'return args.x;', {
            parameters_schema: {
              type: 'object',
              properties: { x: { default: `${'a'.repeat(40)}!`, pattern: '^(a+)+$' } },
            },
          }),
        ],
      }),
    /^bundle_invalid: .*pattern/,
  ],
  'has a schema that points elsewhere': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [versionOf(1, 'return 1;', { parameters_schema: { $ref: 'http://evil.example/' } })],
      }),
    /^bundle_invalid/,
  ],
  'counts its versions wrong': [
    () => contentOf({ ...bundledCapability('a:b'), versions: [versionOf(2, 'return 1;')] }),
    /^bundle_invalid: The versions of "a:b"/,
  ],
  'has a tag twice': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [
          versionOf(1, 'return 1;', { version_tag: 'v1.0.0' }),
          versionOf(2, 'return 2;', { version_tag: '1.0.0' }),
        ],
      }),
    /^bundle_invalid: .*"1.0.0" twice/,
  ],
  'comes from the future': [
    () =>
      contentOf({
        ...bundledCapability('a:b'),
        versions: [versionOf(1, 'return 1;', { made_at: '2999-01-01T00:00:00.000Z' })],
      }),
    /^bundle_invalid: .*date in the future/,
  ],
  'has a key that nobody knows': [
    () => ({ ...contentOf(bundledCapability('a:b', 'return 1;')), recordings: [] }) as Content,
    /^bundle_invalid: .*recordings/,
  ],
  'has no versions': [() => contentOf({ ...bundledCapability('a:b'), versions: [] }), /^bundle_invalid/],
  'has no capabilities': [() => contentOf(), /^bundle_invalid/],
  'is asked for what it has not': [
    () => ({ ...contentOf(bundledCapability('a:b', 'return 1;')), asked_for: [fqdnOf('c:d')] }),
    /^bundle_invalid: This bundle lacks/,
  ],
  'has too many capabilities': [
    () =>
      contentOf(...Array.from({ length: 1001 }, (_, index) => bundledCapability(`a:n${index}`, 'return 1;'))),
    /^bundle_invalid/,
  ],
};

for (const [what, [content, expected]] of Object.entries(ATTACKS)) {
  test(`refused: a bundle that ${what}`, async () => {
    assert.match(await verdict(content()), expected);
  });
}

onBothEngines('attacks that need a registry are refused too, and store nothing', async ({ db }) => {
  const registry = registryOf(db);
  const count = async () => (await db.query('select id from capability_records')).rows.length;
  await saveCapability(db, ana, 'ana:private');
  const { fqdn: hidden } = await resolve(db, ana, 'ana:private');
  const before = await count();
  const act = (content: Content) => {
    const text = signed(content);
    return failureOf(importBundle(registry, dan, text, importing({ trust })));
  };
  assert.match(
    await act(contentOf(bundledCapability('a:one', call('b:two')))),
    /^bundle_invalid: "a:one" calls evil.corp.b.two.abcd, which is neither/,
  );
  // Capabilities that the importer may not see do not exist for it.
  const reaching = contentOf(bundledCapability('a:one', `return mcp["${hidden}"]({});`));
  assert.match(await act(reaching), /^bundle_invalid: "a:one" calls .*, which is neither/);
  assert.match(await act(contentOf(bundledCapability('fs:read', 'return 1;'))), /^name_taken: is a tool/);
  // Neither version would run the other, yet neither can have been stored first.
  const impossible = contentOf(
    bundledCapability('a:one', call('b:two'), 'return 1;'),
    bundledCapability('b:two', call('a:one'), 'return 2;'),
  );
  assert.match(await act(impossible), /^capability_cycle/);
  for (const [content] of Object.values(ATTACKS)) assert.notEqual(await act(content()), 'done');
  assert.equal(await count(), before);
});

onBothEngines('an import runs no code, and the code later runs as its caller', async ({ db }) => {
  const registry = registryOf(db);
  const text = signed(
    contentOf(bundledCapability('a:one', 'globalThis.evil = 1; process.exit(9); return mcp.sh.run({});')),
  );
  const answer = await importBundle(registry, dan, text, importing({ trust }));
  assert.equal('evil' in globalThis, false);
  const made = await resolve(db, dan, 'a:one');
  assert.deepEqual([made.createdBy, made.visibility, made.org], ['dan', 'private', 'elsewhere']);
  assert.equal(answer.capabilities[0]?.what, 'created');
});
