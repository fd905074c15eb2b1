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
  /** The first program of each capability, by its forms. */
  readonly #known = new Map<string, string>();
  readonly #schemas: ReadonlyMap<string, JsonSchema>;

  constructor(tools: ReadonlyMap<string, { inputSchema: JsonSchema }>) {
    this.#schemas = new Map([...tools].map(([name, { inputSchema }]) => [name, inputSchema]));
  }

  /** Returns the capability that a program belongs to: that of the first known program with which it shares a form. */
  identityOf(learned: Learned): string {
    const hashes = hashesOf(learned);
    const known = hashes.map((hash) => this.#known.get(hash)).find((identity) => identity !== undefined);
    const identity = known ?? (hashes[0] as string);
    for (const hash of hashes) if (!this.#known.has(hash)) this.#known.set(hash, identity);
    return identity;
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
      given: [],
      secrets: redactor.known,
      passed: calls.map(({ name, args, result }) => ({ name, args: args as Json, result: result as Json })),
    };
    const started = performance.now();
    const learned = learn(source, options);
    const ms = performance.now() - started;
    const isUnsafe = 'unsafe' in learned;
    return { learned: isUnsafe ? undefined : learned, unsafe: isUnsafe ? learned.unsafe : undefined, ms };
  }
}

/** True if two programs share a form, and so are one capability. */
export function isSameProcedure(one: Learned, other: Learned): boolean {
  const hashes = hashesOf(other);
  return hashesOf(one).some((hash) => hashes.includes(hash));
}

function hashesOf({ flow, codeHash }: Learned): readonly string[] {
  return flow ? flow.forms.map(({ hash }) => hash) : [codeHash];
}

/** The defaults of the parameters, or their examples where they have no default. */
export function knownArguments({ parameters, links }: Learned): Record<string, unknown> {
  const given = parameters.flatMap((parameter) => {
    const { default: usual, example } = parameter as { default?: Json; example?: Json };
    return usual === undefined && example === undefined ? [] : [[parameter.name, usual ?? example]];
  });
  return { ...Object.fromEntries(given), ...links };
}
