import { confidenceOf } from './confidence.ts';
import type { IsTaken, Nameable, NamingStyle, Suggestion } from './nameable.ts';

/** Suggests a name, a description and tags for each capability, without a model. */
export function suggestNames(
  capabilities: readonly Nameable[],
  taken: IsTaken,
  _style: NamingStyle,
): Suggestion[] {
  return capabilities.map((capability) => {
    const name = `util:${capability.currentName.replace(/[^A-Za-z0-9_]/g, '_')}`.slice(0, 48);
    const { id, intent: description } = capability;
    return {
      id,
      name,
      description,
      tags: [],
      parameterDescriptions: {},
      ...confidenceOf(name, capability, taken),
    };
  });
}
