import { confidenceOf } from './confidence.ts';
import type { IsTaken, Nameable, NamingStyle, Suggestion } from './nameable.ts';
import { readIntent } from './read-intent.ts';

/** Suggests a name, a description and tags for each capability, without a model. */
export function suggestNames(capabilities: readonly Nameable[], taken: IsTaken, style: NamingStyle): Suggestion[] {
  return capabilities.map((capability) => {
    const { verb, target } = readIntent(capability.intent, Object.keys(capability.parameters.properties ?? {}));
    const name = `util:${[...(verb ? [verb] : []), ...target].join('-').replaceAll('-', style.separator)}`.slice(0, 48);
    const { id, intent: description } = capability;
    return { id, name, description, tags: [], parameterDescriptions: {}, ...confidenceOf(name, capability, taken) };
  });
}
