import { PmlError } from '../../errors.ts';
import { userOf } from '../../principal.ts';
import type { Callable } from '../../registry/index.ts';
import { fold, noteTwins } from '../../registry/procedures/index.ts';
import { replayRun } from '../recognition/recognise.ts';
import { inTime, type ReplayableRun } from '../recognition/replay-programs.ts';
import type { ArgumentSet } from '../recognition/solve-arguments.ts';
import { takesAlike } from '../recognition/takes-alike.ts';
import type { Run } from '../run/run.ts';
import { widenToRun } from './widen.ts';

/** Nobody waits for the answer any more. */
const LONGER_MS = 60_000;

/**
 * Compares a run again, with more time, after it was answered as new. If a capability does the same, the new one is folded
 * into it, so that both names and both FQDNs mean one capability.
 */
export async function compareAgain(
  run: Run,
  made: Omit<ReplayableRun, 'until'>,
  created: Callable,
  isLifted: boolean,
): Promise<void> {
  const call = { ...run.call, signal: AbortSignal.timeout(LONGER_MS) };
  const patient = { ...made, until: performance.now() + LONGER_MS };
  const later = { ...run, call };
  const { recognised, compared } = await replayRun(later, patient, created.fqdn);
  const kept = recognised ?? (compared && isLifted && (await inTime(widenToRun(later, patient, compared))));
  if (!kept || kept === 'late') return;
  const { capability, args } = kept;
  const own = made.lifted.args as ArgumentSet;
  const isPlain = takesAlike(
    { schema: capability.parametersSchema, args },
    { schema: created.parametersSchema, args: own },
  );
  if (isPlain) await foldOrNote(run, capability, created);
  else await noteTwins(run.db, { kept: capability, twin: created });
}

/**
 * Folds the twin into the capability, or proposes it to the owner: where callers would get something else, where one of them has
 * changed meanwhile, and for an agent, which may change only what it was given.
 */
async function foldOrNote(run: Run, kept: Callable, twin: Callable): Promise<void> {
  if (run.who.grants) return noteTwins(run.db, { kept, twin });
  const compared = { keep: kept.version, fold: twin.version };
  try {
    await fold(run, userOf(run.who), { keep: kept.fqdn, fold: twin.fqdn, compared });
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    await noteTwins(run.db, { kept, twin });
  }
}
