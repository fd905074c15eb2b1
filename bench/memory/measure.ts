import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonSchema } from '../../src/json.ts';
import type { Result } from '../support/clients.ts';
import type { Bed } from './bed.ts';
import type { MemoryProcedure, Use } from './procedures.ts';
import { rememberedArguments } from './remembered-arguments.ts';
import { tokensOfAnswer, tokensOfCall } from './token-count.ts';

/** What one use cost. */
export interface Cost {
  written: number;
  read: number;
  roundTrips: number;
  milliseconds: number;
}

export const WAYS = [
  'direct calls',
  'code, no memory',
  'PML, first time',
  'PML, remembered: pml_execute({intent}), then the call',
  'PML, remembered: pml_discover({intent, limit: 3}), then the call',
  'PML, remembered: the call alone',
] as const;
export type Way = (typeof WAYS)[number];

/** How an intent was answered. */
export interface Offer {
  /** The kind of the first result; `wrong` is a capability that does something else. */
  first: 'right' | 'wrong' | 'tool' | 'nothing';
  /** The right capability is among the results. */
  isOffered: boolean;
  clearMatch: 'right' | 'wrong' | 'none';
  /** The first result is the capability that the near-miss was made for. */
  isOwnFirst: boolean;
}

export interface Measured {
  id: string;
  costs: Record<Way, Cost>;
  /** The remembered call gave what the code gives, by the same calls. */
  isSame: boolean;
  difference?: unknown;
  offers: Record<'otherWords' | 'sameWords' | 'toolNames' | 'nearMiss', Offer>;
}

/** A procedure with the capability that its first use became. */
interface Learned {
  procedure: MemoryProcedure;
  capability: string | undefined;
  costs: Partial<Record<Way, Cost>>;
  /** What the code gives on the data of the repeat. */
  expected: { result: Json; made: unknown };
}

/** Does every procedure in every way. All are learned before the first is asked for again. */
export async function measure(bed: Bed, procedures: readonly MemoryProcedure[]): Promise<Measured[]> {
  const learned: Learned[] = [];
  const without = [];
  for (const procedure of procedures) without.push(await withoutMemory(bed, procedure));
  for (const [at, procedure] of procedures.entries())
    learned.push(await learn(bed, procedure, without[at] as Without));
  const measured: Measured[] = [];
  for (const one of learned) measured.push(await remember(bed, one));
  return measured;
}

type Without = Pick<Learned, 'costs' | 'expected'>;

async function withoutMemory(bed: Bed, { repeat }: MemoryProcedure): Promise<Without> {
  const direct = new Meter(bed, repeat);
  for (const call of repeat.calls) await direct.direct(call);
  const code = new Meter(bed, repeat);
  const answer = await code.ask('pml_execute', {
    ...{ intent: repeat.intent, code: repeat.code, options: { remember: false } },
  });
  return {
    costs: { 'direct calls': direct.cost, 'code, no memory': code.cost },
    expected: { result: answer.result, made: bed.made },
  };
}

async function learn(bed: Bed, procedure: MemoryProcedure, without: Without): Promise<Learned> {
  const { first } = procedure;
  const meter = new Meter(bed, first);
  await meter.ask('pml_execute', { intent: first.intent });
  const { capabilityName } = await meter.ask('pml_execute', { intent: first.intent, code: first.code });
  return {
    ...{ procedure, capability: capabilityName, expected: without.expected },
    costs: { ...without.costs, 'PML, first time': meter.cost },
  };
}

async function remember(bed: Bed, { procedure, capability, costs, expected }: Learned): Promise<Measured> {
  const { repeat, sameWords, nearMiss } = procedure;
  const call = await callOf(bed, procedure, capability);
  const suggested = await askThenCall(bed, procedure, capability, call, 'pml_execute', {});
  const { result, made } = suggested;
  const discovered = await askThenCall(bed, procedure, capability, call, 'pml_discover', { limit: 3 });
  const alone = new Meter(bed, repeat);
  await alone.ask('pml_execute', call ?? { intent: repeat.intent, code: repeat.code });
  const isSame = isDeepStrictEqual(result, expected.result) && isDeepStrictEqual(made, expected.made);
  const offer = async (intent: string) =>
    offerOf((await bed.ask('pml_execute', { intent })).structuredContent, capability);
  return {
    id: procedure.id,
    isSame,
    ...(!isSame && { difference: { call, result, made, expected } }),
    costs: {
      ...(costs as Record<Way, Cost>),
      'PML, remembered: pml_execute({intent}), then the call': suggested.cost,
      'PML, remembered: pml_discover({intent, limit: 3}), then the call': discovered.cost,
      'PML, remembered: the call alone': alone.cost,
    },
    offers: {
      otherWords: offerOf(suggested.answer, capability),
      sameWords: await offer(sameWords),
      toolNames: await offer(phraseOf(repeat)),
      nearMiss: nearMissOffer(await offer(nearMiss)),
    },
  };
}

/** A near-miss has no right capability: the one it was made for is as wrong as any other. */
function nearMissOffer(offer: Offer): Offer {
  const isWrong = offer.clearMatch !== 'none';
  return {
    first: offer.first === 'right' ? 'wrong' : offer.first,
    isOffered: offer.isOffered,
    clearMatch: isWrong ? 'wrong' : 'none',
    isOwnFirst: offer.first === 'right',
  };
}

/** The arguments of `pml_execute` that repeat the procedure; undefined if it was not remembered. */
async function callOf(bed: Bed, procedure: MemoryProcedure, capability: string | undefined) {
  if (capability === undefined) return undefined;
  const { structuredContent } = await bed.ask('cap_lookup', { name: capability });
  const args = rememberedArguments(structuredContent.parameters_schema as JsonSchema, procedure);
  const intent = procedure.repeat.intent.slice(0, 80);
  return { intent, capability, args };
}

/** Asks by intent, and calls the right capability if it is offered; else it writes the code again. */
async function askThenCall(
  bed: Bed,
  { repeat }: MemoryProcedure,
  capability: string | undefined,
  call: Record<string, unknown> | undefined,
  tool: string,
  options: object,
): Promise<{ cost: Cost; answer: Result; result: Json; made: unknown }> {
  const meter = new Meter(bed, repeat);
  const answer = await meter.ask(tool, { intent: repeat.intent, ...options });
  const { isOffered } = offerOf(answer, capability);
  const { result } = await meter.ask(
    'pml_execute',
    isOffered && call ? call : { intent: repeat.intent, code: repeat.code },
  );
  return { cost: meter.cost, answer, result, made: bed.made };
}

function offerOf({ suggestions, results, clear_match }: Result, capability: string | undefined): Offer {
  const offered = (suggestions ?? results ?? []) as { kind: string; name: string }[];
  const [best] = offered;
  const isRight = ({ name }: { name: string }) => name === capability;
  const kinds = { tool: 'tool', capability: best && isRight(best) ? 'right' : 'wrong' } as const;
  return {
    first: best ? kinds[best.kind as keyof typeof kinds] : 'nothing',
    isOffered: offered.some(isRight),
    clearMatch: clear_match ? (isRight(clear_match) ? 'right' : 'wrong') : 'none',
    isOwnFirst: false,
  };
}

/** An intent in the words of the tools: `get stock info, then place order`. */
function phraseOf({ calls }: Use): string {
  const names = calls.map(({ tool }) => tool.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' '));
  return [...new Set(names)].join(', then ').toLowerCase();
}

/** Adds up what a use costs the model. */
class Meter {
  readonly cost: Cost = { written: 0, read: 0, roundTrips: 0, milliseconds: 0 };
  readonly #bed: Bed;

  constructor(bed: Bed, use: Use) {
    this.#bed = bed;
    bed.begin(use);
  }

  async direct(call: Use['calls'][number]): Promise<void> {
    await this.#count(`${call.server}__${call.tool}`, call.args, () => this.#bed.direct(call));
  }

  async ask(name: string, args: Record<string, unknown>): Promise<Result> {
    const { structuredContent } = await this.#count(name, args, () => this.#bed.ask(name, args));
    return structuredContent;
  }

  async #count(name: string, args: object, call: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const answer = await call();
    this.cost.milliseconds += performance.now() - began;
    if (answer.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${JSON.stringify(answer.content)}`);
    this.cost.roundTrips += 1;
    this.cost.written += tokensOfCall(name, args);
    this.cost.read += tokensOfAnswer(answer.content);
    return answer;
  }
}
