import { CAPABILITY, RECORD, VISIBLE } from '../record/capability.ts';
import { HEAD_PROOF } from '../trust/record-head.ts';
import { PINS, VERSION } from './version.ts';

/** A way to look a name up: which records `r` it may mean, by the parameters from $4 on. */
interface WaySql {
  from: string;
  where: string;
  takes: number;
  /** Whether `n` is the name that was found. */
  named: boolean;
  end?: string;
}

const BY_RECORD = { from: 'capability_records r', named: false };
const NAME =
  'select fqdn, name, 1 as rank from capability_names where org = $4 and project = $5 and name = $6';
const LISTED =
  'select fqdn, name, 2 as rank from capability_names where org = $4 and project = $5 and listed_name = $6';
const LOOSE = 'select fqdn, name from capability_names where org = $1 and project = $2 and loose_name = $4';
const owners = (names: string) => `(${names}) n join capability_records r on r.id = n.fqdn`;

const WAYS = {
  fqdn: { ...BY_RECORD, where: 'r.id = $4', takes: 1 },
  id: { ...BY_RECORD, where: 'r.uid = $4', takes: 1 },
  /** A name of a scope, now or formerly. */
  name: { from: owners(NAME), where: 'true', takes: 3, named: true },
  /** Such a name, else the listed form of one. Two queries: with both in one condition a planner may choose neither index. */
  listed: {
    from: owners(`${NAME} union all ${LISTED}`),
    where: 'true',
    takes: 3,
    named: true,
    end: 'order by n.rank limit 1',
  },
  unhashed: {
    ...BY_RECORD,
    where: 'r.org = $4 and r.project = $5 and r.namespace = $6 and r.action = $7',
    takes: 4,
  },
  public: {
    ...BY_RECORD,
    where: `r.visibility = 'public' and r.record_type = 'capability' and r.named and r.display_name = $4`,
    takes: 1,
  },
  loose: { from: owners(LOOSE), where: 'n.name = r.display_name', takes: 1, named: true },
} satisfies Record<string, WaySql>;

export type Way = keyof typeof WAYS;
type PinKind = keyof typeof PINS;

/** The record with its latest pattern. */
function latest({ from, where, named, end = 'limit 2' }: WaySql): string {
  return `select ${CAPABILITY}${spelt(named)} from ${from} join workflow_pattern p on p.id = r.pattern_id
    where ${VISIBLE} and ${where} ${end}`;
}

/** The record at a version, in one go: what both say, the version says last. One that is missing says null to all. */
function pinned({ from, where, takes, named, end = 'limit 2' }: WaySql, pin: PinKind): string {
  return `select ${RECORD}, ${VERSION}${spelt(named)} from ${from}
    left join lateral (select v.* from capability_versions v where ${PINS[pin]('r.id', `$${4 + takes}`)} limit 1) v on true
    left join workflow_pattern p on p.id = v.pattern_id
    where ${VISIBLE} and r.pattern_id is not null and ${where} ${end}`;
}

/** The record alone, held until the transaction ends. What it is joined to may be what it was before the wait. */
function held({ from, where, end = 'limit 2' }: WaySql): string {
  return `select ${RECORD}, ${HEAD_PROOF} from ${from}
    where ${VISIBLE} and r.pattern_id is not null and ${where} ${end}
    for no key update of r`;
}

function spelt(named: boolean): string {
  return named ? ', n.name as "spelt"' : '';
}

/** Each way at each kind of version: few enough to stay prepared. */
export const STATEMENTS = Object.fromEntries(
  Object.entries(WAYS).map(([name, way]) => {
    const pins = (Object.keys(PINS) as PinKind[]).map((pin) => [pin, pinned(way, pin)]);
    return [name, { latest: latest(way), held: held(way), ...Object.fromEntries(pins) }];
  }),
) as Record<Way, Record<'latest' | 'held' | PinKind, string>>;
