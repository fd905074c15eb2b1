import { type Functions, READS_KEPT_RESULT, runCodeTask, sourceFunction } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { type Capability, createNamed, type Learned, resolve } from '../../registry/index.ts';
import { assertNameFree, versionWarnings, warnOfAlias } from '../../registry/names/index.ts';
import { hashOfCalls } from '../../registry/procedures/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';
import { type AcceptedCode, acceptCode } from '../calls/accept-code.ts';
import { resolveCalls } from '../calls/resolve-calls.ts';
import type { Run } from '../run/run.ts';
import { knownVerdicts, learn } from './learn.ts';
import { observeSecrets } from './observe-secrets.ts';
import { pipelineCode, pipelineSchema, type Step } from './pipeline.ts';
import { warnOfNearDuplicates } from './warn-of-near-duplicates.ts';

export interface MergeInput {
  sources: readonly string[];
  name: string;
  code?: string | undefined;
}

export interface MergeAnswer {
  capability: Capability;
  warnings: string[];
}

/** Makes one capability of several, with code that combines them or as a pipeline. */
export async function mergeCapabilities(run: Run, { sources, name, code }: MergeInput): Promise<MergeAnswer> {
  await assertNameFree(run.db, run.who, name);
  run.tools.assertFree(name);
  assertNoSecret('The name', name, run.redactor);
  const steps: Step[] = [];
  for (const source of sources) {
    const capability = await resolve(run.db, run.who, source);
    warnOfAlias(run.log, capability);
    steps.push({ capability, version: versionSuffixOf(source) });
  }
  // The intent leaves out the sources' names: not everyone who sees it may see them. The code shows them to those who may.
  const intents = steps.map(({ capability }) => capability.description || capability.namespace);
  const learned =
    code === undefined
      ? await learnPipeline(run.who, steps, intents)
      : await learnCode(
          run,
          await acceptCode(run, code, sourceFunctions(code, steps)),
          intents.join(' and '),
        );
  const summary = `merged from ${steps.length} capabilities`;
  const capability = await createNamed(run, run.who, { ...learned, name, summary });
  const ofSources = steps.flatMap((step) => versionWarnings(step.capability));
  return { capability, warnings: [...ofSources, ...(await warnOfNearDuplicates(run, capability, learned))] };
}

/** Returns `@v1` for `fs:read@v1`, and an empty text for the latest version. */
function versionSuffixOf(source: string): string {
  const at = source.indexOf('@');
  const suffix = at === -1 ? '' : source.slice(at);
  return suffix === '@latest' ? '' : suffix;
}

/** Lets the code call each source as a function of its name: `cap_fs_read_json(args)`. */
function sourceFunctions(code: string, steps: readonly Step[]): Functions {
  const functions: Record<string, string> = {};
  for (const { capability, version } of steps) {
    const name = sourceFunction(capability.name);
    const source = `${capability.fqdn}${version}`;
    if (functions[name] !== undefined && functions[name] !== source && code.includes(name))
      throw new PmlError('ambiguous_name', `More than one source could be called as ${name}.`, {
        hint: 'Call them as mcp["…"](args), by their names.',
      });
    functions[name] = source;
  }
  return functions;
}

async function learnCode(run: Run, { code, ...sent }: AcceptedCode, intent: string): Promise<Learned> {
  const prepared = await runCodeTask('prepareRun', code, sent);
  const resolved = await resolveCalls(run, code, prepared);
  await observeSecrets(run, prepared.body, resolved);
  const learned = await learn(code, resolved, [], {
    intent,
    redactor: run.redactor,
    verdicts: await knownVerdicts(run, resolved),
    untried: true,
  });
  if (!('unsafe' in learned) && run.resultReads.count === 0) return learned;
  const why = 'unsafe' in learned ? learned.unsafe : READS_KEPT_RESULT;
  throw new PmlError('code_denied', `This code cannot be kept. ${why}.`);
}

async function learnPipeline(
  who: Principal,
  steps: readonly Step[],
  intents: readonly string[],
): Promise<Learned> {
  const capabilities = steps.map(({ capability }) => capability);
  const code = pipelineCode(steps);
  const noChange = { renamed: new Map(), canonical: new Map(), parametersSchema: {} };
  const { codeHash, namesCallees } = await runCodeTask('adapt', code, noChange);
  const called = capabilities.flatMap(({ fqdn, toolsUsed }) => [fqdn, ...toolsUsed]);
  const unpinned = steps.flatMap(({ capability, version }) => (version === '' ? capability.fqdn : []));
  return {
    code,
    codeHash,
    namesCallees,
    parametersSchema: pipelineSchema(capabilities, who),
    toolsUsed: [...new Set(called)],
    callsHash: hashOfCalls(steps.map(({ capability, version }) => capability.fqdn + version)),
    dependencies: [...new Set(unpinned)].map((callee) => ({ callee, passed: [] })),
    namespace: capabilities[0]?.namespace ?? 'util',
    intent: intents.join(', then '),
    routing: capabilities.some(({ routing }) => routing === 'local') ? 'local' : 'cloud',
  };
}
