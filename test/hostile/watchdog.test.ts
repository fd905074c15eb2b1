import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import { Pml } from '../support/pml.ts';

const BURN = new URL('../fixtures/burn-processor.mjs', import.meta.url);

test('a blocked daemon says so in its log and metrics, and fails the test that blocked it', async (t) => {
  const pml = new Pml({ after: () => {} }, {}, { NODE_OPTIONS: `--import=${BURN.href}` });
  t.after(() => pml.close().catch(() => {}));
  const { url } = await pml.up();
  const { pid } = await pml.status();
  const log = () => readFileSync(join(pml.home, 'log', 'pml.log'), 'utf8');
  assert.doesNotMatch(log(), /the event loop was held/);

  process.kill(pid, 'SIGUSR2');
  await eventually(
    () => /the event loop was held for \d+ ms of processor time, during: /.test(log()),
    'the long turn is logged',
  );

  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^pml_event_loop_long_turns_total 1$/m);
  await assert.rejects(() => pml.close(), /stalled its sessions/);
});
