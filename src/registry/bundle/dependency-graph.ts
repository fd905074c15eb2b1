import { splitVersion } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { endOfDay, isTag, tagNumbers } from '../lookup/version.ts';
import type { BundledCapability, BundledVersion } from './bundle-schema.ts';
import { invalidBundle } from './read-bundle.ts';

/** One version of one capability. */
export interface Step {
  bundled: BundledCapability;
  version: BundledVersion;
}

type ByFqdn = ReadonlyMap<string, BundledCapability>;

/** Finds the version that a pin means, by the same rules as the registry. */
export function resolvePin(
  { versions }: BundledCapability,
  pin: string | undefined,
): BundledVersion | undefined {
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

/** Fails if a version calls itself, directly or not, or if a pinned version is missing. */
export function assertAcyclic(byFqdn: ByFqdn): void {
  const next = ({ version }: Step) =>
    version.calls.flatMap((call): Step[] => {
      const { name, version: pin } = splitVersion(call);
      const bundled = byFqdn.get(name);
      if (!bundled) return [];
      const meant = resolvePin(bundled, pin);
      if (!meant)
        throw invalidBundle(`Version ${pin} of "${bundled.name}" is called, but is not in the bundle.`);
      return [{ bundled, version: meant }];
    });
  sortTopologically(byFqdn, next);
}

/** Orders all versions so that each follows the one before it and the first version of each callee. */
export function importOrder(byFqdn: ByFqdn): Step[] {
  return sortTopologically(byFqdn, ({ bundled, version }) => {
    const before = bundled.versions[version.version - 2];
    const named = version.calls.flatMap((call) => byFqdn.get(splitVersion(call).name) ?? []);
    return [
      ...(before ? [{ bundled, version: before }] : []),
      ...named
        .filter((one) => one !== bundled)
        .map((one) => ({ bundled: one, version: one.versions[0] as BundledVersion })),
    ];
  });
}

/** Orders every version after those that `next` gives for it. Iterative, for a stranger's file decides the depth. */
function sortTopologically(byFqdn: ByFqdn, next: (step: Step) => Step[]): Step[] {
  const done = new Set<BundledVersion>();
  const open = new Set<BundledVersion>();
  const order: Step[] = [];
  const all = [...byFqdn.values()].flatMap((bundled) =>
    bundled.versions.map((version) => ({ bundled, version })),
  );
  for (const start of all) {
    const path: { step: Step; rest: Step[] }[] = [];
    const enter = (step: Step) => {
      if (done.has(step.version)) return;
      if (open.has(step.version)) throw cycleError([...path.map((one) => one.step), step]);
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

function cycleError(path: readonly Step[]): PmlError {
  const last = path.at(-1) as Step;
  const cycle = path.slice(path.findIndex(({ version }) => version === last.version));
  const names = cycle.slice(-SHOWN).map(({ bundled }) => bundled.name);
  return new PmlError('capability_cycle', `Capabilities call each other in a circle: ${names.join(' → ')}`);
}
