import { memberReference } from '../../code/index.ts';
import { isJsonSchema } from '../../json.ts';
import { toolName } from '../../registry/index.ts';
import { HIDDEN } from '../../secrets/index.ts';
import { storedText } from '../../stored-texts.ts';
import type { Found } from '../../workspace/index.ts';
import { fillArguments } from './fill-arguments.ts';
import type { FinderContext } from './finder-context.ts';
import { plainLine } from './suspicious-text.ts';

/** A call that can be sent once the missing arguments are added. */
export interface ReadyCall {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

export interface ReadyCallAnswer {
  call: ReadyCall;
  /** Required arguments that the intent does not state. */
  missing?: readonly string[];
}

const MAX_INTENT = 80;

/** Writes the call of a result, with the arguments that the intent states plainly. */
export function readyCall(context: FinderContext, found: Found, intent: string): ReadyCallAnswer {
  // Secrets are not repeated: the caller fills them in.
  const plain = storedText('intent', intent, context.redactor).replaceAll(HIDDEN, ' ');
  const schema = found.kind === 'tool' ? found.tool.listed.inputSchema : found.capability.parametersSchema;
  const { args, missing } = fillArguments(isJsonSchema(schema) ? schema : {}, plain);
  return { call: callOf(context, found, args, plain), ...(missing.length > 0 && { missing }) };
}

/** Calls listed tools and capabilities by name, all others through `pml_execute`. */
function callOf(
  { config: { expose, names }, unlistedServers }: FinderContext,
  found: Found,
  args: Readonly<Record<string, unknown>>,
  intent: string,
): ReadyCall {
  const asked = plainLine(intent, MAX_INTENT);
  if (found.kind === 'capability') {
    const { isListed, listedName, callName } = found.capability;
    if (isListed && expose.capabilities === 'all') {
      return { name: toolName(listedName, names.listed), arguments: args };
    }
    return { name: 'pml_execute', arguments: { intent: asked, capability: callName, args } };
  }
  const { listed, upstream, own } = found.tool;
  if (!unlistedServers.has(upstream.name)) return { name: String(listed.name), arguments: args };
  const code = `return await ${memberReference(`${upstream.name}:${own}`)}(${JSON.stringify(args)})`;
  return { name: 'pml_execute', arguments: { intent: asked, code } };
}
