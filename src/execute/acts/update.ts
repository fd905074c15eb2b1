import { READS_KEPT_RESULT, type RunnableCode, runCodeTask } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { CachingPatch } from '../../registry/caching/index.ts';
import {
  assertMayChange,
  type Capability,
  type Learned,
  notFound,
  type Routing,
  refuseVersion,
  resolve,
  update,
} from '../../registry/index.ts';
import { versionWarnings, warnOfAlias } from '../../registry/names/index.ts';
import { storedText } from '../../stored-texts.ts';
import type { AcceptedCode } from '../calls/accept-code.ts';
import { resolveCalls } from '../calls/resolve-calls.ts';
import { runCode } from '../calls/run-code.ts';
import { failureOf } from '../failures/failure.ts';
import { Recorder } from '../recording/recorder.ts';
import type { ResolvedName } from '../run/resolve-names.ts';
import { mayRecord, type Run } from '../run/run.ts';
import { notCacheable, whyNotCacheable } from './cacheable.ts';
import { knownVerdicts, learn } from './learn.ts';
import { observeSecrets } from './observe-secrets.ts';
import { replayableRecordings } from './replayable.ts';
import { replayAndMark, type Verification } from './verify.ts';
import { warnOfNearDuplicates } from './warn-of-near-duplicates.ts';

export interface UpdateInput {
  name: string;
  code: string;
  version_tag?: string | undefined;
  change_summary?: string | undefined;
  /** Arguments to try the new code with before it is stored. */
  args?: Record<string, unknown> | undefined;
  caching?: CachingPatch | undefined;
}

export interface UpdateAnswer {
  version: number;
  version_tag: string | null;
  replay: { passed: number; failed: number; differences: string[] };
  warnings?: string[];
}

/** Makes code the next version of a capability, after the same checks that new code gets. */
export async function updateCapability(
  run: Run,
  input: UpdateInput,
  { code, ...sent }: AcceptedCode,
): Promise<UpdateAnswer> {
  refuseVersion(input.name);
  const capability = await resolve(run.db, run.who, input.name);
  warnOfAlias(run.log, capability);
  // Checked before anything runs, and again in the transaction that stores the version.
  assertMayChange(run.who, capability);
  run.redactor.learnGiven(input.args, 'args');
  const prepared = await runCodeTask('prepareRun', code, sent);
  const { body } = prepared;
  const resolved = await resolveCalls(run, code, prepared);
  refuseSelfCall(capability, resolved);
  const recorder = new Recorder();
  const result = input.args && (await tryCode(run, recorder, { code, ...sent, body }, input.args, resolved));
  if (!input.args) {
    const { recordings } = await replayableRecordings(run, capability);
    await observeSecrets(run, body, resolved, recordings);
  }
  const learned = await learn(code, resolved, [...run.called.values()], {
    intent: capability.intent,
    args: input.args,
    redactor: run.redactor,
    verdicts: await knownVerdicts(run, resolved),
    untried: input.args === undefined,
  });
  if ('unsafe' in learned || run.resultReads.count > 0) {
    const why = 'unsafe' in learned ? learned.unsafe : READS_KEPT_RESULT;
    throw new PmlError('code_denied', `This code cannot be kept. ${why}.`);
  }
  const caching = await cachingOf(run, capability, learned, input.caching ?? {});
  const updated = await storeVersion(run, capability, learned, { ...input, ...caching });
  const { runs } = await replayAndMark(run, updated);
  const recording = input.args && recorder.recording({ ...learned.liftedArguments, ...input.args }, result);
  if (recording && mayRecord(run, updated)) await run.recordings.keep(updated, recording, run.redactor);
  const warnings = [
    ...ambiguousVersions(resolved),
    ...caching.warnings,
    ...(await warnOfNearDuplicates(run, updated, learned)),
  ];
  return {
    version: updated.version,
    version_tag: updated.versionTag,
    replay: summarise(runs),
    ...(warnings.length > 0 && { warnings }),
  };
}

function ambiguousVersions(resolved: ReadonlyMap<string, ResolvedName>): string[] {
  return [...resolved.values()].flatMap((one) =>
    one.kind === 'capability' ? versionWarnings(one.capability) : [],
  );
}

async function tryCode(
  run: Run,
  interceptor: Recorder,
  { body, code, ...sent }: AcceptedCode & { body: RunnableCode },
  args: Record<string, unknown>,
  resolved: ReadonlyMap<string, ResolvedName>,
): Promise<unknown> {
  const outcome = await runCode({ ...run, interceptor }, body, args, resolved);
  if (!outcome.ok) throw await failureOf(run, { outcome, trace: outcome.trace, code, sent, args });
  return outcome.value;
}

/**
 * Decides the caching of the new code. If that code may change something, a policy asked for now is refused, and the former
 * version's policy is turned off, unless `force` is set.
 */
async function cachingOf(
  run: Run,
  { name, cachePolicy }: Capability,
  learned: Learned,
  caching: CachingPatch,
): Promise<{ caching: CachingPatch; warnings: string[] }> {
  const isOff = (caching.cachePolicy ?? cachePolicy) === 'none';
  const why = isOff || caching.force ? undefined : await whyNotCacheable(run, learned);
  if (why === undefined) return { caching, warnings: [] };
  if (caching.cachePolicy !== undefined) throw notCacheable(name, why);
  const warning = `Its results are no longer cached: ${why}. To cache them all the same, set cache_policy with force: true.`;
  return { caching: { ...caching, cachePolicy: 'none' }, warnings: [warning] };
}

async function storeVersion(
  run: Run,
  { fqdn }: Capability,
  learned: Learned & { routing: Routing },
  input: UpdateInput,
): Promise<Capability> {
  try {
    return await update(run, run.who, fqdn, {
      ...learned,
      caching: input.caching,
      versionTag: input.version_tag,
      changeSummary: storedText('change_summary', input.change_summary ?? '', run.redactor),
    });
  } catch (error) {
    // Retired in the meantime: the error names it as the caller did.
    throw error instanceof PmlError && error.code === 'capability_not_found' ? notFound(input.name) : error;
  }
}

function summarise(runs: Verification['runs']): UpdateAnswer['replay'] {
  const failed = runs.filter(({ passed }) => !passed);
  return {
    passed: runs.length - failed.length,
    failed: failed.length,
    differences: [...new Set(failed.flatMap(({ differences }) => differences))],
  };
}

/** Refuses code that calls its own latest version, which would never end. An older version is other code. */
function refuseSelfCall({ fqdn, name }: Capability, resolved: ReadonlyMap<string, ResolvedName>): void {
  for (const [spelling, callee] of resolved) {
    const isPinned = spelling.includes('@') && !spelling.endsWith('@latest');
    if (callee.kind !== 'capability' || callee.capability.fqdn !== fqdn || isPinned) continue;
    throw new PmlError('capability_cycle', `Capabilities call each other in a circle: ${name} → ${name}`, {
      hint: `To call a former version, write it: mcp["${name}@${callee.capability.version}"].`,
    });
  }
}
