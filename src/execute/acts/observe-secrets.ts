import type { RunnableCode } from '../../code/index.ts';
import { PausableDeadline } from '../../pausable-deadline.ts';
import type { Recording } from '../../runs/index.ts';
import { runCode } from '../calls/run-code.ts';
import { Replay } from '../recording/replay.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { MAX_NESTED_RUNS, type Run } from '../run/run.ts';

/** Used where there are no recordings: no arguments, and every call is refused. */
const WITHOUT_RECORDING: Recording = { args: {}, calls: [], result: null };

/**
 * Runs code that is stored without being tried, to see which secrets it passes on: only a run shows what reaches a tool
 * through helpers and variables. Calls are answered from the recordings or refused, so nothing is really called.
 */
export async function observeSecrets(
  run: Run,
  body: RunnableCode,
  resolved: ReadonlyMap<string, ResolvedName>,
  recordings: readonly Recording[] = [],
): Promise<void> {
  for (const { args, calls } of recordings.length > 0 ? recordings : [WITHOUT_RECORDING]) {
    run.redactor.learnGiven(args, 'args');
    const observed: Run = {
      ...run,
      called: new Map(),
      logs: [],
      onLog: undefined,
      notes: [],
      deadline: new PausableDeadline(run.limits.wallMs),
      nestedRuns: { remaining: MAX_NESTED_RUNS },
      interceptor: new Replay(calls, (value) => run.redactor.fork().json(value)),
    };
    // It does not matter here whether the code succeeds.
    await runCode(observed, body, args, resolved).catch(() => undefined);
  }
}
