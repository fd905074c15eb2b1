import { chooseAction } from './action.ts';
import { composeAction, isValidName, namelessAction } from './compose.ts';
import { judge } from './confidence.ts';
import { describe, describeParameters, tagsFor } from './describe.ts';
import type { IsTaken, Nameable, NamingStyle, Suggestion } from './nameable.ts';
import { namespaceFor, usedTools } from './namespace.ts';
import { DEFAULT_NAMESPACE } from './namespace-table.ts';
import { variantsOf } from './variants.ts';

/**
 * Suggests a name, a description and tags for each capability, without a model. The names differ from each other and from
 * those that are taken; the same capabilities in the same order get the same names.
 */
export function suggestNames(
  capabilities: readonly Nameable[],
  taken: IsTaken,
  style: NamingStyle,
): Suggestion[] {
  const given = new Set<string>();
  const isTaken = (name: string) => given.has(foldSpelling(name)) || taken(name);
  // With every name taken, a number keeps the names of one batch apart; its confidence says that it is taken.
  const lastResort = (namespace: string) => `${namespace}:procedure${style.separator}${given.size + 1}`;
  return capabilities.map((capability) => {
    const suggestion = suggestOne(capability, isTaken, style, lastResort);
    given.add(foldSpelling(suggestion.name));
    return suggestion;
  });
}

function suggestOne(
  capability: Nameable,
  taken: IsTaken,
  style: NamingStyle,
  lastResort: (namespace: string) => string,
): Suggestion {
  const tools = usedTools(capability.toolsUsed);
  const inferred = namespaceFor(tools, style);
  // A server may be named like a secret.
  const namespace = isValidName(`${inferred}:x`) ? inferred : DEFAULT_NAMESPACE;
  const action = chooseAction(capability, tools);
  const plain = composeAction(action, style);
  const name = freeName(namespace, candidates(), taken) ?? lastResort(namespace);
  return {
    id: capability.id,
    name,
    description: describe(capability, action, tools),
    tags: tagsFor(namespace, action, tools),
    parameterDescriptions: describeParameters(capability),
    ...judge(name, capability, taken, plain !== '' && name !== `${namespace}:${plain}`),
  };

  function* candidates(): Generator<string> {
    if (plain !== '') {
      yield plain;
      yield* variantsOf(action, capability, tools, style);
    }
    for (let length = 6; length <= 32; length++) yield namelessAction(capability.code, style, length);
  }
}

function freeName(namespace: string, candidates: Iterable<string>, taken: IsTaken): string | undefined {
  for (const action of candidates) {
    const name = `${namespace}:${action}`;
    if (action !== '' && isValidName(name) && !taken(name)) return name;
  }
  return undefined;
}

/** Spellings that differ only in case and separators are one name to a reader. */
function foldSpelling(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
