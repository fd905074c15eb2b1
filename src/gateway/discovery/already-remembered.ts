import { repeatCall } from '../../execute/index.ts';
import { storedText } from '../../stored-texts.ts';
import { clearMatch } from './clear-match.ts';
import { fillArguments } from './fill-arguments.ts';
import { type FinderContext, searcherOf } from './finder-context.ts';

/** A run of code that the client sent. */
interface SentRun {
  intent: string;
  args: Readonly<Record<string, unknown>> | undefined;
  /** The capability that the code became, or was. */
  fqdn: string | undefined;
  /** `server:tool`, or names of capabilities. */
  toolsUsed: readonly string[];
}

const LOOKED_AT = 5;

/** Returns a hint that a capability already does what sent code is for; undefined if none clearly does. */
export async function knownByIntent(context: FinderContext, run: SentRun): Promise<string | undefined> {
  const intent = storedText('intent', run.intent);
  const query = { intents: [intent], limit: LOOKED_AT, kind: 'capability' } as const;
  const { found } = await context.search.search(searcherOf(context), query);
  const others = found.filter((one) => one.kind === 'capability' && one.capability.fqdn !== run.fqdn);
  const match = clearMatch(others, intent)?.capability;
  // A capability with other tools does something else, however similar the words.
  if (!match || !sharesTools(match.toolsUsed, run.toolsUsed)) return undefined;
  const given = { ...fillArguments(match.parametersSchema, intent).args, ...run.args };
  const call = repeatCall({ ...match, name: match.callName }, context.redactor.json(given));
  return `"${match.callName}" is remembered for this intent. Next time call it instead of writing code: ${call}`;
}

function sharesTools(known: readonly string[], used: readonly string[]): boolean {
  if (known.length === 0 || used.length === 0) return known.length === used.length;
  return known.some((name) => used.includes(name));
}
