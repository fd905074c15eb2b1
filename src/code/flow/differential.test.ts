import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SEED } from '../../testing/drawn-order.ts';
import { runs } from '../../testing/effort.ts';
import { canonicalise } from '../../testing/programs/canonicalise.ts';
import { Choices } from '../../testing/programs/choices.ts';
import { differenceBetween } from '../../testing/programs/compare-runs.ts';
import { ignoreRejections } from '../../testing/programs/ignore-rejections.ts';
import { isSameProcedure, type Learned, Learner } from '../../testing/programs/learner.ts';
import { argumentsFor, originalArguments } from '../../testing/programs/original-arguments.ts';
import { randomAnswers } from '../../testing/programs/random/random-answers.ts';
import { randomProgram } from '../../testing/programs/random/random-program.ts';
import { type ProgramRun, runProgram } from '../../testing/programs/run-program.ts';
import { PLAIN_STYLE } from '../../testing/programs/styles/procedure.ts';
import {
  changedProcedure,
  randomProcedure,
  randomStyle,
} from '../../testing/programs/styles/random-procedure.ts';
import { writeProgram } from '../../testing/programs/styles/write-program.ts';
import { isReadOnlyTool } from '../schema/read-only-tool.ts';

/** The decisions of a random program. A shorter list of smaller numbers is a simpler program. */
const numbers = (count: number) =>
  fc.noBias(fc.array(fc.nat(2 ** 30), { minLength: count, maxLength: count, size: 'max' }));
const answerSeeds = fc.array(fc.nat(1000), { minLength: 3, maxLength: 3 });
const learner = new Learner(new Map());
/** The everyday run tries the same programs each time; `PML_EFFORT` and `PML_SEED` search for others. */
const isSearch = process.env.PML_EFFORT !== undefined || process.env.PML_SEED !== undefined;
const params = (count: number) => ({ ...runs(count), seed: isSearch ? SEED : 1 });

/** Fails if the other program ever does what the original does not. */
async function assertAlike(
  original: { source: string; args?: Record<string, unknown> },
  other: { source: string; args?: Record<string, unknown> },
  seeds: readonly number[],
  isReadOnly?: (name: string) => boolean,
): Promise<void> {
  for (const seed of seeds) {
    const conditions = { answer: randomAnswers(seed, { failures: seed % 2 === 0 }), schedule: seed };
    const difference = await differenceBetween(
      { original, other, ...(isReadOnly && { isReadOnly }) },
      conditions,
    );
    if (difference === undefined) continue;
    assert.fail(
      `With PML_SEED=${SEED} and answers ${seed}, the other program ${difference}\n--- original ---\n${original.source}\n--- other, with ${JSON.stringify(other.args ?? {})} ---\n${other.source}`,
    );
  }
}

async function assertCanonicalAlike(source: string, seeds: readonly number[]): Promise<boolean> {
  const canonical = canonicalise(source);
  if (canonical) await assertAlike({ source }, { source: canonical.code }, seeds);
  return canonical !== undefined;
}

interface Lesson {
  readonly source: string;
  readonly learned: Learned;
  readonly run: ProgramRun;
  /** The arguments with which the learned code does what the source did. */
  readonly args: Record<string, unknown>;
}

/** Learns a program as a gateway does after a run that succeeded. */
async function lessonOf(source: string, seed: number): Promise<Lesson | undefined> {
  const answer = randomAnswers(seed, { failures: false });
  const run = await runProgram(source, { answer });
  const { learned } = run.outcome.kind === 'returned' ? learner.learn(source, run) : {};
  if (!learned) return undefined;
  const args = await originalArguments(learned, run, (given) =>
    runProgram(learned.code, { args: given, answer }),
  );
  return { source, learned, run, args };
}

/** Learned code does what its source did; of one identity, each does what the other did. Returns whether they are one. */
async function assertLessonsAlike(
  first: string,
  second: string,
  [seed = 0, ...seeds]: readonly number[],
): Promise<boolean> {
  const [one, two] = [await lessonOf(first, seed), await lessonOf(second, seed)];
  for (const lesson of [one, two])
    if (lesson) await assertAlike(lesson, { source: lesson.learned.code, args: lesson.args }, [seed]);
  if (!one || !two || !isSameProcedure(one.learned, two.learned)) return false;
  const pairs = [
    [one, two],
    [two, one],
  ] as const;
  for (const [stored, sent] of pairs) {
    const args = argumentsFor(stored.learned, sent.learned, sent.args);
    if (args)
      await assertAlike(
        { source: sent.source },
        { source: stored.learned.code, args },
        [seed, ...seeds],
        (name) => isReadOnlyTool({ name }),
      );
  }
  return true;
}

test('the canonical text of a random program makes the same calls and ends alike', async (t) => {
  let read = 0;
  const property = fc.asyncProperty(numbers(350), answerSeeds, async (decisions, seeds) => {
    if (await assertCanonicalAlike(randomProgram(decisions), seeds)) read += 1;
  });
  await ignoreRejections(() => fc.assert(property, params(300)));
  t.diagnostic(`${read} random programs were reduced to a canonical text`);
});

/** The statements that a round of a loop may have: they fill a list and an object, and read them. */
const ROUNDS = [
  'list.push(one);',
  'list.push((await mcp.crm.find({ id: one }))?.name);',
  'object[one] = (await mcp.crm.find({ id: one }))?.name;',
  'object[(await mcp.crm.find({ id: one }))?.name] = one;',
  'object[one] = one;',
  'object.last = one;',
  'list[0] = one;',
  'list.push(list.length);',
  'list.push(list.join() + one);',
  'list.push(list.push(one));',
  'await mcp.crm.note({ limit: list.push(one) });',
  'await mcp.crm.note({ limit: list.length });',
  'object[one] = (object[one] ?? 0) + 1;',
  'object[one] = Object.keys(object).length;',
  'object[one] = list.length;',
];

test('the canonical text of a loop that fills a list and an object does the same', async (t) => {
  let readable = 0;
  const loop = fc.record({
    over: fc.constantFrom('r?.items ?? []', '["x", "y"]', 'Object.keys(r ?? {})'),
    before: fc.constantFrom('', 'list.push(7);', 'object.first = 7;', 'object[r?.name] = 7;'),
    rounds: fc.array(fc.constantFrom(...ROUNDS), { minLength: 1, maxLength: 2 }),
    after: fc.constantFrom('{ list, object }', '[list.length, object]', '{ ...object, x: list[0] }'),
  });
  const property = fc.asyncProperty(loop, answerSeeds, async ({ over, before, rounds, after }, seeds) => {
    const source = `const r = await mcp.fs.read({ path: "a" });\nconst list = [];\nconst object = {};\n${before}\nfor (const one of ${over}) {\n${rounds.join('\n')}\n}\nreturn ${after};`;
    if (await assertCanonicalAlike(source, seeds)) readable += 1;
  });
  await ignoreRejections(() => fc.assert(property, params(600)));
  t.diagnostic(`${readable} loops were reduced to a canonical text`);
  assert.ok(readable > 20);
});

test('the canonical text of a procedure in any style makes the same calls and ends alike', async (t) => {
  let read = 0;
  const property = fc.asyncProperty(numbers(150), answerSeeds, async (decisions, seeds) => {
    const choices = Choices.of(decisions);
    const { source } = writeProgram(randomProcedure(choices, 0), randomStyle(choices), choices);
    if (await assertCanonicalAlike(source, seeds)) read += 1;
  });
  await ignoreRejections(() => fc.assert(property, params(300)));
  t.diagnostic(`${read} styled programs were reduced to a canonical text`);
});

test('random programs of one identity do the same with the data of each', async (t) => {
  let merged = 0;
  const change = fc.option(fc.tuple(fc.nat(60), fc.nat(2 ** 30)));
  const property = fc.asyncProperty(
    numbers(350),
    change,
    fc.boolean(),
    answerSeeds,
    async (decisions, changed, otherData, seeds) => {
      // Another decision somewhere makes a program that is mostly the same.
      const others = changed ? decisions.with(changed[0], changed[1]) : decisions;
      const [first, second] = [randomProgram(decisions), randomProgram(others, { otherData })];
      if (await assertLessonsAlike(first, second, seeds)) merged += 1;
    },
  );
  await ignoreRejections(() => fc.assert(property, params(120)));
  t.diagnostic(`${merged} pairs of random programs were one capability`);
});

test('procedures in two styles of one identity do the same with the data of each', async (t) => {
  let merged = 0;
  const property = fc.asyncProperty(
    numbers(150),
    numbers(100),
    fc.nat(4),
    answerSeeds,
    async (decisions, others, difference, seeds) => {
      const [choices, styling] = [Choices.of(decisions), Choices.of(others)];
      const procedure = randomProcedure(choices, 0);
      const same = randomProcedure(Choices.of(decisions), 1);
      const other = difference === 0 ? changedProcedure(same, styling) : same;
      const style = randomStyle(choices);
      const first = writeProgram(procedure, style, choices).source;
      const second = writeProgram(other, difference === 1 ? style : randomStyle(styling), styling).source;
      if (await assertLessonsAlike(first, second, seeds)) merged += 1;
    },
  );
  await ignoreRejections(() => fc.assert(property, params(120)));
  t.diagnostic(`${merged} pairs of styled programs were one capability`);
});

test('all styles of one procedure do the same', async () => {
  const property = fc.asyncProperty(numbers(150), fc.nat(1000), async (decisions, seed) => {
    const choices = Choices.of(decisions);
    const procedure = randomProcedure(choices, 0);
    const style = randomStyle(choices);
    const { source, behaviour } = writeProgram(procedure, style, choices);
    const plain = writeProgram(procedure, { ...PLAIN_STYLE, guard: style.guard }, Choices.of([]));
    assert.equal(plain.behaviour, behaviour);
    const answer = randomAnswers(seed, { failures: seed % 2 === 0, gaps: false });
    const pair = { original: { source }, other: { source: plain.source } };
    const difference = await differenceBetween(pair, { answer, schedule: seed });
    assert.equal(difference, undefined, `${source}\n--- plain ---\n${plain.source}`);
  });
  await ignoreRejections(() => fc.assert(property, params(300)));
});

/** Mistakes that a reader could make, each as a change of the text. */
const MISTAKES: Record<string, (source: string) => string> = {
  'a call is not awaited': (source) => source.replace(/^await (?=mcp)/m, ''),
  'a call that nobody awaits is awaited': (source) => source.replace(/^(?=mcp\S+\()/m, 'await '),
  'a fallback takes the place of every falsy value': (source) => source.replaceAll('??', '||'),
  'an optional access is a plain one': (source) => source.replaceAll(/(?<=\w|\))\?\.(?=\w)/g, '.'),
  'a caught failure is thrown': (source) =>
    source.replaceAll(/(?<=catch \(error\) \{\n).*(?=\n\})/g, 'throw error;'),
  'a loop is not left': (source) => source.replaceAll(/\bbreak;/g, ''),
  'a guard is dropped': (source) => source.replaceAll(/^if \(.*\) return .*;$/gm, ''),
  'a change of an object is dropped': (source) => source.replaceAll(/^\w+\.(?:a|b|name) = .*;$/gm, ''),
  'a change of a list is dropped': (source) =>
    source.replaceAll(/^\w+\.(?:sort|reverse|push|splice)\(.*\);$/gm, ''),
  'calls of a race are all awaited': (source) =>
    source.replaceAll(/\[await Promise\.race\(/g, '[...await Promise.all('),
  'settled calls are expected to succeed': (source) =>
    source.replaceAll(/\(await Promise\.allSettled\((.*)\)\)\.map\(.*\)/g, 'await Promise.all($1)'),
  'time is read once': (source) => `const now = Date.now();\n${source.replaceAll('Date.now()', 'now')}`,
  'a step is taken first': (source) => source.replaceAll(/\b(\w+)\+\+(?=[ ,}])/g, '++$1'),
  'a local mcp is taken for the real one': (source) => source.replaceAll(/^const mcp = .*$/gm, ''),
  'a captured variable keeps its first value': (source) => source.replaceAll(/^held = .*;$/gm, ''),
  'a getter is read once': (source) => source.replaceAll('text: odd.a', 'text: 1'),
  'what follows a finally is dropped': (source) => source.replaceAll(/(?<=finally \{\n).*(?=\n\})/g, ''),
  'keys of an object are sorted': (source) =>
    source.replaceAll(
      /text: next\(\), path: next\(\), id: next\(\)/g,
      'id: next(), path: next(), text: next()',
    ),
};

test('the comparison finds each mistake that a reader could make', async () => {
  const left = new Map(Object.entries(MISTAKES));
  await ignoreRejections(async () => {
    for (let seed = 0; left.size > 0 && seed < 4000; seed++) {
      const drawn = Choices.seeded(seed);
      const source = randomProgram(Array.from({ length: 350 }, () => drawn.below(2 ** 30)));
      for (const [mistake, make] of left) {
        const other = make(source);
        if (other === source) continue;
        const conditions = { answer: randomAnswers(seed), schedule: seed };
        const difference = await differenceBetween(
          { original: { source }, other: { source: other } },
          conditions,
        );
        if (difference !== undefined) left.delete(mistake);
      }
    }
  });
  assert.deepEqual([...left.keys()], []);
});
