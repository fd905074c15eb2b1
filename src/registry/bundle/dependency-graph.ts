import { splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { endOfDay, isTag, tagNumbers } from '../lookup/version.ts';
import type { Carried, CarriedVersion } from './format.ts';
import { invalid } from './read-bundle.ts';

/** One version of one capability. */
export interface Step {
  carried: Carried;
  version: CarriedVersion;
}

type ByFqdn = ReadonlyMap<string, Carried>;

/** The version that a pin means, as the registry would find it. */
export function versionMeant({ versions }: Carried, pin: string | undefined): CarriedVersion | undefined {
  if (pin === undefined || pin === 'latest') return versions.at(-1);
  const before = endOfDay(pin);
  if (before !== undefined) return versions.findLast(({ made_at }) => new Date(made_at).getTime() < before);
  if (!pin.startsWith('v')) return undefined;
  if (isTag(pin)) return versions.find(({ version_tag: tag }) => tag !== null && compare(tag, pin) === 0);
  if (!/^v\d{1,9}$/.test(pin)) return undefined;
  const number = Number(pin.slice(1));
  const tagged = versions.filter(({ version_tag: tag }) => tag !== null && tagNumbers(tag)[0] === number);
  if (tagged.length === 0) return versions.find(({ version }) => version === number);
  return tagged.reduce((best, one) =>
    compare(one.version_tag as string, best.version_tag as string) > 0 ? one : best,
  );
}

function compare(a: string, b: string): number {
  const [left, right] = [tagNumbers(a), tagNumbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at === -1 ? 0 : (left[at] as number) - (right[at] as number);
}

/** Fails if running any version would come back to itself, or if a version is pinned that is not there. */
export function refuseCircles(byFqdn: ByFqdn): void {
  const next = ({ version }: Step) =>
    version.calls.flatMap((call): Step[] => {
      const { name, version: pin } = splitVersion(call);
      const carried = byFqdn.get(name);
      if (!carried) return [];
      const meant = versionMeant(carried, pin);
      if (!meant)
        throw invalid(`Version ${pin} of "${carried.name}" is called for, and is not in the bundle.`);
      return [{ carried, version: meant }];
    });
  inOrder(byFqdn, next);
}

/** All versions in an order in which each can be kept: after the one before it, and after what it names has begun. */
export function orderOfKeeping(byFqdn: ByFqdn): Step[] {
  return inOrder(byFqdn, ({ carried, version }) => {
    const before = carried.versions[version.version - 2];
    const named = version.calls.flatMap((call) => byFqdn.get(splitVersion(call).name) ?? []);
    return [
      ...(before ? [{ carried, version: before }] : []),
      ...named
        .filter((one) => one !== carried)
        .map((one) => ({ carried: one, version: one.versions[0] as CarriedVersion })),
    ];
  });
}

/** Every version after those that `next` gives for it. Without recursion: the depth is the file's to choose. */
function inOrder(byFqdn: ByFqdn, next: (step: Step) => Step[]): Step[] {
  const done = new Set<CarriedVersion>();
  const open = new Set<CarriedVersion>();
  const order: Step[] = [];
  const all = [...byFqdn.values()].flatMap((carried) =>
    carried.versions.map((version) => ({ carried, version })),
  );
  for (const start of all) {
    const path: { step: Step; rest: Step[] }[] = [];
    const enter = (step: Step) => {
      if (done.has(step.version)) return;
      if (open.has(step.version)) throw circle([...path.map((one) => one.step), step]);
      open.add(step.version);
      path.push({ step, rest: next(step) });
    };
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const following = top.rest.shift();
      if (following) {
        enter(following);
        continue;
      }
      path.pop();
      open.delete(top.step.version);
      done.add(top.step.version);
      order.push(top.step);
    }
  }
  return order;
}

const SHOWN = 10;

function circle(path: readonly Step[]): PmlError {
  const last = path.at(-1) as Step;
  const round = path.slice(path.findIndex(({ version }) => version === last.version));
  const names = round.slice(-SHOWN).map(({ carried }) => carried.name);
  return new PmlError('capability_cycle', `Capabilities call each other in a circle: ${names.join(' → ')}`);
}
