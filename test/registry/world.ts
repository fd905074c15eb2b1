import type { Principal } from '../../src/principal.ts';
import {
  type Capability,
  createNamed,
  fork,
  type Registry,
  remember,
  rename,
  retire,
  update,
} from '../../src/registry/index.ts';
import type { Visibility } from '../../src/registry/testing.ts';
import type { Db, Queryable } from '../../src/store/index.ts';
import { codeOf } from './acts.ts';

export const PEOPLE: readonly Principal[] = [
  { user: 'ana', org: 'acme', project: 'web' },
  { user: 'ben', org: 'acme', project: 'web' },
  { user: 'cyd', org: 'acme', project: 'other' },
  { user: 'dan', org: 'elsewhere', project: 'web' },
  // The same user at work in another scope.
  { user: 'ana', org: 'acme', project: 'other' },
];

const VISIBILITIES: readonly Visibility[] = ['private', 'project', 'org', 'public'];

/** One record, and the words that would reveal it in an answer. */
export interface Inhabitant {
  owner: Principal;
  visibility: Visibility;
  retired: boolean;
  fqdn: string;
  /** Every spelling that may lead to it. */
  spellings: string[];
  betraying: string[];
}

export function sees(who: Principal, { owner, visibility }: Inhabitant): boolean {
  const sameOrg = owner.org === who.org;
  const sameProject = sameOrg && owner.project === who.project;
  const reach = { private: false, project: sameProject, org: sameOrg, public: true };
  return owner.user === who.user || reach[visibility];
}

/** A seeded random number generator. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Creates records of everyone and of every visibility: renamed, updated, forked, retired, calling each other. */
export async function populate(registry: Registry, count: number, seed: number): Promise<Inhabitant[]> {
  const draw = drawing(seed);
  const pick = <T>(all: readonly T[]): T => all[draw(all.length)] as T;
  const world: Inhabitant[] = [];
  for (let n = 0; n < count; n++) {
    const owner = PEOPLE[n % PEOPLE.length] as Principal;
    const known = world.filter((one) => !one.retired && sees(owner, one));
    const made = await makeOne(
      registry,
      owner,
      `w${seed}n${n}`,
      known.length > 0 ? pick(known) : undefined,
      draw(5),
    );
    const names = [made.name];
    const visibility = pick(VISIBILITIES);
    if (draw(3) === 0) names.push(`former${n}`.concat(`:w${seed}`));
    for (const newName of names.slice(1)) await rename(registry, owner, made.fqdn, { newName });
    if (draw(3) === 0)
      await update(registry, owner, made.fqdn, {
        ...codeOf(`second of w${seed}n${n}`),
        versionTag: 'v2.0.0',
      });
    await rename(registry, owner, made.fqdn, { visibility, tags: [`tag${n}w${seed}`, 'all'] });
    const retired = draw(8) === 0;
    if (retired) await retire(registry, owner, made.fqdn, 30);
    await use(registry.db, owner, made, draw(4));
    world.push({ owner, visibility, retired, fqdn: made.fqdn, ...wordsOf(made, names) });
  }
  return world;
}

/** Creates one from new code, from code that calls another, as a fork, or without a name. */
async function makeOne(
  registry: Registry,
  owner: Principal,
  word: string,
  known: Inhabitant | undefined,
  way: number,
): Promise<Capability> {
  const name = `${word}:act`;
  const plain = { ...codeOf(word, way === 0 ? undefined : name), intent: `the intent of ${word}` };
  if (known && way === 1) return fork(registry, owner, known.fqdn, name);
  if (!known || way < 3) return (await remember(registry, owner, plain)).capability;
  const code = `return [${JSON.stringify(word)}, await mcp[${JSON.stringify(known.fqdn)}]()];`;
  return createNamed(registry, owner, { ...plain, code, toolsUsed: [known.fqdn], name });
}

function wordsOf({ fqdn, id, listedName, org, project }: Capability, names: string[]) {
  const last = names.at(-1) as string;
  const spellings = [
    ...[...names, fqdn, id, listedName, fqdn.replace(/\.\w+$/, ''), `cap:${last}`],
    ...[`${org}.${project}:${last}`, last.toUpperCase().replace(':', '_')],
  ];
  return { spellings: [...new Set(spellings)], betraying: [...names, fqdn, id, listedName] };
}

/** Writes calls into the journal's table. */
async function use(db: Db, who: Principal, { fqdn, name }: Capability, times: number): Promise<void> {
  for (let n = 0; n < times; n++)
    await db.query(
      `insert into tool_usage (id, server_id, tool, fqdn, org, project, user_id, success, duration_ms, called_at)
       values (gen_random_uuid(), 'pml-capabilities', $1, $2, $3, $4, $5, $6, $7, now())`,
      [name, fqdn, who.org, who.project, who.user, n % 2 === 0, 10 + n],
    );
  await db.query('update capability_records set usage_count = $2 where id = $1', [fqdn, times]);
}

/** Deletes records without a trace, which needs the owner of the tables. */
export async function erase(db: Queryable, fqdns: readonly string[]): Promise<void> {
  const tables = [
    'capability_names',
    'capability_rename_history',
    'capability_versions',
    'capability_records',
    'workflow_pattern',
  ];
  for (const table of tables) await db.query(`alter table ${table} disable trigger user`);
  const gone = [fqdns];
  await db.query('delete from tool_usage where fqdn = any($1)', gone);
  await db.query('delete from run_recordings where capability_fqdn = any($1)', gone);
  await db.query('delete from capability_uses where fqdn = any($1)', gone);
  await db.query('delete from capability_outputs where fqdn = any($1)', gone);
  await db.query('delete from capability_feedback where capability_fqdn = any($1)', gone);
  await db.query('delete from capability_rename_history where capability_fqdn = any($1)', gone);
  await db.query('delete from capability_names where fqdn = any($1)', gone);
  await db.query('delete from capability_versions where capability_fqdn = any($1)', gone);
  await db.query('update capability_records set parent_id = null where parent_id = any($1)', gone);
  await db.query('delete from capability_records where id = any($1)', gone);
  for (const table of tables) await db.query(`alter table ${table} enable trigger user`);
}
