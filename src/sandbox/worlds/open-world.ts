import type { ReplayRequest, World } from '../replay-request.ts';
import { Echo } from './echo.ts';
import { failureMessage, failureRule, type WorldCall } from './failing-calls.ts';
import { guessObject, readFields } from './guessed-shape.ts';
import { hashText, mixHash } from './hash.ts';
import { type BaseAnswer, RecordedAnswers } from './recorded-answers.ts';
import { fieldOfTool, SeenValues } from './seen-values.ts';
import { type Literals, sortLiterals } from './vary-string.ts';
import { varyAnswer } from './vary-value.ts';
import { nowIn } from './world-clock.ts';
import { AS_RECORDED, styleOf } from './world-styles.ts';

/** The answer to a call: JSON text, or the message of its error. */
export interface WorldAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** Answers the calls of one program, in the order in which it makes them. */
export type AnswerCall = (name: string, args: string) => WorldAnswer;

/** What all worlds of a replay share. */
export interface WorldSource {
  readonly request: Pick<ReplayRequest, 'calls'>;
  readonly recorded: RecordedAnswers;
  readonly seen: SeenValues;
  readonly literals: Literals;
  readonly reads: ReadonlySet<string>;
  readonly tools: readonly string[];
  /** The fields that the programs read of any answer. */
  readonly fields: readonly string[];
}

export function worldSource(
  request: Pick<ReplayRequest, 'calls' | 'samples' | 'literals' | 'readers' | 'reads'> &
    Partial<Pick<ReplayRequest, 'programs'>>,
): WorldSource {
  const { calls, programs = [], readers, samples = {}, literals = [], reads } = request;
  const seen = new SeenValues();
  for (const { name, result } of calls) seen.add(result, fieldOfTool(name));
  for (const [name, results] of Object.entries(samples))
    for (const result of results) seen.add(result, fieldOfTool(name));
  return {
    request,
    recorded: new RecordedAnswers(calls, samples),
    seen,
    literals: sortLiterals(literals),
    reads: new Set(reads),
    tools: [...new Set(calls.map(({ name }) => name))],
    fields: readFields(readers ?? programs.map(({ code }) => code)),
  };
}

/** Returns a function that begins a program in this world. Equal calls of different programs get equal answers. */
export function openWorld(world: World, source: WorldSource): () => AnswerCall {
  const fails = failureRule(world, source.request.calls, source.tools);
  const answers = new Map<string, WorldAnswer>();
  const answerOnce = (call: WorldCall): WorldAnswer => {
    const key = `${call.nth}\n${call.name}\n${call.args}`;
    let answer = answers.get(key);
    if (!answer) {
      answer = makeAnswer(call, world, source);
      answers.set(key, answer);
    }
    return answer;
  };
  return () => {
    const counts = new Map<string, number>();
    let writes = 0;
    return (name, args) => {
      const id = `${name}\n${args}`;
      const nth = counts.get(id) ?? 0;
      counts.set(id, nth + 1);
      const call = { name, args, nth, writes: source.reads.has(name) ? undefined : writes };
      if (call.writes !== undefined) writes += 1;
      if (!fails(call)) return answerOnce(call);
      return { ok: false, text: failureMessage(call, world.seed, source.literals.words) };
    };
  };
}

function makeAnswer({ name, args, nth }: WorldCall, world: World, source: WorldSource): WorldAnswer {
  const key = hashText(`${name}\n${args}`, world.seed);
  const base = source.recorded.answer(name, args, nth, key);
  if (!base) return unseenAnswer(name, key, source);
  if (base.error !== undefined) return { ok: false, text: base.error };
  const result = isNulled(name, world, source)
    ? null
    : variedResult(base, name, args, mixHash(key, nth), world, source);
  return { ok: true, text: result === undefined ? '' : JSON.stringify(result) };
}

/** A tool that has answered nothing yet answers what the programs read of it, so that they go on. */
function unseenAnswer(name: string, key: number, { fields }: WorldSource): WorldAnswer {
  if (fields.length === 0) return { ok: false, text: `No answer of ${name} is known.` };
  return { ok: true, text: JSON.stringify(guessObject(fields, key)) };
}

/** Worlds of the kind `null` go through the tools: each has another one that answers null. */
function isNulled(name: string, { kind, seed }: World, { tools }: WorldSource): boolean {
  return kind === 'null' && name === tools[(seed % 16) % tools.length];
}

function variedResult(
  base: BaseAnswer,
  name: string,
  args: string,
  key: number,
  world: World,
  source: WorldSource,
): unknown {
  const style = styleOf(world) ?? AS_RECORDED;
  if (style === AS_RECORDED && base.isRecorded) return base.result;
  const { seen, literals, fields } = source;
  // Unknown pages are sometimes as they were recorded, even where lists are longer: the last one must come up.
  const isPage = !base.isRecorded && style.lists === 'longer' && key % 2 === 0;
  return varyAnswer(base.result, key, fieldOfTool(name), {
    style: isPage ? { ...style, lists: 'same' } : style,
    seen,
    literals,
    fields,
    echo: new Echo(base.args, JSON.parse(args)),
    seed: world.seed,
    ownSeed: base.isRecorded ? world.seed : key,
    now: nowIn(world),
  });
}
