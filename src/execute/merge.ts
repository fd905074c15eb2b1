import { runCodeTask } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import {
  assertNameFree,
  type Capability,
  createNamed,
  hashOfCalls,
  type Learned,
  resolve,
  warnOfAlias,
} from '../registry/index.ts';
import { assertNoSecret } from '../texts.ts';
import { learn } from './learn.ts';
import { pipelineCode, pipelineSchema, type Step } from './pipeline.ts';
import { resolveStatic } from './resolve-names.ts';
import type { Run } from './run.ts';
import { warnOfNearDuplicates } from './warn-of-near-duplicates.ts';

export interface MergeInput {
  sources: readonly string[];
  name: string;
  code?: string | undefined;
}

export interface Merged {
  capability: Capability;
  warnings: string[];
}

/** Makes one capability of several: by code that says how, or one after the other. */
export async function mergeCapabilities(run: Run, { sources, name, code }: MergeInput): Promise<Merged> {
  await assertNameFree(run.db, run.who, name);
  run.tools.assertFree(name);
  assertNoSecret('The name', name, run.redactor);
  const steps: Step[] = [];
  for (const source of sources) {
    const capability = await resolve(run.db, run.who, source);
    warnOfAlias(run.log, capability);
    steps.push({ capability, version: pinIn(source) });
  }
  // Without the sources' names: not everyone who will see this may see them. The code names them to those who may.
  const intents = steps.map(({ capability }) => capability.intent || capability.namespace);
  const made =
    code === undefined ? await pipeline(steps, intents) : await combined(run, code, intents.join(' and '));
  const summary = `merged from ${steps.length} capabilities`;
  const capability = await createNamed(run, run.who, { ...made, name, summary });
  return { capability, warnings: await warnOfNearDuplicates(run, capability, made) };
}

/** `@v1` of `fs:read@v1`; nothing for the latest. */
function pinIn(source: string): string {
  const at = source.indexOf('@');
  const pin = at === -1 ? '' : source.slice(at);
  return pin === '@latest' ? '' : pin;
}

async function combined(run: Run, code: string, intent: string): Promise<Learned> {
  const { references } = await runCodeTask('prepareRun', code);
  const learned = await learn(code, await resolveStatic(run, references), [], {
    intent,
    redactor: run.redactor,
    untried: true,
  });
  if (!('unsafe' in learned)) return learned;
  throw new PmlError(
    'code_denied',
    `This code cannot be kept. ${learned.unsafe}: take it from args instead.`,
  );
}

async function pipeline(steps: readonly Step[], intents: readonly string[]): Promise<Learned> {
  const capabilities = steps.map(({ capability }) => capability);
  const code = pipelineCode(steps);
  const asItIs = { renamed: new Map(), canonical: new Map(), parametersSchema: {} };
  const { codeHash } = await runCodeTask('adapt', code, asItIs);
  const reached = capabilities.flatMap(({ fqdn, toolsUsed }) => [fqdn, ...toolsUsed]);
  const latest = steps.flatMap(({ capability, version }) => (version === '' ? capability.fqdn : []));
  return {
    code,
    codeHash,
    parametersSchema: pipelineSchema(capabilities),
    toolsUsed: [...new Set(reached)],
    callsHash: hashOfCalls(steps.map(({ capability, version }) => capability.fqdn + version)),
    uses: [...new Set(latest)].map((callee) => ({ callee, passed: [] })),
    namespace: capabilities[0]?.namespace ?? 'util',
    intent: intents.join(', then '),
    routing: capabilities.some(({ routing }) => routing === 'local') ? 'local' : 'cloud',
  };
}
