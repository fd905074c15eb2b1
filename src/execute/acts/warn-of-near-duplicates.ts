import { isJsonObject } from '../../json.ts';
import { mayChangeWith } from '../../principal.ts';
import type { Callable, Learned } from '../../registry/index.ts';
import { nearDuplicatesOf } from '../../registry/procedures/index.ts';
import { repeatCall } from '../arguments/example-call.ts';
import type { ResolveContext } from '../run/resolve-names.ts';

/** Warns of capabilities that make the same calls as code that was just stored, and shows how to call the first. */
export async function warnOfNearDuplicates(
  { db, names, who }: Pick<ResolveContext, 'db' | 'names' | 'who'>,
  { fqdn }: Pick<Callable, 'fqdn'>,
  { callsHash }: Pick<Learned, 'callsHash'>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const twins = callsHash === undefined ? [] : await nearDuplicatesOf(db, who, fqdn);
  const [first] = twins;
  if (first === undefined) return [];
  const quoted = twins.map((name) => `"${name}"`).join(', ');
  const known = await names.find(who, first);
  // A call that leaves out a value of this run would answer another question.
  const call = known && takesAll(known, given) ? ` Call: ${repeatCall(known, given)}` : '';
  const change = mayChangeWith(who, 'cap_update') ? ', or change it with cap_update,' : '';
  return [
    `This makes the same calls in the same order as ${quoted}. If that does what you need, call it${change} instead of keeping two.${call}`,
  ];
}

function takesAll({ parametersSchema }: Callable, given: Readonly<Record<string, unknown>>): boolean {
  const { properties } = parametersSchema;
  return Object.keys(given).every((name) => isJsonObject(properties) && Object.hasOwn(properties, name));
}

/** Tells that what was sent is a capability already, and which call does what the run did. */
export function sayKnown(
  capability: Callable,
  given: Readonly<Record<string, unknown>>,
  isRecognised: boolean,
): string {
  const known = isRecognised
    ? `This run did the same as the capability "${capability.name}": the same calls, and the same result.`
    : `This code is the capability "${capability.name}".`;
  return `${known} Next time call it instead of sending code: ${repeatCall(capability, given)}`;
}
