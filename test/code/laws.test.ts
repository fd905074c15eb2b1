/** Laws over random programs whose data is known. `PML_EFFORT=100` tries tens of thousands. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  compareAll,
  decisionsIn,
  openSandbox,
  sameBehaviour,
  type Transcript,
  worldsFor,
} from '../../src/sandbox/index.ts';
import { times } from '../../src/testing/effort.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { lawOfLiterals } from '../../src/testing/programs/data/law-of-literals.ts';
import { lawOfMerges, type Pair } from '../../src/testing/programs/data/law-of-merges.ts';
import { randomDataProgram } from '../../src/testing/programs/data/random-data-program.ts';
import { isRead, TOOLS } from '../../src/testing/programs/data/tools.ts';
import { ignoreRejections } from '../../src/testing/programs/ignore-rejections.ts';
import type { ProgramRun } from '../../src/testing/programs/run-program.ts';

test('what is learned, given other values, does what the program does that has them written in', async () => {
  let [lifted, data] = [0, 0];
  await ignoreRejections(async () => {
    for (let seed = 0; seed < times(1_200); seed += 1) {
      const choices = Choices.seeded(`literals ${seed}`);
      const result = await lawOfLiterals(randomDataProgram(choices), choices);
      assert.equal(result.broken, undefined, `seed ${seed}`);
      lifted += result.lifted;
      data += result.data;
    }
  });
  assert.ok(lifted > data * 0.8, `${lifted} of ${data} became parameters`);
});

const sandbox = openSandbox({ warm: 1 });
after(() => sandbox.close());

const isReadCall = ({ name }: { name: string }) => isRead(name);

/** The worlds of a replay decide, as when a run is recognised. */
async function areOne({ codes, calls, literals }: Pair): Promise<boolean> {
  const worlds = worldsFor({ seed: calls.length, calls, branches: decisionsIn(codes) });
  const programs = codes.map((code) => ({ code, args: {} }));
  const reads = Object.keys(TOOLS).filter(isRead);
  const replayed = await sandbox.replay({ programs, worlds, calls, literals, reads }, { wallMs: 20_000 });
  assert.ok(!('failed' in replayed), JSON.stringify(replayed));
  return compareAll(replayed[0] ?? [], replayed[1] ?? [], isReadCall);
}

function transcriptOf({ calls, outcome: { kind, text } }: ProgramRun): Transcript {
  const end = kind === 'returned' ? 'value' : kind === 'too many calls' ? 'limit' : 'failure';
  return {
    calls: calls.map(({ name, args }) => ({ name, args: JSON.stringify(args), unanswered: 0 })),
    end,
    value: JSON.stringify(text),
  };
}

test('worlds tell programs apart that differ a little', async () => {
  const isSame = (one: ProgramRun, other: ProgramRun) =>
    sameBehaviour(transcriptOf(one), transcriptOf(other), isReadCall) !== 'different';
  const wrong: string[] = [];
  let different = 0;
  await ignoreRejections(async () => {
    for (let seed = 0; seed < times(320); seed += 1) {
      const choices = Choices.seeded(`merges ${seed}`);
      const result = await lawOfMerges(randomDataProgram(choices), choices, { areOne, isSame });
      if (result && (!result.isEqual || result.wrong !== undefined)) different += 1;
      if (result?.wrong !== undefined) wrong.push(`seed ${seed} ${result.wrong}`);
    }
  });
  // Worlds alone cannot meet every side of every program; what they leave open, recognition tries by itself.
  assert.ok(wrong.length <= different * 0.06, `${wrong.length} of ${different}\n${wrong.join('\n\n')}`);
});
