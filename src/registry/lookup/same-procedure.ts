import { type FlowForm, formOfRun, type ProcedureRun } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Queryable } from '../../store/index.ts';
import type { Capability } from '../record/capability.ts';
import { CAPABILITY, FROM_CAPABILITY } from '../record/record-sql.ts';
import { principalParameters, VISIBLE } from '../record/visibility.ts';

/** The facts about learned code that identify its procedure. */
export interface LearnedProcedure {
  readonly codeHash: string;
  readonly flow?: ProcedureRun | undefined;
}

/** Few capabilities have the same flow and differ only in which holes share an argument. */
const MAX_CANDIDATES = 20;

const CANDIDATES = `select ${CAPABILITY}, i.flow_hash as "hash", i.holes from ${FROM_CAPABILITY}
  left join pattern_identities i on i.pattern_id = r.pattern_id and i.flow_hash = any($6)
  where ${VISIBLE} and r.org = $1 and r.project = $2 and r.id in (
    select id from capability_records where code_hash = $5 and org = $1 and project = $2
    union all
    select c.id from pattern_identities s join capability_records c on c.pattern_id = s.pattern_id where s.flow_hash = any($6))
  order by r.code_hash = $5 desc, i.form, r.created_by = $3 desc, r.created_at limit ${MAX_CANDIDATES}`;

type Candidate = Capability & { hash: string | null; holes: readonly string[] | null };

/** A capability that does the same as code that was learned. */
export interface SameProcedure {
  readonly capability: Capability;
  /** Maps its argument names to those of the learned code, if its own code is written differently. */
  readonly renamed: ReadonlyMap<string, string> | undefined;
}

/** Finds a capability of the principal's scope that does the same, even with other text and data; same code wins. */
export async function findSameProcedure(
  db: Queryable,
  who: Principal,
  { codeHash, flow }: LearnedProcedure,
): Promise<SameProcedure | undefined> {
  const hashes = flow?.forms.map(({ hash }) => hash) ?? [];
  const { rows } = await db.query<Candidate>(CANDIDATES, [...principalParameters(who), codeHash, hashes]);
  for (const { hash, holes, ...capability } of rows) {
    if (capability.codeHash === codeHash) return { capability, renamed: undefined };
    const known: FlowForm | undefined = hash !== null && holes ? { hash, holes } : undefined;
    const own = known && flow && formOfRun(known, flow);
    if (own)
      return { capability, renamed: new Map(holes?.map((name, at) => [name, own.holes[at] as string])) };
  }
  return undefined;
}
