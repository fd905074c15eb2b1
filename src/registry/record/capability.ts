import { PmlError } from '../../errors.ts';
import type { JsonSchema } from '../../json.ts';
import { storedText } from '../../stored-texts.ts';
import type { Caching } from './caching.ts';
import { shortenName } from './capability-name.ts';

export type Visibility = 'private' | 'project' | 'org' | 'public';
export type Routing = 'local' | 'cloud';

export interface Scope {
  readonly org: string;
  readonly project: string;
}

/** A record with the code of one of its versions. */
export interface Capability extends Scope, Caching {
  readonly type: 'capability' | 'mcp-server';
  readonly fqdn: string;
  readonly id: string;
  readonly name: string;
  readonly named: boolean;
  readonly listedName: string;
  readonly namespace: string;
  readonly description: string;
  readonly intent: string;
  readonly visibility: Visibility;
  readonly version: number;
  readonly versionTag: string | null;
  readonly codeHash: string;
  readonly code: string;
  readonly parametersSchema: JsonSchema;
  readonly toolsUsed: readonly string[];
  readonly tags: readonly string[];
  readonly routing: Routing;
  /** Where the code of a server is. */
  readonly codeUrl: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly usageCount: number;
  readonly successCount: number;
  readonly totalLatencyMs: number;
  /** Why it no longer fits the tools it was written for; null if it fits. */
  readonly stale: string | null;
  /** The former name it was found by. */
  readonly deprecatedAlias?: string;
  /** The FQDN that it was found by, of a capability that was folded into it. */
  readonly foldedFrom?: string;
  /** The version, with other code, that `@v1` could also have meant. */
  readonly otherVersion?: number | null;
}

/** A capability as its callers know it: without the counters, which move with every call and are never cached. */
export type Callable = Omit<Capability, 'usageCount' | 'successCount' | 'totalLatencyMs'>;

/** The record of a capability, without its code. */
export type CapabilityRecord = Omit<
  Capability,
  'code' | 'parametersSchema' | 'deprecatedAlias' | 'foldedFrom' | 'otherVersion'
>;

/** The share of calls that succeeded; null if there was no call. */
export function successRate({
  usageCount,
  successCount,
}: Pick<Capability, 'usageCount' | 'successCount'>): number | null {
  return usageCount > 0 ? Math.round((successCount / usageCount) * 10_000) / 10_000 : null;
}

/** The name by which a principal can call it from its own scope. */
export function nameFor(who: Scope, { org, project, name }: Scope & { name: string }): string {
  return org === who.org && project === who.project ? name : `${org}.${project}:${name}`;
}

/** The description for clients; that of a stale capability begins with the reason. */
export function shownDescription({ description, stale }: Pick<Capability, 'description' | 'stale'>): string {
  const shown = storedText('description', description);
  return stale === null ? shown : `[stale: ${stale}] ${shown}`.trimEnd();
}

/**
 * The words for which it was first run, as an example. They may quote data of that run, which belongs to its creator: others
 * get the description.
 */
export function intentFor(
  { user }: { user: string },
  { createdBy, intent, description }: Pick<Capability, 'createdBy' | 'intent' | 'description'>,
): string {
  return storedText('intent', createdBy === user ? intent : description);
}

export function notFound(name: string): PmlError {
  return new PmlError('capability_not_found', `Capability not found: ${shortenName(name)}`);
}

export function nameTaken(name: string, { org, project }: Scope): PmlError {
  return new PmlError('name_taken', `Capability name '${name}' already exists in scope ${org}.${project}`, {
    hint: 'Choose another name, or replace the code of that capability with cap_update.',
  });
}
