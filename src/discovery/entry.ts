import type { JsonSchema } from '../json.ts';

/** A tool or capability as the index reads it. */
export interface DiscoveryEntry {
  /** Stable and unique: `tool:<server>:<tool>` or `capability:<record id>`. */
  id: string;
  kind: 'tool' | 'capability';
  /** The server of a tool; the namespace of a capability. */
  server: string;
  /** A tool's own name; the action of a capability's display name. */
  name: string;
  title?: string;
  description: string;
  tags?: readonly string[];
  /** Names and descriptions of parameters are read from it. */
  inputSchema: JsonSchema;
  /** The names of the tools that a capability calls: they tell what it does, whatever its maker said. */
  calls?: readonly string[];
  /** The intents that a capability was made or used with. */
  intents?: readonly string[];
  /** Only this user may know of the entry, so it must not influence the scores that others see. */
  only?: string;
}

/** Evidence of the use of a capability. */
export interface Evidence {
  uses: number;
  /** 0 to 1. */
  successRate: number;
  lastUsedAt: number | undefined;
  isStale: boolean;
  isNamed: boolean;
  usesTools: boolean;
}

/** The entries that an agent may know of. No others influence the scores that it sees. */
export interface Population {
  /** The ids of its tools. It must stay the same object until they change, since counts are cached by it. */
  readonly tools: Iterable<string> & object;
  /** The ids of the capabilities that it may use, or all that its user sees. */
  readonly capabilities: 'all' | Iterable<string>;
}

export interface DiscoveryQuery {
  /** A single intent is split into clauses. Of several, the best answer to each comes first. */
  intents: readonly string[];
  limit: number;
  kind?: DiscoveryEntry['kind'];
  server?: string;
  /** Finds entries whose `only` is absent or this user. */
  user?: string;
  /** The entries that word frequencies are counted over; by default all that everyone may know of. */
  population?: Population;
  /** Tells what the caller may see. It is asked about the best entries only. */
  accepts?: (id: string) => boolean;
  evidenceOf?: (id: string) => Evidence | undefined;
  /** The ids that the session used. */
  usedBefore?: ReadonlySet<string>;
  now?: number;
}

export interface DiscoveryHit {
  id: string;
  /** 0 to 1, comparable between queries. */
  score: number;
  /** The index of the intent, or of the clause of a single intent, that the entry answers. */
  intent: number;
  /** Other intents that it answers better than any other entry does, and well enough. */
  alsoAnswers?: readonly number[];
}
