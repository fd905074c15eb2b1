import { isRunOf, type ProcedureRun } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** Code that was learned, as far as it tells which procedure it is. */
export interface LearnedProcedure {
  readonly codeHash: string;
  readonly flow?: ProcedureRun | null | undefined;
}

/** Capabilities of one flow that differ in which holes share an argument are few. */
const MAX_CANDIDATES = 20;

const CANDIDATES = `select ${CAPABILITY}, i.flow_hash as "flowHash", i.holes from ${FROM_CAPABILITY}
  left join pattern_identities i on i.pattern_id = r.pattern_id
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.id in (
    select id from capability_records where code_hash = $4 and org = $1 and project = $2
    union all
    select c.id from pattern_identities s join capability_records c on c.pattern_id = s.pattern_id where s.flow_hash = $5)
  order by r.code_hash = $4 desc, r.created_by = $3 desc, r.created_at limit ${MAX_CANDIDATES}`;

type Candidate = Capability & { flowHash: string | null; holes: readonly string[] | null };

/** A capability that does the same as code that was learned. */
export interface SameProcedure {
  readonly capability: Capability;
  /** The arguments of the capability at the holes of the flow; undefined if it has the very same code. */
  readonly holes: readonly string[] | undefined;
}

/** Finds the capability of the principal's scope that does the same, whatever its text and data: the same code first. */
export async function findSameProcedure(
  db: Queryable,
  who: Principal,
  learned: LearnedProcedure,
): Promise<SameProcedure | undefined> {
  const parameters = [...principalParameters(who), learned.codeHash, learned.flow?.hash ?? null];
  const { rows } = await db.query<Candidate>(CANDIDATES, parameters);
  const found = rows.find(
    ({ codeHash, holes }) =>
      codeHash === learned.codeHash || (learned.flow && holes && isRunOf(holes, learned.flow)),
  );
  if (!found) return undefined;
  const { flowHash: _, holes, ...capability } = found;
  return { capability, holes: capability.codeHash === learned.codeHash ? undefined : (holes ?? undefined) };
}
