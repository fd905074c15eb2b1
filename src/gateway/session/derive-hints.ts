import type { NameIndex } from '../../access/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { isFqdn } from '../../registry/index.ts';

/** The hints of the protocol about what a tool does. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The protocol's defaults, which assume the worst. */
const UNKNOWN: Hints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Derives what a capability does from the tools that it calls, itself or through others. A tool that the session does not
 * have, or that says nothing, may do anything.
 */
export function deriveHints(
  callees: readonly string[] | null,
  tools: NameIndex,
  nestedCallees: (fqdn: string) => readonly string[] | undefined,
): Hints {
  if (!callees) return UNKNOWN;
  const names = callees.flatMap((callee) => (isFqdn(callee) ? (nestedCallees(callee) ?? null) : callee));
  const called = [...new Set(names)].map((name) => (name === null ? UNKNOWN : hintsOf(name, tools)));
  const writing = called.filter(({ readOnlyHint }) => !readOnlyHint);
  return {
    readOnlyHint: writing.length === 0,
    destructiveHint: writing.some(({ destructiveHint }) => destructiveHint),
    // A capability that also reads may write other values the next time, so only pure writes can be idempotent.
    idempotentHint:
      writing.length === 0 ||
      (writing.length === called.length && writing.every(({ idempotentHint }) => idempotentHint)),
    openWorldHint: called.some(({ openWorldHint }) => openWorldHint),
  };
}

function hintsOf(name: string, tools: NameIndex): Hints {
  return { ...UNKNOWN, ...statedHints(name, tools) };
}

/** Returns the hints that a tool `server:name` gives about itself; undefined if the session does not have it. */
export function statedHints(name: string, tools: NameIndex): Partial<Hints> | undefined {
  const entry = tools.has(name) ? tools.lookup(name) : undefined;
  if (!entry || `${entry.upstream.name}:${entry.own}` !== name) return undefined;
  const { annotations } = entry.listed;
  const stated: JsonObject = isJsonObject(annotations) ? annotations : {};
  const keys = Object.keys(UNKNOWN).filter((key) => typeof stated[key] === 'boolean');
  return Object.fromEntries(keys.map((key) => [key, stated[key]]));
}
