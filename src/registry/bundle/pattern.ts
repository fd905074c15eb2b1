import { foldName, hashOf, parse, passedCalls, rewriteReferences, splitVersion } from '../../code/index.ts';
import { hashOfCalls, usesOf } from '../calls.ts';
import type { Pattern } from '../create.ts';
import type { Use } from '../uses.ts';
import { codeOf, isFqdn } from './examine.ts';
import type { CarriedVersion } from './format.ts';
import type { Plan, Surroundings } from './import.ts';

/** Code as it is kept here, with the identity that it would have if it had been learned here. */
export function patternOf(
  version: CarriedVersion,
  local: ReadonlyMap<string, string>,
  { around, byFqdn, budget }: Plan,
): Pattern {
  const code = rewriteReferences(codeOf(version), local);
  const used = version.tools_used.flatMap((name) => {
    // What only a run has shown may not have begun yet.
    if (byFqdn.has(name)) return local.get(name) ?? [];
    return isFqdn(name) ? name : (around.toolOf(name)?.name ?? name);
  });
  const program = parse(code);
  const calls = passedCalls(program, version.parameters_schema);
  const useOf = (name: string) => calledBy(name, version, around);
  const nameOf = (name: string) => (isReference(name) ? undefined : useOf(name)?.callee);
  return {
    code,
    codeHash: hashOf(program, { nameOf }),
    parametersSchema: version.parameters_schema,
    toolsUsed: [...new Set(used)],
    uses: usesOf(calls, useOf),
    budget,
    callsHash: hashOfCalls(calls.map(({ name }) => nameOf(name) ?? name.replace(/@latest$/, ''))),
  };
}

function isReference(name: string): boolean {
  return isFqdn(splitVersion(name).name);
}

/** What a name in code calls. A tool is judged by what it demanded when the code was written, if the bundle says so. */
function calledBy(
  name: string,
  { tools_used, written_for }: CarriedVersion,
  around: Surroundings,
): Omit<Use, 'passed'> | undefined {
  if (isReference(name)) {
    const { name: callee, version = 'latest' } = splitVersion(name);
    return version === 'latest' ? { callee } : undefined;
  }
  const there = tools_used.find((tool) => !isFqdn(tool) && foldName(tool) === foldName(name)) ?? name;
  const schema = Object.hasOwn(written_for, there) ? written_for[there] : undefined;
  return { callee: around.toolOf(name)?.name ?? there, schema };
}
