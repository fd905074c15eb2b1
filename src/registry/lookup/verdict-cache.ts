import type { KnownVerdicts } from '../../code/index.ts';
import type { Db } from '../../store/index.ts';
import type { Scope } from '../record/capability.ts';
import { readVerdicts } from '../tables/parameter-verdicts.ts';

const MAX_TOOLS = 5000;
const MAX_VERDICTS = 50_000;

type Verdicts = (readonly [key: string, kind: NonNullable<ReturnType<KnownVerdicts['get']>>])[];

/**
 * Caches the verdicts on the parameters of tools. A stored verdict never changes, so a cached one stays right; verdicts
 * that were stored since may be missing.
 */
export class VerdictCache {
  readonly #db: Db;
  readonly #byTool = new Map<string, Verdicts>();
  #size = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns the cached verdicts on these tools; undefined if one of the tools is not cached. */
  recall(scope: Scope, tools: readonly string[]): KnownVerdicts | undefined {
    const known = tools.map((tool) => this.#byTool.get(keyOf(scope, tool)));
    return known.every((one) => one !== undefined) ? new Map(known.flat()) : undefined;
  }

  async read(scope: Scope, tools: readonly string[]): Promise<KnownVerdicts> {
    const verdicts = await readVerdicts(this.#db, scope, tools);
    for (const tool of tools) this.#keep(keyOf(scope, tool), ofTool(verdicts, tool));
    return verdicts;
  }

  #keep(key: string, verdicts: Verdicts): void {
    this.#drop(key);
    this.#byTool.set(key, verdicts);
    this.#size += verdicts.length;
    for (const oldest of this.#byTool.keys()) {
      if (this.#byTool.size <= MAX_TOOLS && this.#size <= MAX_VERDICTS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#byTool.get(key)?.length ?? 0;
    this.#byTool.delete(key);
  }
}

function keyOf({ org, project }: Scope, tool: string): string {
  return `${org}\0${project}\0${tool}`;
}

/** The key of a verdict is the tool, a space and the path. */
function ofTool(verdicts: KnownVerdicts, tool: string): Verdicts {
  return [...verdicts].filter(([key]) => key.startsWith(`${tool} `));
}
