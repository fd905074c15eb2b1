import type { JsonSchema } from '../../json.ts';
import type { Db, Queryable } from '../../store/index.ts';
import { MAX_TEXT } from '../../stored-texts.ts';
import { announce } from '../record/announce.ts';
import type { Scope } from '../record/capability.ts';
import { markUsesInScope } from '../tables/capability-uses.ts';
import { saveObservedTools } from '../tables/observed-tools.ts';
import { deleteUnusedSchemas } from '../tables/tool-schemas.ts';
import { type StoredSchema, staleReason, storedSchema } from './dependencies.ts';
import { lockDrift } from './drift-lock.ts';
import { refreshStale } from './stale.ts';

/** A tool as a live server lists it. */
export interface ObservedTool {
  name: string;
  schema: unknown;
}

/** Tools beyond these are not stored, and so not judged. */
const MOST_TOOLS = 20_000;
/** How long the event loop may be kept busy at once. */
const YIELD_AFTER_MS = 20;

/**
 * Stores what a live server offers now. Capabilities of the scope whose calls no longer fit become stale, those that fit
 * again recover, in one transaction. Writes nothing if the server offers what it offered before. Returns how many
 * capabilities changed.
 */
export async function observeTools(
  db: Db,
  scope: Scope,
  server: string,
  tools: readonly ObservedTool[],
): Promise<number> {
  const storable = tools.filter(({ name }) => name.length <= MAX_TEXT.tool).slice(0, MOST_TOOLS);
  const now = new Map<string, StoredSchema>();
  const yieldOften = yielding();
  for (const { name, schema } of storable) {
    now.set(name, storedSchema(schema));
    await yieldOften();
  }
  if (differing(await observed(db, scope, server), now).length === 0) return 0;
  return db.transaction(async (tx) => {
    await lockDrift(tx);
    const before = await observed(tx, scope, server);
    const changed = differing(before, now);
    if (changed.length === 0) return 0;
    const rows = changed.map((tool) => ({ tool, ...now.get(tool) }));
    await saveObservedTools(tx, scope, server, rows);
    const fqdns = await judgeUses(tx, scope, server, changed, now);
    const marked = fqdns.length > 0 ? await refreshStale(tx, fqdns) : [];
    // Only former versions were judged anew, so no record was marked; pinned calls must hear of it all the same.
    if (fqdns.length > 0 && marked.length === 0) await announce(tx, scope, 'judged');
    await deleteUnusedSchemas(tx, [...before.values()]);
    return marked.reduce((sum, { count }) => sum + count, 0);
  });
}

/** Reads the tools of a server as they were last seen, each with the hash of its schema. */
async function observed(
  db: Queryable,
  { org, project }: Scope,
  server: string,
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ tool: string; hash: string }>(
    'select tool, schema_hash as hash from observed_tools where org = $1 and project = $2 and server = $3',
    [org, project, server],
  );
  return new Map(rows.map(({ tool, hash }) => [tool, hash]));
}

function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, StoredSchema>): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name)?.hash);
}

interface UseGroup {
  callee: string;
  hash: string;
  before: JsonSchema;
  passed: JsonSchema[];
  broken: string | null;
}

/** Capabilities that call a tool alike are judged once. */
const USE_GROUPS = `select distinct u.callee, u.schema_hash as hash, s.schema as "before", u.passed, u.broken
  from capability_uses u join tool_schemas s on s.hash = u.schema_hash
  where u.callee = any($3) and u.org = $1 and u.project = $2`;

/** Judges all calls of the changed tools. Returns the FQDNs of records whose judgement changed. */
async function judgeUses(
  tx: Queryable,
  scope: Scope,
  server: string,
  changed: readonly string[],
  now: ReadonlyMap<string, StoredSchema>,
): Promise<string[]> {
  const callees = changed.map((tool) => `${server}:${tool}`);
  const { rows } = await tx.query<UseGroup>(USE_GROUPS, [scope.org, scope.project, callees]);
  const verdicts = [];
  const yieldOften = yielding();
  for (const { callee, hash, before, passed, broken } of rows) {
    await yieldOften();
    const after = now.get(callee.slice(server.length + 1));
    const reason = after?.hash === hash ? null : staleReason(callee, before, after?.schema ?? null, passed);
    if (reason !== broken) verdicts.push({ callee, hash, passed, reason });
  }
  return verdicts.length > 0 ? markUsesInScope(tx, scope, callees, verdicts) : [];
}

/** Returns a function that lets the event loop turn if enough time has passed since it last did. */
function yielding(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < YIELD_AFTER_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
