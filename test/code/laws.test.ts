/** Laws over random programs whose data is known. `PML_EFFORT=100` tries tens of thousands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { times } from '../../src/testing/effort.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { lawOfLiterals } from '../../src/testing/programs/data/law-of-literals.ts';
import { randomDataProgram } from '../../src/testing/programs/data/random-data-program.ts';
import { ignoreRejections } from '../../src/testing/programs/ignore-rejections.ts';

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
