import { createHash } from 'node:crypto';
import type { CallWithArguments } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import type { Use } from './dependencies.ts';

/** Calls of one tool that pass different things; the last stands for all that follow. */
const MOST_CALLS = 20;

/** What the code itself calls by name: `useOf` tells what a name means, and nothing for what is not to be judged. */
export function usesOf(
  calls: readonly CallWithArguments[],
  useOf: (name: string) => Omit<Use, 'passed'> | undefined,
): Use[] {
  const uses = new Map<string, Use & { passed: JsonSchema[] }>();
  const seen = new Set<string>();
  for (const { name, passed } of calls) {
    const meant = useOf(name);
    if (!meant) continue;
    const { callee, schema } = meant;
    const use = uses.get(callee) ?? { callee, schema, passed: [] };
    // Of a capability only whether it is stale itself matters: its own parameters are checked with each call.
    if (schema && use.passed.length < MOST_CALLS) {
      const shape = use.passed.length < MOST_CALLS - 1 ? passed : {};
      const text = `${callee}\n${JSON.stringify(passed)}`;
      if (!seen.has(text)) use.passed.push(shape);
      seen.add(text);
    }
    uses.set(callee, use);
  }
  return [...uses.values()];
}

/** The same for code that differs only in the text around its calls. One call alone is too often the same to tell anything. */
export function hashOfCalls(callees: readonly string[]): string | undefined {
  if (callees.length < 2) return undefined;
  return createHash('sha256').update(callees.join('\n')).digest('hex');
}
