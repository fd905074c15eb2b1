import type { JsonObject } from '../json.ts';

/** A capability, as lists show it. */
export interface CapabilitySummary {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly usage_count: number;
  /** Null if it was never called. */
  readonly success_rate: number | null;
  readonly tags: readonly string[];
  readonly visibility: 'private' | 'project' | 'org' | 'public';
  readonly version: number;
}

/** A capability by its name. */
export interface CapabilityInfo {
  readonly [key: string]: unknown;
  readonly fqdn: string;
  readonly display_name: string;
  readonly description: string;
  readonly version: number;
  readonly version_tag: string | null;
  /** The JSON Schema of its arguments. */
  readonly parameters_schema: JsonObject;
}

export interface ListFilter {
  /** A glob on the name, such as `fs:*`. */
  pattern?: string;
  namespace?: string;
  named_only?: boolean;
  unnamed_only?: boolean;
  tags?: string[];
  sort_by?: 'usage' | 'name' | 'created';
  limit?: number;
  offset?: number;
}

export interface RecordChanges {
  new_name?: string;
  description?: string;
  tags?: string[];
  visibility?: CapabilitySummary['visibility'];
}

type Call = (tool: string, args: JsonObject) => Promise<unknown>;

/** The remembered capabilities, by the `cap_*` tools. A name may be any spelling, with `@version`. */
export class CapabilityRegistry {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  list(filter: ListFilter = {}) {
    return this.#call('cap_list', { ...filter }) as Promise<{
      capabilities: CapabilitySummary[];
      total: number;
    }>;
  }

  lookup(name: string) {
    return this.#call('cap_lookup', { name }) as Promise<CapabilityInfo>;
  }

  /** Returns the whole record, with its code. */
  whois(name: string) {
    return this.#call('cap_whois', { name }) as Promise<CapabilityInfo & { readonly code: string }>;
  }

  /** Changes a record. Its former names keep working. */
  rename(name: string, changes: RecordChanges) {
    return this.#call('cap_rename', { name, ...changes }) as Promise<CapabilityInfo>;
  }

  /** Replays the recorded runs, without calling anything. */
  verify(name: string) {
    return this.#call('cap_verify', { name }) as Promise<{ verified: boolean; runs: readonly JsonObject[] }>;
  }

  retire(name: string) {
    return this.#call('cap_retire', { name }) as Promise<CapabilityInfo>;
  }

  restore(name: string) {
    return this.#call('cap_restore', { name }) as Promise<CapabilityInfo>;
  }
}
