import { Budget } from '../../budget.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import { lockDrift } from '../drift/dependencies.ts';
import type { Routing } from '../record/capability.ts';
import type { Registry } from '../trust/signature.ts';
import { assertKnown, assignNames, refuseTaken } from './assign-names.ts';
import { orderOfKeeping } from './dependency-graph.ts';
import type { Carried, Content } from './format.ts';
import { matchExisting } from './match-existing.ts';
import { type Kept, persistAll } from './persist.ts';
import type { SignedBundle } from './read-bundle.ts';
import { onBundle } from './tasks.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import { byFqdnOf, codeOf, type NamesInCode } from './validate.ts';

/** Thousands of ordinary calls cost no more; hostile ones end within a second. */
const JUDGING = { steps: 300_000 };

/** What an import must know of the tools that are connected here. */
export interface Surroundings {
  /** Fails if a real tool has this name. */
  refuse(name: string): void;
  /** The tool that a spelling means. */
  toolOf(spelling: string): { name: string; routing: Routing } | undefined;
  hasServer(name: string): boolean;
}

export interface ImportOptions {
  trusted: TrustedKeys;
  around: Surroundings;
  /** The fingerprint of the key to believe this once; with `always`, from now on. */
  trust?: string | undefined;
  always?: boolean | undefined;
  /** Other names than those in the bundle, by those. */
  rename?: Readonly<Record<string, string>> | undefined;
  /** Put before every name that is not in `rename`. */
  prefix?: string | undefined;
  /** Do all but keep it. */
  dryRun?: boolean | undefined;
}

export interface Imported {
  status: 'imported' | 'dry_run';
  signer: { fingerprint: string; known: 'own' | 'trusted' | 'stranger' };
  capabilities: (Kept & { origin: string; asked_for: boolean })[];
  tools: { name: string; connected: boolean }[];
  missing_servers: string[];
}

/** Keeps the capabilities of a bundle as the principal's own, all of them or none. Nothing in it is run. */
export async function importBundle(
  registry: Registry,
  who: Principal,
  text: string,
  options: ImportOptions,
): Promise<Imported> {
  const bundle = await onBundle('read', text.length, text);
  const known = await believed(registry, bundle, options);
  if (known === 'stranger' && options.trust === undefined) refuseLarge(bundle, text.length);
  const byFqdn = byFqdnOf(bundle.content);
  const inCode = await onBundle('examine', text.length, bundle.content);
  const names = assignNames(byFqdn, options);
  const answer = (kept: ReadonlyMap<string, Kept>): Imported => ({
    status: options.dryRun ? 'dry_run' : 'imported',
    signer: { fingerprint: bundle.fingerprint, known },
    capabilities: [...kept].map(([origin, one]) => ({
      ...one,
      origin,
      asked_for: bundle.content.asked_for.includes(origin),
    })),
    ...needs(bundle.content, options.around),
  });
  const kept = await inOneTransaction(registry, options, (tx) =>
    keepBundle(tx, registry, who, {
      byFqdn,
      inCode,
      names,
      around: options.around,
      budget: new Budget(JUDGING),
    }),
  );
  if (options.always && !options.dryRun) options.trusted.add(bundle.signer);
  return answer(kept);
}

/** Whether the signer is to be believed. Fails if it is not, unless nothing is to be kept. */
async function believed(
  { keys }: Registry,
  { signer, fingerprint, signature, signedText }: SignedBundle,
  { trusted, trust, dryRun }: ImportOptions,
): Promise<Imported['signer']['known']> {
  if (trust !== undefined && trust.toLowerCase() !== fingerprint)
    throw new PmlError(
      'key_untrusted',
      `This bundle was signed with the key ${fingerprint}, not with ${trust.slice(0, 100)}.`,
      {
        hint: 'Nothing was imported. Ask whoever made it which key is theirs.',
      },
    );
  if ((await keys.judge(signedText, signature)) === 'good') return 'own';
  if (trusted.has(signer)) return 'trusted';
  if (trust !== undefined || dryRun) return 'stranger';
  throw new PmlError(
    'key_untrusted',
    `This bundle was signed with a key that you do not trust: ${fingerprint}`,
    {
      hint: `Nothing was imported. Ask whoever made it whether that is their key; then add --trust ${fingerprint} (and --always, to trust it from now on).`,
    },
  );
}

/** All of these are looked at before anybody trusts the signer: enough for a thousand lines, in well under a second. */
const MAX_UNTRUSTED = { bytes: 1024 * 1024, versions: 50, code: 32 * 1024 };

/** Fails if a stranger sends more than a look at it is worth. */
function refuseLarge({ content, fingerprint }: SignedBundle, bytes: number): void {
  const versions = content.capabilities.flatMap((carried) => carried.versions);
  const code = versions.reduce((sum, version) => sum + codeOf(version).length, 0);
  const { bytes: maxBytes, versions: maxVersions, code: maxCode } = MAX_UNTRUSTED;
  if (bytes <= maxBytes && versions.length <= maxVersions && code <= maxCode) return;
  throw new PmlError(
    'key_untrusted',
    `This bundle is too large to be looked at before you trust its signer: it holds ${versions.length} versions with ${code} characters of code.`,
    { hint: `Ask whoever made it whether their key is ${fingerprint}; then add --trust ${fingerprint}.` },
  );
}

/** Carries what a rehearsal found out of the transaction that it undoes. */
class Undone extends Error {
  readonly kept: ReadonlyMap<string, Kept>;

  constructor(kept: ReadonlyMap<string, Kept>) {
    super('a rehearsal is over');
    this.kept = kept;
  }
}

async function inOneTransaction(
  { db }: Registry,
  { dryRun }: ImportOptions,
  act: (tx: Queryable) => Promise<ReadonlyMap<string, Kept>>,
): Promise<ReadonlyMap<string, Kept>> {
  try {
    return await db.transaction(async (tx) => {
      const kept = await act(tx);
      if (dryRun) throw new Undone(kept);
      return kept;
    });
  } catch (error) {
    if (error instanceof Undone) return error.kept;
    throw error;
  }
}

export interface Plan {
  byFqdn: ReadonlyMap<string, Carried>;
  inCode: NamesInCode;
  /** The names to give, by origin; none for what has no name. */
  names: ReadonlyMap<string, string>;
  around: Surroundings;
  /** What judging all its calls may cost. */
  budget: Budget;
}

async function keepBundle(
  tx: Queryable,
  { keys }: Registry,
  who: Principal,
  plan: Plan,
): Promise<ReadonlyMap<string, Kept>> {
  await lockDrift(tx);
  // Two imports of many names, each waiting for one of the other's, would never end.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `${who.org}.${who.project}:import`,
  ]);
  await assertKnown(tx, who, plan.byFqdn);
  const here = await matchExisting(tx, keys, who, plan);
  await refuseTaken(tx, who, plan, here);
  const steps = orderOfKeeping(plan.byFqdn).filter(
    ({ carried, version }) => version.version > (here.get(carried.fqdn)?.version ?? 0),
  );
  return withStale(tx, await persistAll(tx, keys, who, { ...plan, steps, here }));
}

/** Some may not fit the tools that are here. */
async function withStale(tx: Queryable, kept: ReadonlyMap<string, Kept>): Promise<ReadonlyMap<string, Kept>> {
  const { rows } = await tx.query<{ id: string; stale: string }>(
    'select id, stale from capability_records where id = any($1) and stale is not null',
    [[...kept.values()].map(({ fqdn }) => fqdn)],
  );
  const reasons = new Map(rows.map(({ id, stale }) => [id, stale]));
  const add = (one: Kept) => {
    const stale = reasons.get(one.fqdn);
    return stale === undefined ? one : { ...one, stale };
  };
  return new Map([...kept].map(([origin, one]) => [origin, add(one)]));
}

/** The tools that are called, and the servers that must be connected before they can be. */
function needs({ tools_needed }: Content, around: Surroundings): Pick<Imported, 'tools' | 'missing_servers'> {
  const tools = tools_needed.map((name) => ({ name, connected: around.toolOf(name) !== undefined }));
  const servers = tools.flatMap(({ name, connected }) => (connected ? [] : (name.split(':')[0] as string)));
  return { tools, missing_servers: [...new Set(servers)].filter((name) => !around.hasServer(name)) };
}
