import assert from 'node:assert/strict';
import { onBothEngines } from '../../store/testing.ts';
import { identifyPatterns } from '../acts/identify-patterns.ts';
import { remember } from '../index.ts';
import { ana, ben, learned, registryOf } from '../testing.ts';
import { sameProcedures } from '../views/same-procedures.ts';
import { findSameProcedure } from './same-procedure.ts';

const form = (hash: string, ...holes: string[]) => ({ hash, holes });
const run = (forms: ReturnType<typeof form>[], values: Record<string, string> = {}) => ({
  flow: { forms, values: new Map(Object.entries(values)) },
});

onBothEngines(
  'other code of the same flow is the same capability, with its arguments by place',
  async ({ db }) => {
    const first = await remember(registryOf(db), ana, learned('aaaa', run([form('f1', 'from', 'to')])));
    const second = await remember(
      registryOf(db),
      ana,
      learned('bbbb', run([form('f1', 'source', 'target')])),
    );

    assert.equal(second.created, false);
    assert.equal(second.capability.fqdn, first.capability.fqdn);
    assert.deepEqual(
      [...(second.renamed ?? [])],
      [
        ['from', 'source'],
        ['to', 'target'],
      ],
    );
  },
);

onBothEngines(
  'where one argument fills two holes, a run with two values is another capability',
  async ({ db }) => {
    const first = await remember(registryOf(db), ana, learned('aaaa', run([form('f1', 'zip', 'zip')])));
    const equal = run([form('f1', 'zip', 'new_zip')], { zip: '"1"', new_zip: '"1"' });
    const same = await remember(registryOf(db), ana, learned('bbbb', equal));
    const unequal = run([form('f1', 'zip', 'new_zip')], { zip: '"1"', new_zip: '"2"' });
    const other = await remember(registryOf(db), ana, learned('cccc', unequal));

    assert.equal(same.capability.fqdn, first.capability.fqdn);
    assert.equal(other.created, true);
  },
);

onBothEngines('secrets have no value to compare, so they are equal only by name', async ({ db }) => {
  await remember(registryOf(db), ana, learned('aaaa', run([form('f1', 'pin', 'pin')])));
  const other = await remember(registryOf(db), ana, learned('bbbb', run([form('f1', 'pin', 'second_pin')])));
  assert.equal(other.created, true);
});

onBothEngines(
  'a literal that links to an earlier call is the program that spells the link out',
  async ({ db }) => {
    const literal = await remember(
      registryOf(db),
      ana,
      learned('aaaa', run([form('plain', 'id', 'token'), form('link', 'id')])),
    );
    const spelled = await remember(registryOf(db), ana, learned('bbbb', run([form('link', 'user')])));
    const unlinked = await remember(
      registryOf(db),
      ana,
      learned('cccc', run([form('plain', 'id', 'token')])),
    );

    assert.equal(spelled.capability.fqdn, literal.capability.fqdn);
    assert.equal(unlinked.capability.fqdn, literal.capability.fqdn);
  },
);

onBothEngines('the same flow of another user is not seen', async ({ db }) => {
  await remember(registryOf(db), ana, learned('aaaa', run([form('f1')])));
  assert.equal(await findSameProcedure(db, ben, learned('bbbb', run([form('f1')]))), undefined);
});

onBothEngines('the same flow that runs twice at once becomes one capability', async ({ db, again }) => {
  const runs = [db, await again()].map((one, at) =>
    remember(registryOf(one), ana, learned(`${at}`.repeat(4), run([form('f1', 'x')]))),
  );
  const [first, second] = await Promise.all(runs);
  assert.equal(first?.capability.fqdn, second?.capability.fqdn);
});

onBothEngines(
  'patterns from before are read, a stopped reading goes on, and twins are told',
  async ({ db }) => {
    const texts = [
      'return await mcp.fs.read({ path: args.path });',
      'const result = await mcp.fs.read({ path: args.path });\nreturn result;',
      'while (true) await mcp.fs.read({ path: args.path });',
    ];
    for (const [at, code] of texts.entries())
      await remember(registryOf(db), ana, learned(`${at}`.repeat(4), { code }));
    assert.deepEqual(await sameProcedures(db, ana), []);

    const stopped = new AbortController();
    stopped.abort();
    assert.equal(await identifyPatterns(db, stopped.signal), 0);
    const { signal } = new AbortController();
    assert.equal(await identifyPatterns(db, signal), 3);
    assert.equal(await identifyPatterns(db, signal), 0);

    assert.deepEqual(
      (await sameProcedures(db, ana)).map((names) => names.toSorted()),
      [['unnamed_00000000', 'unnamed_11110000']],
    );
    assert.deepEqual(await sameProcedures(db, ben), []);
  },
);
