import { Budget } from '../../budget.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { lockDrift } from '../drift/drift-lock.ts';
import type { Registry } from '../trust/signature.ts';
import { assertSmall, assertTrusted, type SignerStatus } from './assert-trusted.ts';
import { assertCalleesKnown, assertNamesFree, assignNames } from './assign-names.ts';
import type { Content } from './bundle-schema.ts';
import { importOrder } from './dependency-graph.ts';
import type { ImportOptions, ImportPlan, LocalTools } from './import-plan.ts';
import { matchExisting } from './match-existing.ts';
import { type ImportedCapability, persistAll } from './persist.ts';
import { onBundle } from './tasks.ts';
import { byFqdnOf } from './validate.ts';

/** Enough for thousands of ordinary calls; judging hostile ones ends within a second. */
const JUDGING = { steps: 300_000 };

export interface Imported {
  status: 'imported' | 'dry_run';
  signer: { fingerprint: string; known: SignerStatus };
  capabilities: (ImportedCapability & { origin: string; asked_for: boolean })[];
  tools: { name: string; connected: boolean }[];
  missing_servers: string[];
}

type ByOrigin = ReadonlyMap<string, ImportedCapability>;

/** Imports the capabilities of a bundle as the principal's own, all of them or none. Runs nothing of it. */
export async function importBundle(
  registry: Registry,
  who: Principal,
  text: string,
  options: ImportOptions,
): Promise<Imported> {
  const bundle = await onBundle('read', text.length, text);
  const known = await assertTrusted(registry.keys, bundle, options);
  if (known === 'stranger' && options.trust === undefined) assertSmall(bundle, text.length);
  const byFqdn = byFqdnOf(bundle.content);
  const inCode = await onBundle('validate', text.length, bundle.content);
  const names = assignNames(byFqdn, options);
  const { localTools } = options;
  const plan = { byFqdn, inCode, names, localTools, budget: new Budget(JUDGING) };
  const imported = await inOneTransaction(registry, options, (tx) => persistBundle(tx, registry, who, plan));
  if (options.always && !options.dryRun) options.trusted.add(bundle.signer);
  return {
    status: options.dryRun ? 'dry_run' : 'imported',
    signer: { fingerprint: bundle.fingerprint, known },
    capabilities: [...imported].map(([origin, one]) => ({
      ...one,
      origin,
      asked_for: bundle.content.asked_for.includes(origin),
    })),
    ...toolsOf(bundle.content, localTools),
  };
}

/** Carries the result of a dry run out of the transaction that it rolls back. */
class DryRunRollback extends Error {
  readonly imported: ByOrigin;

  constructor(imported: ByOrigin) {
    super('a dry run is over');
    this.imported = imported;
  }
}

async function inOneTransaction(
  { db }: Registry,
  { dryRun }: ImportOptions,
  act: (tx: Queryable) => Promise<ByOrigin>,
): Promise<ByOrigin> {
  try {
    return await db.transaction(async (tx) => {
      const imported = await act(tx);
      if (dryRun) throw new DryRunRollback(imported);
      return imported;
    });
  } catch (error) {
    if (error instanceof DryRunRollback) return error.imported;
    throw error;
  }
}

async function persistBundle(
  tx: Queryable,
  { keys }: Registry,
  who: Principal,
  plan: ImportPlan,
): Promise<ByOrigin> {
  await lockDrift(tx);
  // One import at a time in a scope: two that each wait for a name of the other's would deadlock.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `${who.org}.${who.project}:import`,
  ]);
  await assertCalleesKnown(tx, who, plan.byFqdn);
  const existing = await matchExisting(tx, keys, who, plan);
  await assertNamesFree(tx, who, plan, existing);
  const steps = importOrder(plan.byFqdn).filter(
    ({ bundled, version }) => version.version > (existing.get(bundled.fqdn)?.version ?? 0),
  );
  return withStale(tx, await persistAll(tx, keys, who, plan, { steps, existing }));
}

/** Adds why imported capabilities do not fit the local tools. */
async function withStale(tx: Queryable, imported: ByOrigin): Promise<ByOrigin> {
  const { rows } = await tx.query<{ id: string; stale: string }>(
    'select id, stale from capability_records where id = any($1) and stale is not null',
    [[...imported.values()].map(({ fqdn }) => fqdn)],
  );
  const reasons = new Map(rows.map(({ id, stale }) => [id, stale]));
  const add = (one: ImportedCapability) => {
    const stale = reasons.get(one.fqdn);
    return stale === undefined ? one : { ...one, stale };
  };
  return new Map([...imported].map(([origin, one]) => [origin, add(one)]));
}

/** Lists the tools that are called, and the servers that must be connected first. */
function toolsOf(
  { tools_needed }: Content,
  localTools: LocalTools,
): Pick<Imported, 'tools' | 'missing_servers'> {
  const tools = tools_needed.map((name) => ({ name, connected: localTools.toolOf(name) !== undefined }));
  const servers = tools.flatMap(({ name, connected }) => (connected ? [] : (name.split(':')[0] as string)));
  return { tools, missing_servers: [...new Set(servers)].filter((name) => !localTools.hasServer(name)) };
}
