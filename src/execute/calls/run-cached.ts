import { isJsonObject, type JsonSchema } from '../../json.ts';
import type { Verified } from '../../registry/caching/index.ts';
import { type Callable, verifySignature } from '../../registry/index.ts';
import { isSecretSchema } from '../../secrets/index.ts';
import { cacheKey } from '../cache/cache-key.ts';
import type { Dependency, DependencyLog } from '../cache/dependency-log.ts';
import type { Answer } from '../cache/result-cache.ts';
import { scanForSecret } from '../cache/secret-scan.ts';
import { canonicalName, resolveName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';
import { capabilityDependency, toolDependency } from './callee-state.ts';

/** Runs a capability, or answers with the result of an equal call, as its cache policy says. */
export async function runCached(
  run: Run,
  capability: Callable & Verified,
  args: Record<string, unknown>,
  runFresh: (run: Run) => Promise<{ value: unknown; bytes: number }>,
): Promise<Answer> {
  const { cachePolicy: policy, ttl, cacheForced: isForced, readAt } = capability;
  const isCacheable = policy !== 'none' && ttl !== null && ttl > 0 && capability.stale === null;
  const key = isCacheable ? cacheKey(capability, args, run.who) : undefined;
  if (policy === 'none' || ttl === null || key === undefined)
    return { ...(await runFresh(run)), isCached: false };
  const { org, project } = run.who;
  return run.cache.answer({
    ...{ key, policy, isForced, org, project, readAt, ttlSeconds: ttl },
    ...{ depth: run.callChain.length, signal: run.call.signal, deadline: run.deadline },
    outer: run.dependencies,
    run: (log) => runFresh({ ...run, dependencies: log, call: markUncacheableWhenAsked(run, log) }),
    holds: (dependencies) => hold(run, dependencies),
    holdsSecret: (value) =>
      givesSecret(capability.parametersSchema, args) || scanForSecret(run.redactor, { args, value }),
  });
}

/** Marks the result uncacheable when a server asks: the answer of a person or a model is meant for this call alone. */
function markUncacheableWhenAsked({ call }: Run, log: DependencyLog): Run['call'] {
  const { ask } = call;
  if (!ask) return call;
  return {
    ...call,
    ask: (request) => {
      log.markUncacheable();
      return ask(request);
    },
  };
}

/** Tells whether each name means the same callee, unchanged, to this caller; if so, notes the callees as called. */
async function hold(run: Run, dependencies: readonly Dependency[]): Promise<boolean> {
  const called: Parameters<Run['called']['set']>[] = [];
  for (const { spelling, callee, state } of dependencies) {
    const resolved = await resolveName(run, spelling);
    if (!resolved) return false;
    const now =
      resolved.kind === 'tool'
        ? toolDependency(run, spelling, resolved.entry)
        : await verified(run, spelling, resolved.capability);
    if (now?.callee !== callee || now.state !== state) return false;
    called.push([canonicalName(resolved), resolved]);
  }
  for (const one of called) run.called.set(...one);
  return true;
}

/** Verifies a capability and returns it as a dependency; undefined if it is stale. */
async function verified(run: Run, spelling: string, found: Callable): Promise<Dependency | undefined> {
  const stored = await verifySignature(run, run.who, found);
  return stored.stale === null ? capabilityDependency(spelling, stored) : undefined;
}

/** A schema with more parts counts as one that takes secrets. */
const MAX_SCHEMA_PARTS = 10_000;

/** Tells whether arguments are given that the schema marks as secret. */
function givesSecret({ properties }: JsonSchema, args: Record<string, unknown>): boolean {
  const budget = { parts: MAX_SCHEMA_PARTS };
  const schemas = isJsonObject(properties) ? properties : {};
  return Object.keys(args).some((key) => takesSecret(schemas[key], budget));
}

function takesSecret(schema: unknown, budget: { parts: number }): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  budget.parts -= 1;
  if (budget.parts < 0) return true;
  if (isJsonObject(schema) && isSecretSchema(schema as JsonSchema)) return true;
  return Object.values(schema).some((inner) => takesSecret(inner, budget));
}
