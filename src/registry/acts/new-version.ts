import type { Budget } from '../../budget.ts';
import type { ParameterVerdict } from '../../code/index.ts';
import { storedText } from '../../stored-texts.ts';
import type { Dependency, VersionKey } from '../drift/dependencies.ts';
import type { VersionRow } from '../tables/capability-versions.ts';
import { NOW, type Sql } from '../tables/sql.ts';
import { type PatternRow, patternIdOf } from '../tables/workflow-pattern.ts';
import type { Keys } from '../trust/keys.ts';
import { signedText } from '../trust/signature.ts';

/** Code with its parameters, ready to be stored. */
export interface Pattern extends PatternRow {
  /** The calls that the code itself makes by name; or the version whose dependencies it shares. */
  dependencies?: readonly Dependency[] | VersionKey;
  /** Bounds the cost of judging its calls, if many patterns are stored at once. */
  budget?: Budget;
  /** The hash of what the code calls, in order; undefined if the calls do not tell it from other code. */
  callsHash?: string | undefined;
  /** The parameters of tools that were judged for the first time when this code was learned. */
  verdicts?: readonly ParameterVerdict[];
}

/** Who made a version, when, and why. */
export interface Authorship {
  author: string;
  /** The present, unless the version was made elsewhere. */
  madeAt?: Date;
  versionTag: string | null;
  summary: string;
}

/** The signed row of a version, for every act that adds one. */
export function versionRow(
  keys: Keys,
  { fqdn, version }: VersionKey,
  pattern: Pattern,
  { author, madeAt, versionTag, summary }: Authorship,
): Omit<VersionRow, 'code_url' | 'updated_at'> & { updated_at: Date | Sql } {
  return {
    capability_fqdn: fqdn,
    version,
    version_tag: versionTag,
    pattern_id: patternIdOf(pattern),
    updated_by: author,
    updated_at: madeAt ?? NOW,
    change_summary: storedText('change_summary', summary),
    signature: keys.sign(signedText({ ...pattern, fqdn, version })),
  };
}
