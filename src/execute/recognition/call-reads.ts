import { executesSql, runCodeTask } from '../../code/index.ts';
import type { IsRead, Transcript } from '../../sandbox/index.ts';

/** More calls of SQL tools than this count as changes. */
const MAX_CALLS = 500;

type Call = Parameters<IsRead>[0];

/** Tells the calls that change nothing: those of tools that only read, and those of SQL tools that get a `select`. */
export class CallReads {
  readonly isReadOnly: (name: string) => boolean;
  readonly #sqlCalls = new Map<string, boolean>();

  constructor(isReadOnly: (name: string) => boolean) {
    this.isReadOnly = isReadOnly;
  }

  readonly isRead = (call: Call): boolean =>
    this.isReadOnly(call.name) || this.#sqlCalls.get(keyOf(call)) === true;

  /** Reads the SQL of calls. It must be done before they are judged: the parser may run in another thread. */
  async look(transcripts: readonly Transcript[]): Promise<void> {
    const found = new Map<string, Call>();
    for (const { name, args } of transcripts.flatMap(({ calls }) => calls)) {
      if (this.isReadOnly(name) || !executesSql(name)) continue;
      const key = keyOf({ name, args });
      if (!this.#sqlCalls.has(key) && this.#sqlCalls.size + found.size < MAX_CALLS)
        found.set(key, { name, args });
    }
    if (found.size === 0) return;
    const answers = await runCodeTask('readCalls', JSON.stringify([...found.values()]));
    for (const [at, key] of [...found.keys()].entries()) this.#sqlCalls.set(key, answers[at] === true);
  }
}

function keyOf({ name, args }: Call): string {
  return `${name} ${args}`;
}
