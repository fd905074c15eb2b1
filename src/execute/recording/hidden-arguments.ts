import type { Callable } from '../../registry/index.ts';
import { HIDDEN } from '../../secrets/index.ts';

/**
 * Returns the capability as one that takes any value for the arguments that a recording hides: `[hidden]` stands for a
 * number, too. The code gets `[hidden]` itself, so that its calls match those that were recorded.
 */
export function acceptingHidden<C extends Pick<Callable, 'fqdn' | 'parametersSchema'>>(
  capability: C,
  recorded: object,
): C {
  const hidden = Object.entries(recorded).flatMap(([name, value]) => (holdsHidden(value) ? [name] : []));
  if (hidden.length === 0) return capability;
  const { fqdn, parametersSchema } = capability;
  const properties = { ...parametersSchema.properties };
  for (const name of hidden) if (Object.hasOwn(properties, name)) properties[name] = {};
  // Validators are cached by FQDN, and this schema is not the capability's own.
  const own = `${fqdn} without ${JSON.stringify(hidden)}`;
  return { ...capability, fqdn: own, parametersSchema: { ...parametersSchema, properties } };
}

function holdsHidden(value: unknown): boolean {
  const pending = [value];
  for (let at = 0; at < pending.length; at += 1) {
    const one = pending[at];
    if (typeof one === 'string' && one.includes(HIDDEN)) return true;
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) pending.push(inner);
  }
  return false;
}
