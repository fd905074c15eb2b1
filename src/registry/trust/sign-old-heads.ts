import { existsSync, writeFileSync } from 'node:fs';
import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import type { Keys } from './keys.ts';
import { type Claim, HEAD, type Head, type HeadProof, signClaim, signHeads } from './record-head.ts';
import { type Registry, signedText } from './signature.ts';

/** In one transaction; a process killed in between goes on where it was. */
const AT_ONCE = 200;

interface Old extends Head, HeadProof {
  code: string;
  parametersSchema: JsonSchema;
  signature: string | null;
}

/** Records at their newest version whose heads are not signed, after a given one. */
const UNSIGNED = `select ${HEAD}, p.code_snippet as "code", p.parameters_schema as "parametersSchema", v.signature
  from capability_records r
  join capability_versions v on v.capability_fqdn = r.id and v.version = r.version
  join workflow_pattern p on p.id = v.pattern_id
  where r.id > $1 and r.head_signature is null and p.id = r.pattern_id and not exists (
    select 1 from capability_versions n where n.capability_fqdn = r.id and n.version > r.version)
  order by r.id limit ${AT_ONCE} for no key update of r`;

/**
 * Signs the heads of what earlier versions kept, once in the life of a key: afterwards a head without a signature is one
 * that somebody took away. `marker` is the file that says it was done; a new key has it from the beginning.
 */
export async function signOldHeads({ db, keys }: Registry, marker: string): Promise<number> {
  if (existsSync(marker)) return 0;
  let signed = 0;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const after: string = last;
    const done: { last: string | undefined; signed: number } = await db.transaction((tx) =>
      signSome(tx, keys, after),
    );
    last = done.last;
    signed += done.signed;
  }
  writeFileSync(marker, '', { mode: 0o600 });
  return signed;
}

async function signSome(tx: Queryable, keys: Keys, after: string) {
  const { rows } = await tx.query<Old>(UNSIGNED, [after]);
  const fqdns: string[] = [];
  for (const row of rows) {
    // What does not run anyway must not be made to look good.
    if ((await keys.judge(signedText(row), row.signature, tx)) === 'good') fqdns.push(row.fqdn);
  }
  if (fqdns.length > 0) await signHeads(tx, keys, fqdns);
  if (fqdns.length > 0) await signNames(tx, keys, fqdns);
  return { last: rows.at(-1)?.fqdn, signed: fqdns.length };
}

const SIGN_NAMES = `update capability_names n set signature = s.signature
  from jsonb_to_recordset($1::jsonb) as s(org text, project text, name text, signature text)
  where n.name = s.name and n.org = s.org and n.project = s.project`;

async function signNames(tx: Queryable, keys: Keys, fqdns: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Claim>(
    `select org, project, name, listed_name as "listedName", fqdn from capability_names
     where fqdn = any($1) and signature is null`,
    [fqdns],
  );
  const signed = rows.map((claim) => ({ ...claim, signature: signClaim(keys, claim) }));
  await tx.query(SIGN_NAMES, [JSON.stringify(signed)]);
}
