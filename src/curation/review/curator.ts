import type { NameIndex } from '../../access/index.ts';
import type { Config, ModelAccess } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Principal } from '../../principal.ts';
import type { Keys } from '../../registry/index.ts';
import { assertValidName } from '../../registry/names/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db } from '../../store/index.ts';
import { assertNoSecret } from '../../stored-texts.ts';

/** Who curates, with what, and by which settings. */
export interface Curator {
  readonly db: Db;
  readonly keys: Keys;
  readonly log: Log;
  readonly config: Pick<Config, 'curation'>;
  /** Knows the secrets of the config. */
  readonly redactor: Redactor;
  readonly models: ModelAccess;
  readonly who: Principal;
  /** The tools whose names a capability must not have. */
  readonly tools: Pick<NameIndex, 'assertFree'>;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((done: number, total: number, message: string) => void) | undefined;
}

export interface CurationFilter {
  readonly unnamed_only?: boolean | undefined;
  readonly namespace?: string | undefined;
  readonly min_usage?: number | undefined;
}

/** Says why no capability may have a name; undefined if one may. Does not check whether a capability has it already. */
export function whyNotName(
  { tools, redactor }: Pick<Curator, 'tools' | 'redactor'>,
  name: string,
): string | undefined {
  try {
    assertValidName(name);
    assertNoSecret('The name', name, redactor);
    tools.assertFree(name);
    return undefined;
  } catch (error) {
    if (error instanceof PmlError) return error.message;
    throw error;
  }
}

/** Names that capabilities of a scope have or had. Looked up as needed, since a scope may have very many. */
export class TakenNames {
  readonly #curator: Pick<Curator, 'db' | 'who' | 'tools' | 'redactor'>;
  readonly #taken = new Set<string>();
  readonly #free = new Set<string>();

  constructor(curator: Pick<Curator, 'db' | 'who' | 'tools' | 'redactor'>) {
    this.#curator = curator;
  }

  /** Tells whether a name is known to be taken, or can never be given. */
  readonly has = (name: string): boolean =>
    this.#taken.has(name) || (!this.#free.has(name) && whyNotName(this.#curator, name) !== undefined);

  add(name: string): void {
    this.#taken.add(name);
  }

  /** Looks names up, and returns those that turn out to be taken. */
  async check(names: readonly string[]): Promise<string[]> {
    const { db, who } = this.#curator;
    const unknown = names.filter((name) => !this.has(name));
    if (unknown.length === 0) return [];
    const { rows } = await db.query<{ name: string }>(
      `select n.name from capability_names n join capability_records r on r.id = n.fqdn
       where n.org = $1 and n.project = $2 and n.name = any($3) and (r.reserved_until is null or r.reserved_until >= now())`,
      [who.org, who.project, unknown],
    );
    for (const name of unknown) this.#free.add(name);
    for (const { name } of rows) this.#taken.add(name);
    return rows.map(({ name }) => name);
  }
}
