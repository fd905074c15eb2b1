import { type Functions, runCodeTask, type SentCode } from '../../code/index.ts';
import { canonicalName, type ResolveContext, resolveName } from './resolve-names.ts';

/** Code in the documented spelling, and the code as it was sent. */
export interface AcceptedCode extends SentCode {
  readonly code: string;
}

/**
 * Rewrites code as models write it in the documented spelling, so that it runs, and is remembered, as what it means.
 * `functions` are names that the code may call as functions whatever tools there are.
 */
export async function acceptCode(
  context: ResolveContext,
  source: string,
  functions: Functions = {},
): Promise<AcceptedCode> {
  const { code, called, objects } = await runCodeTask('accept', source, functions);
  const found = await findMeant(context, called, objects);
  if (Object.keys(found).length === 0) return { source, functions, code };
  const all = { ...found, ...functions };
  return { source, functions: all, code: (await runCodeTask('accept', source, all)).code };
}

/** Finds the tools, capabilities and servers that unbound names stand for. */
async function findMeant(
  context: ResolveContext,
  called: readonly string[],
  objects: readonly string[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of called) {
    const meant = name.includes('__') ? await byListedName(context, name) : byOwnName(context, name);
    if (meant !== undefined) found[name] = meant;
  }
  for (const name of objects) {
    if (context.tools.entries.some(({ upstream }) => upstream.name === name)) found[name] = name;
  }
  return found;
}

/** A client may have put the name of its own connection to PML before a listed name: `mcp__pml__mcp__fs__read`. */
const CLIENT_PREFIX = /^mcp__[A-Za-z0-9-]{1,64}__/;

async function byListedName(context: ResolveContext, name: string): Promise<string | undefined> {
  const found =
    (await resolveName(context, name)) ?? (await resolveName(context, name.replace(CLIENT_PREFIX, '')));
  if (!found) return undefined;
  return found.kind === 'tool' ? canonicalName(found) : found.capability.name;
}

/** A tool by its name alone, if only one server has it. */
function byOwnName({ tools }: ResolveContext, name: string): string | undefined {
  const [entry, other] = tools.entries.filter(({ own }) => own === name);
  return entry && !other ? `${entry.upstream.name}:${entry.own}` : undefined;
}
