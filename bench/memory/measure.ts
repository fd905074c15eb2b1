import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonSchema } from '../../src/json.ts';
import type { Result } from '../support/clients.ts';
import type { Bed } from './bed.ts';
import { type Cost, Meter } from './meter.ts';
import { judgeOffer, type Offer, offers } from './offer.ts';
import type { DirectCall, MemoryProcedure, Use } from './procedures.ts';
import { rememberedArguments } from './remembered-arguments.ts';

export const WAYS = [
  'direct calls',
  'code, no memory',
  'PML, first time',
  'PML, remembered: asked in the same words',
  'PML, remembered: asked in other words',
  'PML, remembered: pml_discover, limit 3',
  'PML, remembered: called by name',
] as const;
/** "Asked" is `pml_execute({intent})`; the call of the capability follows, as it does after `pml_discover`. */
export type Way = (typeof WAYS)[number];

export interface Measured {
  readonly id: string;
  readonly costs: Readonly<Record<Way, Cost>>;
  /** The remembered call gave what the code gives, by the same calls. */
  readonly isSame: boolean;
  readonly difference?: object;
  readonly offers: Readonly<Record<'otherWords' | 'sameWords' | 'toolNames' | 'nearMiss', Offer>>;
}

/** The outcome of a program. */
interface Effect {
  readonly result: Json;
  readonly made: readonly DirectCall[];
}

/** A procedure with the capability that its first use became. */
interface Learned {
  readonly procedure: MemoryProcedure;
  readonly capability: string;
  readonly costs: Partial<Record<Way, Cost>>;
  /** The outcome of the code on the data of the repeat. */
  readonly expected: Effect;
}

/** Does every procedure in every way. All are learned before the first is asked for again. */
export async function measure(bed: Bed, procedures: readonly MemoryProcedure[]): Promise<Measured[]> {
  const without: Pick<Learned, 'costs' | 'expected'>[] = [];
  for (const procedure of procedures) without.push(await withoutMemory(bed, procedure));
  const learned: Learned[] = [];
  for (const [at, procedure] of procedures.entries()) {
    const { costs, expected } = without[at] as Learned;
    const { capability, cost } = await learn(bed, procedure);
    learned.push({ procedure, capability, expected, costs: { ...costs, 'PML, first time': cost } });
  }
  const measured: Measured[] = [];
  for (const one of learned) measured.push(await remember(bed, one, learned));
  return measured;
}

async function withoutMemory(
  bed: Bed,
  { repeat }: MemoryProcedure,
): Promise<Pick<Learned, 'costs' | 'expected'>> {
  const direct = new Meter(bed, repeat);
  for (const call of repeat.calls) await direct.direct(call);
  const code = new Meter(bed, repeat);
  const { result } = await code.ask('pml_execute', { ...codeOf(repeat), options: { remember: false } });
  return {
    costs: { 'direct calls': direct.cost, 'code, no memory': code.cost },
    expected: { result, made: bed.made },
  };
}

async function learn(bed: Bed, { id, first }: MemoryProcedure): Promise<{ capability: string; cost: Cost }> {
  const meter = new Meter(bed, first);
  await meter.ask('pml_execute', { intent: first.intent });
  const { capabilityName } = await meter.ask('pml_execute', codeOf(first));
  if (capabilityName === undefined) throw new Error(`PML did not remember ${id}`);
  return { capability: capabilityName, cost: meter.cost };
}

async function remember(
  bed: Bed,
  { procedure, capability, costs, expected }: Learned,
  all: readonly Learned[],
): Promise<Measured> {
  const { id, task, repeat, sameWords } = procedure;
  const call = await callOf(bed, procedure, capability);
  const inSameWords = await askThenCall(bed, { ...repeat, intent: sameWords }, call, 'pml_execute', {});
  const suggested = await askThenCall(bed, repeat, call, 'pml_execute', {});
  const discovered = await askThenCall(bed, repeat, call, 'pml_discover', { limit: 3 });
  const alone = new Meter(bed, repeat);
  const { result } = await alone.ask('pml_execute', call);
  const effect: Effect = { result, made: bed.made };
  const isSame = isDeepStrictEqual(effect, expected);
  const right = new Set(all.flatMap((one) => (one.procedure.task === task ? [one.capability] : [])));
  return {
    ...{ id, isSame },
    ...(!isSame && { difference: { call, effect, expected } }),
    costs: {
      ...(costs as Record<Way, Cost>),
      'PML, remembered: asked in the same words': inSameWords.cost,
      'PML, remembered: asked in other words': suggested.cost,
      'PML, remembered: pml_discover, limit 3': discovered.cost,
      'PML, remembered: called by name': alone.cost,
    },
    offers: {
      otherWords: judgeOffer(repeat.intent, suggested.answer, right),
      sameWords: judgeOffer(sameWords, inSameWords.answer, right),
      ...(await otherOffers(bed, procedure, right, capability)),
    },
  };
}

async function otherOffers(
  bed: Bed,
  { repeat, nearMiss }: MemoryProcedure,
  right: ReadonlySet<string>,
  own: string,
): Promise<Pick<Measured['offers'], 'toolNames' | 'nearMiss'>> {
  const ask = async (intent: string) => (await bed.ask('pml_execute', { intent })).structuredContent;
  const toolNames = phraseOf(repeat);
  return {
    toolNames: judgeOffer(toolNames, await ask(toolNames), right),
    nearMiss: judgeOffer(nearMiss, await ask(nearMiss), new Set(), own),
  };
}

function codeOf({ intent, code }: Use): { intent: string; code: string } {
  return { intent, code };
}

interface CapabilityCall extends Record<string, unknown> {
  readonly capability: string;
}

const MAX_INTENT = 80;

/** The arguments of `pml_execute` that repeat the procedure. */
async function callOf(bed: Bed, procedure: MemoryProcedure, capability: string): Promise<CapabilityCall> {
  const { structuredContent } = await bed.ask('cap_lookup', { name: capability });
  const args = rememberedArguments(structuredContent.parameters_schema as JsonSchema, procedure);
  return { intent: procedure.repeat.intent.slice(0, MAX_INTENT), capability, args };
}

/** Asks by intent, and calls the capability if it is offered; else it writes the code again. */
async function askThenCall(
  bed: Bed,
  repeat: Use,
  call: CapabilityCall,
  tool: string,
  options: object,
): Promise<{ cost: Cost; answer: Result }> {
  const meter = new Meter(bed, repeat);
  const answer = await meter.ask(tool, { intent: repeat.intent, ...options });
  // Code that is written again is not remembered, so that all questions are put to the same memory.
  const again = { ...codeOf(repeat), options: { remember: false } };
  await meter.ask('pml_execute', offers(answer, call.capability) ? call : again);
  return { cost: meter.cost, answer };
}

/** An intent in the words of the tools: `get stock info, then place order`. */
function phraseOf({ calls }: Use): string {
  const names = calls.map(({ tool }) => tool.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' '));
  return [...new Set(names)].join(', then ').toLowerCase();
}
