import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import { rename } from '../index.ts';
import { registryOf } from '../testing.ts';
import type { Content } from './bundle-schema.ts';
import { exportBundle } from './export.ts';
import { importBundle } from './import.ts';
import { importing, saveCode, saveVersion } from './testing.ts';

interface MadeVersion {
  calls: number[];
  pin: string;
  tag: boolean;
}

interface Made {
  named: boolean;
  description: string;
  tags: string[];
  versions: MadeVersion[];
}

/** A small registry: each capability may call those before it, in any of its versions, pinned or not. */
const someCapabilities: fc.Arbitrary<Made[]> = fc.array(
  fc.record({
    named: fc.boolean(),
    description: fc.string({ unit: 'grapheme', maxLength: 60 }),
    tags: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 }),
    versions: fc.array(
      fc.record({
        calls: fc.array(fc.nat(4), { maxLength: 3 }),
        pin: fc.constantFrom('', '@v1'),
        tag: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

let count = 0;

/** The parts of a bundle that a round trip must not change: all but who, when and where. */
function essence({ capabilities, tools_needed }: Content): unknown {
  const names = new Map(
    capabilities.map(({ fqdn, name, named, versions }) => [
      fqdn,
      named ? name : `unnamed ${versions[0]?.code.length} ${versions[0]?.code[0]}`,
    ]),
  );
  const anonymous = (text: string) =>
    [...names].reduce((all, [fqdn, name]) => all.replaceAll(fqdn, name), text);
  const told = capabilities.map(({ fqdn, author, name, versions, ...rest }) => ({
    ...rest,
    name: names.get(fqdn),
    versions: versions.map(({ code_sha256, code, calls, tools_used, ...version }) => ({
      ...version,
      code: code.map(anonymous),
      calls: calls.map(anonymous).sort(),
      tools_used: tools_used.map(anonymous).sort(),
    })),
  }));
  return { tools_needed, told: told.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)) };
}

/** Stores the drawn registry. */
async function keepMade(db: Db, who: Principal, made: readonly Made[]): Promise<void> {
  const fqdns: string[] = [];
  const codeOf = ({ calls, pin }: MadeVersion, mark: string) =>
    [
      `const mark = "${mark}";`,
      ...calls.flatMap((at) => (fqdns[at] ? `await mcp["${fqdns[at]}${pin}"]({});` : [])),
      'return [mark, await mcp.fs.read({ path: args.path })];',
    ].join('\n');
  for (const [index, { named, description, tags, versions }] of made.entries()) {
    const [first, ...later] = versions as [MadeVersion, ...MadeVersion[]];
    const isLast = index === made.length - 1;
    const fqdn = await saveCode(
      db,
      who,
      named || isLast ? `x:n${index}` : undefined,
      codeOf(first, `${index}.0`),
    );
    for (const [at, version] of later.entries())
      await saveVersion(
        db,
        who,
        fqdn,
        codeOf(version, `${index}.${at + 1}`),
        version.tag ? `v${at + 1}.0.0` : undefined,
      );
    await rename(registryOf(db), who, fqdn, { description: description.replaceAll('\0', ''), tags });
    fqdns.push(fqdn);
  }
}

onBothEngines('export, import and export again give the same but for who, when and where', async ({ db }) => {
  const registry = registryOf(db);
  const journey = async (made: Made[]) => {
    count += 1;
    const there: Principal = { user: 'ana', org: 'there', project: `p${count}` };
    const here: Principal = { user: 'dan', org: 'here', project: `p${count}` };
    await keepMade(db, there, made);
    const { content: before, text } = await exportBundle(registry, there, []);
    await importBundle(registry, here, text, importing());
    const { content } = await exportBundle(registry, here, []);
    assert.deepEqual(essence(content), essence(before));
  };
  await fc.assert(fc.asyncProperty(someCapabilities, journey), { numRuns: 10 });
});
