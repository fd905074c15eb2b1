import { CAPABILITY, RECORD } from '../record/record-sql.ts';
import { VISIBLE } from '../record/visibility.ts';
import { HEAD_PROOF } from '../trust/record-head.ts';
import { otherNumber, PINS, VERSION } from './version.ts';

/** The SQL of one kind of lookup: finds records `r` by the parameters from $5 on. */
interface LookupSql {
  from: string;
  where: string;
  /** How many parameters it takes. */
  takes: number;
  /** True if `n` is the name that was matched. */
  named: boolean;
  end?: string;
}

const BY_RECORD = { from: 'capability_records r', named: false };
const NAME =
  'select fqdn, name, 1 as rank from capability_names where org = $5 and project = $6 and name = $7';
const LISTED =
  'select fqdn, name, 2 as rank from capability_names where org = $5 and project = $6 and listed_name = $7';
const LOOSE = 'select fqdn, name from capability_names where org = $1 and project = $2 and loose_name = $5';
const owners = (names: string) => `(${names}) n join capability_records r on r.id = n.fqdn`;

const LOOKUPS = {
  fqdn: { ...BY_RECORD, where: 'r.id = $5', takes: 1 },
  /** The capability that one with this FQDN was folded into. */
  folded: {
    from: 'capability_folds f join capability_records r on r.id = f.kept',
    where: 'f.fqdn = $5',
    takes: 1,
    named: false,
  },
  id: { ...BY_RECORD, where: 'r.uid = $5', takes: 1 },
  /** A name in a scope, current or former. */
  name: { from: owners(NAME), where: 'true', takes: 3, named: true },
  /** A name in a scope, else its listed form. Two queries: with both in one condition a planner may use neither index. */
  listed: {
    from: owners(`${NAME} union all ${LISTED}`),
    where: 'true',
    takes: 3,
    named: true,
    end: 'order by n.rank limit 1',
  },
  unhashed: {
    ...BY_RECORD,
    where: 'r.org = $5 and r.project = $6 and r.namespace = $7 and r.action = $8',
    takes: 4,
  },
  public: {
    ...BY_RECORD,
    where: `r.visibility = 'public' and r.record_type = 'capability' and r.named and r.display_name = $5`,
    takes: 1,
  },
  loose: { from: owners(LOOSE), where: 'n.name = r.display_name', takes: 1, named: true },
} satisfies Record<string, LookupSql>;

export type LookupKind = keyof typeof LOOKUPS;
type PinKind = keyof typeof PINS;

/** Selects the record with its latest pattern. */
function latest({ from, where, named, end = 'limit 2' }: LookupSql): string {
  return `select ${CAPABILITY}${matchedName(named)} from ${from} join workflow_pattern p on p.id = r.pattern_id
    where ${VISIBLE} and ${where} ${end}`;
}

/** Selects the record at a version. Version columns override record columns; they are null if there is no such version. */
function pinned({ from, where, takes, named, end = 'limit 2' }: LookupSql, pin: PinKind): string {
  const value = `$${5 + takes}`;
  const other = pin === 'number' ? `, ${otherNumber(value)}` : '';
  return `select ${RECORD}, ${VERSION}${other}${matchedName(named)} from ${from}
    left join lateral (select v.* from capability_versions v where ${PINS[pin]('r.id', value)} limit 1) v on true
    left join workflow_pattern p on p.id = v.pattern_id
    where ${VISIBLE} and r.pattern_id is not null and ${where} ${end}`;
}

/** Selects and locks the record alone: joined rows could be older than the wait for the lock. */
function locked({ from, where, end = 'limit 2' }: LookupSql): string {
  return `select ${RECORD}, ${HEAD_PROOF} from ${from}
    where ${VISIBLE} and r.pattern_id is not null and ${where} ${end}
    for no key update of r`;
}

function matchedName(named: boolean): string {
  return named ? ', n.name as "matchedName"' : '';
}

/** The statement of each kind of lookup at each kind of version: few enough to stay prepared. */
export const STATEMENTS = Object.fromEntries(
  Object.entries(LOOKUPS).map(([kind, lookup]) => {
    const pins = (Object.keys(PINS) as PinKind[]).map((pin) => [pin, pinned(lookup, pin)]);
    return [kind, { latest: latest(lookup), locked: locked(lookup), ...Object.fromEntries(pins) }];
  }),
) as Record<LookupKind, Record<'latest' | 'locked' | PinKind, string>>;
