import { foldName, runCodeTask, splitVersion } from '../../code/index.ts';
import type { Pattern } from '../acts/new-version.ts';
import { hashOfCalls } from '../drift/call-hash.ts';
import { type Dependency, dependenciesOf } from '../drift/dependencies.ts';
import { isFqdn } from '../record/fqdn.ts';
import type { BundledVersion } from './bundle-schema.ts';
import type { ImportPlan, LocalTools } from './import-plan.ts';
import { codeOf } from './validate.ts';

/** Adapts bundled code to this registry, with the hash it would have if it had been learned here. */
export async function patternOf(
  version: BundledVersion,
  local: ReadonlyMap<string, string>,
  plan: ImportPlan,
): Promise<Pattern> {
  const names = plan.inCode.get(version.code_sha256) ?? [];
  const meaningOf = calleesOf(version, plan.localTools);
  const canonical = new Map(
    names.flatMap((name) => (isReference(name) ? [] : [[name, meaningOf(name)?.callee ?? name] as const])),
  );
  const { code, codeHash, calls, namesCallees } = await runCodeTask('adapt', codeOf(version), {
    renamed: local,
    canonical,
    parametersSchema: version.parameters_schema,
  });
  return {
    code,
    codeHash,
    namesCallees,
    parametersSchema: version.parameters_schema,
    toolsUsed: toolsUsedBy(version, local, plan),
    dependencies: dependenciesOf(calls, meaningOf),
    budget: plan.budget,
    callsHash: hashOfCalls(calls.map(({ name }) => canonical.get(name) ?? name.replace(/@latest$/, ''))),
  };
}

/** Lists what a version uses, by local names. Capabilities that are not created yet are left out. */
export function toolsUsedBy(
  { tools_used }: BundledVersion,
  local: ReadonlyMap<string, string>,
  { localTools, byFqdn }: Pick<ImportPlan, 'localTools' | 'byFqdn'>,
): string[] {
  const used = tools_used.flatMap((name) => {
    if (byFqdn.has(name)) return local.get(name) ?? [];
    return isFqdn(name) ? name : (localTools.toolOf(name)?.name ?? name);
  });
  return [...new Set(used)];
}

function isReference(name: string): boolean {
  return isFqdn(splitVersion(name).name);
}

/** Tells what names in code call. A tool is judged by its schema when the code was written, if the bundle has it. */
function calleesOf(
  { tools_used, written_for }: BundledVersion,
  localTools: LocalTools,
): (name: string) => Omit<Dependency, 'passed'> | undefined {
  const spelled = new Map(
    tools_used
      .filter((tool) => !isFqdn(tool))
      .map((tool) => [foldName(tool), tool])
      .reverse() as [string, string][],
  );
  const find = (name: string): Omit<Dependency, 'passed'> | undefined => {
    if (isReference(name)) {
      const { name: callee, version = 'latest' } = splitVersion(name);
      return version === 'latest' ? { callee } : undefined;
    }
    const there = spelled.get(foldName(name)) ?? name;
    const schema = Object.hasOwn(written_for, there) ? written_for[there] : undefined;
    return { callee: localTools.toolOf(name)?.name ?? there, schema };
  };
  const known = new Map<string, Omit<Dependency, 'passed'> | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}
