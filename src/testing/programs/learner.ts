import type { JsonSchema } from '../../code/testing.ts';
import { findReferences, type LearnedCode, learn, parse, Redactor } from '../../code/testing.ts';
import type { ProgramRun } from './run-program.ts';

export type Learned = LearnedCode;

/** Learns programs in this process, as `pml_execute` does after a run. */
export class Learner {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;

  constructor(tools: ReadonlyMap<string, { inputSchema: JsonSchema }>) {
    this.#schemas = new Map([...tools].map(([name, { inputSchema }]) => [name, inputSchema]));
  }

  /** Returns what is stored of a program; undefined if it must not be stored. */
  learn(source: string, { calls }: ProgramRun): Learned | undefined {
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
    const learned = learn(source, options);
    return 'unsafe' in learned ? undefined : learned;
  }
}
