import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../json.ts';
import type { Queryable } from '../../store/index.ts';
import { signNames } from '../tables/capability-names.ts';
import { HEADS_SIGNED, type Keys } from './keys.ts';
import { type Claim, HEAD, type Head, type HeadProof, signClaim, signHeads } from './record-head.ts';
import { type Registry, signedText } from './signature.ts';

/** How many heads are signed in one transaction; a killed process resumes where it stopped. */
const AT_ONCE = 200;

interface UnsignedRecord extends Head, HeadProof {
  code: string;
  parametersSchema: JsonSchema;
  signature: string | null;
}

/** Selects the next records after $1 that are at their newest version and have unsigned heads. */
const UNSIGNED = `select ${HEAD}, p.code_snippet as "code", p.parameters_schema as "parametersSchema", v.signature
  from capability_records r
  join capability_versions v on v.capability_fqdn = r.id and v.version = r.version
  join workflow_pattern p on p.id = v.pattern_id
  where r.id > $1 and r.head_signature is null and p.id = r.pattern_id and not exists (
    select 1 from capability_versions n where n.capability_fqdn = r.id and n.version > r.version)
  order by r.id limit ${AT_ONCE} for no key update of r`;

/**
 * Signs the heads of records that earlier versions of PML stored, once in the life of a key: afterwards a missing signature
 * means tampering. A file beside the key marks that it was done; a new key has it from the start. Returns how many it signed.
 */
export async function signOldHeads({ db, keys }: Registry, home: string): Promise<number> {
  const marker = join(home, 'keys', HEADS_SIGNED);
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
  const { rows } = await tx.query<UnsignedRecord>(UNSIGNED, [after]);
  const fqdns: string[] = [];
  for (const row of rows) {
    // A record whose code is not validly signed must not get a valid head.
    if ((await keys.verify(signedText(row), row.signature, tx)) === 'valid') fqdns.push(row.fqdn);
  }
  if (fqdns.length > 0) await signHeads(tx, keys, fqdns);
  if (fqdns.length > 0) await signUnsignedNames(tx, keys, fqdns);
  return { last: rows.at(-1)?.fqdn, signed: fqdns.length };
}

async function signUnsignedNames(tx: Queryable, keys: Keys, fqdns: readonly string[]): Promise<void> {
  const { rows } = await tx.query<Claim>(
    `select org, project, name, listed_name as "listedName", fqdn from capability_names
     where fqdn = any($1) and signature is null`,
    [fqdns],
  );
  const signed = rows.map((claim) => ({ ...claim, signature: signClaim(keys, claim) }));
  await signNames(tx, signed);
}
