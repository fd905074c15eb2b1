import type { JsonSchema } from '../json.ts';

/** A tool or capability that can be found. */
export interface DiscoveryEntry {
  /** Stable and unique: `tool:<server>:<tool>` or `capability:<record id>`. */
  id: string;
  kind: 'tool' | 'capability';
  /** The server of a tool; the namespace of a capability. */
  server: string;
  name: string;
  title?: string;
  description: string;
  tags?: readonly string[];
  /** Its parameters' names and descriptions are read from it. */
  inputSchema: JsonSchema;
  /** The intents that a capability was made or used with. */
  intents?: readonly string[];
  /** Only this user may know of it; it must not influence the scores that others see. */
  only?: string;
}

/** How a capability has done so far. */
export interface Evidence {
  uses: number;
  successRate: number;
  lastUsedAt: number | undefined;
  isStale: boolean;
  isNamed: boolean;
  usesTools: boolean;
}

export interface DiscoveryQuery {
  intents: readonly string[];
  limit: number;
  kind?: 'tool' | 'capability';
  server?: string;
  /** Sees entries whose `only` is absent or this. */
  user?: string;
  accepts?: (id: string) => boolean;
  evidenceOf?: (id: string) => Evidence | undefined;
  /** Ids that the session used. */
  usedBefore?: ReadonlySet<string>;
}

export interface DiscoveryHit {
  id: string;
  /** 0 to 1, comparable between queries. */
  score: number;
  /** The index of the intent or clause that it answers. */
  intent: number;
}
