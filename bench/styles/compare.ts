import type { AnyWorld } from './answers.ts';
import type { Project } from './bed.ts';
import { behaviourOf, difference } from './behaviour.ts';
import { behaviourIn } from './direct-run.ts';

const TRIES = 3;

/** Says how a capability differs from a program in a world; undefined if both do the same. */
export async function differenceIn(
  world: AnyWorld,
  project: Project,
  { fqdn, args, program }: { fqdn: string; args: Record<string, unknown>; program: string },
): Promise<string | undefined> {
  const expected = [await behaviourIn(world, program)];
  let ran = await project.call(world, fqdn, args);
  // A failed run ends while calls beside the failed one are on their way: some of them arrive, some do not.
  for (let at = 0; at < TRIES && !expected.includes(behaviourOf(ran)); at++) {
    expected.push(behaviourOf(await project.run(world, program)));
    ran = await project.call(world, fqdn, args);
  }
  const got = behaviourOf(ran);
  if (expected.includes(got)) return undefined;
  const failed = ran.failure === undefined ? '' : ` (${ran.failure.slice(0, 200)})`;
  return `${world}, ${JSON.stringify(args)}: ${difference(expected[0] as string, got)}${failed}`;
}
