import type { Json, JsonSchema } from '../../code/testing.ts';
import { findReferences, type LearnedCode, learn, parse, Redactor } from '../../code/testing.ts';
import type { ProgramRun } from './run-program.ts';

export type Learned = LearnedCode;

/** The outcome of learning a program; `unsafe` says why it was not kept. */
export interface Lesson {
  readonly learned: Learned | undefined;
  readonly unsafe: string | undefined;
  readonly ms: number;
}

/** Learns programs in this process, as `pml_execute` does after a run. */
export class Learner {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;

  constructor(tools: ReadonlyMap<string, { inputSchema: JsonSchema }>) {
    this.#schemas = new Map([...tools].map(([name, { inputSchema }]) => [name, inputSchema]));
  }

  learn(source: string, { calls }: ProgramRun): Lesson {
    const written = findReferences(parse(source)).flatMap(({ name }) => (name === undefined ? [] : [name]));
    const names = new Set([...written, ...calls.map(({ name }) => name)]);
    const redactor = new Redactor();
    for (const { name, args, result } of calls) {
      redactor.learnPassed(args, name, { isNested: false, isHandedOn: false });
      redactor.learnGiven(result, name);
    }
    const options = {
      schemas: new Map([...this.#schemas].filter(([name]) => names.has(name))),
      renamed: new Map<string, string>(),
      canonical: new Map([...names].map((name) => [name, name])),
      given: {},
      secrets: redactor.known,
    };
    const started = performance.now();
    const learned = learn(source, options);
    const ms = performance.now() - started;
    const isUnsafe = 'unsafe' in learned;
    return { learned: isUnsafe ? undefined : learned, unsafe: isUnsafe ? learned.unsafe : undefined, ms };
  }
}

/** The defaults of the parameters, or their examples where they have no default. */
export function knownArguments({ parameters }: Learned): Record<string, unknown> {
  const given = parameters.flatMap((parameter) => {
    const { default: usual, example } = parameter as { default?: Json; example?: Json };
    return usual === undefined && example === undefined ? [] : [[parameter.name, usual ?? example]];
  });
  return Object.fromEntries(given);
}
