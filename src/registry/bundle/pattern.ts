import { foldName, runCodeTask, splitVersion } from '../../code/index.ts';
import type { Pattern } from '../acts/create.ts';
import { hashOfCalls, usesOf } from '../drift/call-hash.ts';
import type { Use } from '../drift/dependencies.ts';
import type { CarriedVersion } from './format.ts';
import type { Plan, Surroundings } from './import.ts';
import { codeOf, isFqdn } from './validate.ts';

/** Code as it is kept here, with the identity that it would have if it had been learned here. */
export async function patternOf(
  version: CarriedVersion,
  local: ReadonlyMap<string, string>,
  plan: Plan,
): Promise<Pattern> {
  const names = plan.inCode.get(version.code_sha256) ?? [];
  const useOf = calledBy(version, plan.around);
  const canonical = new Map(
    names.flatMap((name) => (isReference(name) ? [] : [[name, useOf(name)?.callee ?? name] as const])),
  );
  const { code, codeHash, calls } = await runCodeTask('adapt', codeOf(version), {
    renamed: local,
    canonical,
    parametersSchema: version.parameters_schema,
  });
  return {
    code,
    codeHash,
    parametersSchema: version.parameters_schema,
    toolsUsed: toolsUsedBy(version, local, plan),
    uses: usesOf(calls, useOf),
    budget: plan.budget,
    callsHash: hashOfCalls(calls.map(({ name }) => canonical.get(name) ?? name.replace(/@latest$/, ''))),
  };
}

/** What a version uses, as it is called here. What only a run has shown may begin after it. */
export function toolsUsedBy(
  { tools_used }: CarriedVersion,
  local: ReadonlyMap<string, string>,
  { around, byFqdn }: Pick<Plan, 'around' | 'byFqdn'>,
): string[] {
  const used = tools_used.flatMap((name) => {
    if (byFqdn.has(name)) return local.get(name) ?? [];
    return isFqdn(name) ? name : (around.toolOf(name)?.name ?? name);
  });
  return [...new Set(used)];
}

function isReference(name: string): boolean {
  return isFqdn(splitVersion(name).name);
}

/** What a name in code calls. A tool is judged by what it demanded when the code was written, if the bundle says so. */
function calledBy(
  { tools_used, written_for }: CarriedVersion,
  around: Surroundings,
): (name: string) => Omit<Use, 'passed'> | undefined {
  const spelled = new Map(
    tools_used
      .filter((tool) => !isFqdn(tool))
      .map((tool) => [foldName(tool), tool])
      .reverse() as [string, string][],
  );
  const find = (name: string): Omit<Use, 'passed'> | undefined => {
    if (isReference(name)) {
      const { name: callee, version = 'latest' } = splitVersion(name);
      return version === 'latest' ? { callee } : undefined;
    }
    const there = spelled.get(foldName(name)) ?? name;
    const schema = Object.hasOwn(written_for, there) ? written_for[there] : undefined;
    return { callee: around.toolOf(name)?.name ?? there, schema };
  };
  const known = new Map<string, Omit<Use, 'passed'> | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}
