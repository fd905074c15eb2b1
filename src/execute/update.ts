import { runCodeTask } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import {
  assertMayChange,
  type Capability,
  notFound,
  refuseVersion,
  resolve,
  update,
  warnOfAlias,
} from '../registry/index.ts';
import { storedText } from '../texts.ts';
import { learn } from './learn.ts';
import { Recorder } from './recorder.ts';
import { resolveStatic, type Target } from './resolve-names.ts';
import { failureOf, mayRecord, type Run, runCode } from './run.ts';
import { replayAndMark } from './verify.ts';
import { warnOfNearDuplicates } from './warn-of-near-duplicates.ts';

export interface UpdateInput {
  name: string;
  code: string;
  version_tag?: string | undefined;
  change_summary?: string | undefined;
  /** The new code is tried with these before it is kept. */
  args?: Record<string, unknown> | undefined;
}

export interface UpdateAnswer {
  version: number;
  version_tag: string | null;
  replay: { passed: number; failed: number; differences: string[] };
  warnings?: string[];
}

/** Makes code the next version of a capability, after the same look at it that new code gets. */
export async function updateCapability(run: Run, input: UpdateInput): Promise<UpdateAnswer> {
  refuseVersion(input.name);
  const capability = await resolve(run.db, run.who, input.name);
  warnOfAlias(run.log, capability);
  // Asked before anything runs; settled when the version is kept.
  assertMayChange(run.who, capability);
  run.redactor.learn(input.args);
  const { references, body } = await runCodeTask('prepareRun', input.code);
  const targets = await resolveStatic(run, references);
  refuseItself(capability, targets);
  const tape = new Recorder();
  let result: unknown;
  if (input.args !== undefined) {
    const outcome = await runCode({ ...run, tape }, body, input.args, targets);
    if (!outcome.ok) throw failureOf(outcome);
    result = outcome.value;
  }
  const learned = await learn(input.code, targets, run.used.values(), {
    intent: capability.intent,
    args: input.args,
    redactor: run.redactor,
    untried: input.args === undefined,
  });
  if ('unsafe' in learned) {
    throw new PmlError(
      'code_denied',
      `This code cannot be kept. ${learned.unsafe}: take it from args instead.`,
    );
  }
  const updated = await update(run, run.who, capability.fqdn, {
    ...learned,
    versionTag: input.version_tag,
    changeSummary: storedText('change_summary', input.change_summary ?? '', run.redactor),
  }).catch((error) => {
    // Retired in the meantime: the caller knows it by the name it gave.
    throw error instanceof PmlError && error.code === 'capability_not_found' ? notFound(input.name) : error;
  });
  const { runs } = await replayAndMark(run, updated);
  const made = input.args && tape.recording({ ...learned.lifted, ...input.args }, result);
  if (made && mayRecord(run, updated)) await run.recordings.keep(updated, made, run.redactor);
  const failed = runs.filter(({ passed }) => !passed);
  const replay = {
    passed: runs.length - failed.length,
    failed: failed.length,
    differences: [...new Set(failed.flatMap(({ differences }) => differences))],
  };
  const warnings = await warnOfNearDuplicates(run, updated, learned);
  return {
    version: updated.version,
    version_tag: updated.versionTag,
    replay,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Code that calls the latest version of itself would call itself without end; an older version is other code. */
function refuseItself({ fqdn, name }: Capability, targets: ReadonlyMap<string, Target>): void {
  for (const [spelling, target] of targets) {
    const isPinned = spelling.includes('@') && !spelling.endsWith('@latest');
    if (target.kind !== 'capability' || target.capability.fqdn !== fqdn || isPinned) continue;
    throw new PmlError('capability_cycle', `Capabilities call each other in a circle: ${name} → ${name}`, {
      hint: `To call a former version, write it: mcp["${name}@v${target.capability.version}"].`,
    });
  }
}
