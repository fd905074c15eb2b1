import type { Principal } from '../../principal.ts';
import { MAY_SEE, principalParameters } from '../../registry/curation/index.ts';
import { type Queryable, SqlError } from '../../store/index.ts';
import { storedTags, storedText } from '../../stored-texts.ts';
import type { Suggestion } from '../names/nameable.ts';

/** A suggestion as it is stored: for which capability, made from which version, and by whom. */
export interface StoredSuggestion extends Omit<Suggestion, 'id'> {
  readonly fqdn: string;
  readonly version: number;
  /** The name that it is to replace. */
  readonly replaces: string;
  /** `heuristics`, or the model that was asked. */
  readonly madeBy: string;
}

const MAX_REASONING = 4000;
/** In characters of JSON. */
const MAX_PARAMETERS = 65_536;

const COLUMNS = `fqdn, version, replaces, name, description, tags, parameter_descriptions as "parameterDescriptions", confidence,
  reasoning, made_by as "madeBy"`;

/** Reads the open suggestions for some capabilities. */
export async function readSuggestions(
  db: Queryable,
  fqdns: readonly string[],
): Promise<Map<string, StoredSuggestion>> {
  const { rows } = await db.query<StoredSuggestion>(
    `select ${COLUMNS} from curation_suggestions where state = 'open' and fqdn = any($1)`,
    [fqdns],
  );
  return new Map(rows.map((one) => [one.fqdn, one]));
}

/** Lists the names that were refused or replaced by another choice, by capability; they are not suggested again. */
export async function refusedNames(
  db: Queryable,
  fqdns: readonly string[],
): Promise<Map<string, Set<string>>> {
  const { rows } = await db.query<{ fqdn: string; names: string[] }>(
    `select fqdn, array_agg(name) as names from curation_suggestions
     where state in ('refused', 'edited') and fqdn = any($1) group by fqdn`,
    [fqdns],
  );
  return new Map(rows.map(({ fqdn, names }) => [fqdn, new Set(names)]));
}

/** The index that lets a capability have one open suggestion. */
const ONE_OPEN = 'curation_suggestions_open';

const INSERT = `insert into curation_suggestions (fqdn, version, name, description, tags, parameter_descriptions, confidence,
    reasoning, made_by, replaces)
  select $1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10
  where not exists (select 1 from curation_suggestions where fqdn = $1 and state = 'open')
  on conflict (fqdn, name) do update set state = 'open', version = $2, description = $4, tags = $5,
    parameter_descriptions = $6::jsonb, confidence = $7, reasoning = $8, made_by = $9, replaces = $10, made_at = now()
    where curation_suggestions.state = 'outdated'`;

/**
 * Stores a suggestion, unless the capability has an open one: of two curations at once, the first one's suggestion stays.
 * Returns the one that is open now.
 */
export async function storeSuggestion(db: Queryable, made: StoredSuggestion): Promise<StoredSuggestion> {
  const parameters = JSON.stringify(made.parameterDescriptions);
  const insert = db.query(INSERT, [
    made.fqdn,
    made.version,
    made.name,
    storedText('description', made.description),
    storedTags(made.tags),
    parameters.length > MAX_PARAMETERS ? '{}' : parameters,
    made.confidence,
    storedText('description', made.reasoning).slice(0, MAX_REASONING),
    made.madeBy.slice(0, 300),
    made.replaces,
  ]);
  // On PostgreSQL, another curation may have stored one in the same moment.
  await insert.catch((error) => {
    if (!(error instanceof SqlError) || error.constraint !== ONE_OPEN) throw error;
  });
  return (await readSuggestions(db, [made.fqdn])).get(made.fqdn) ?? made;
}

/** The outcome of suggestion `s` if record `r` was renamed by other means, such as `cap_rename`. */
const BY_RENAME = `case when r.display_name = s.name then 'accepted' else 'edited' end`;

/** Closes open suggestions that no longer fit: other code, a name that is taken by now, a capability that was renamed. */
export async function withdraw(db: Queryable, fqdns: readonly string[]): Promise<void> {
  await db.query(
    `update curation_suggestions s set state = case when r.display_name = s.replaces then 'outdated' else ${BY_RENAME} end
     from capability_records r where r.id = s.fqdn and s.state = 'open' and s.fqdn = any($1)`,
    [fqdns],
  );
}

/** Notes that suggestions were shown to somebody. */
export async function markShown(db: Queryable, fqdns: readonly string[]): Promise<void> {
  await db.query(
    `update curation_suggestions set shown_at = now() where state = 'open' and shown_at is null and fqdn = any($1)`,
    [fqdns],
  );
}

/** Notes what became of the open suggestion for a capability. Somebody who decided has seen it. */
export async function decide(
  db: Queryable,
  fqdn: string,
  state: 'accepted' | 'applied' | 'edited' | 'refused',
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update curation_suggestions set state = $2, shown_at = case when $2 = 'applied' then null else coalesce(shown_at, now()) end where state = 'open' and fqdn = $1`,
    [fqdn, state],
  );
  return rowCount > 0;
}

/** Counts of what became of the suggestions in a scope. */
export interface CurationCounts {
  shown: number;
  accepted: number;
  edited: number;
  refused: number;
  /** Applied without being asked, so they say nothing of acceptance. */
  applied_automatically: number;
  open: number;
}

const COUNTS = `with judged as (
    select s.shown_at, case when s.state <> 'open' or r.display_name = s.replaces then s.state
      else ${BY_RENAME} end as state
    from curation_suggestions s join capability_records r on r.id = s.fqdn
    where ${MAY_SEE} and r.org = $1 and r.project = $2 and (r.created_by = $3 or $5) and s.state <> 'outdated'
  )
  select count(*) filter (where shown_at is not null) as shown,
    count(*) filter (where shown_at is not null and state = 'accepted') as accepted,
    count(*) filter (where shown_at is not null and state = 'edited') as edited,
    count(*) filter (where state = 'refused') as refused,
    count(*) filter (where state = 'applied') as applied_automatically, count(*) filter (where state = 'open') as open
  from judged`;

/** Counts the suggestions for the capabilities that a principal may change. */
export async function countSuggestions(db: Queryable, who: Principal): Promise<CurationCounts> {
  const { rows } = await db.query<CurationCounts>(COUNTS, [...principalParameters(who), who.admin === true]);
  return rows[0] as CurationCounts;
}

/** True if a principal has so many unnamed capabilities of its own for which nothing is suggested. Reads no more of them. */
export async function hasWithoutSuggestion(db: Queryable, who: Principal, count: number): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from capability_records r
     where r.org = $1 and r.project = $2 and r.created_by = $3 and r.retired_at is null and not r.named
       and r.record_type = 'capability'
       and not exists (select 1 from curation_suggestions s where s.fqdn = r.id and s.state <> 'outdated')
     limit $4`,
    [who.org, who.project, who.user, count],
  );
  return rows.length >= count;
}
