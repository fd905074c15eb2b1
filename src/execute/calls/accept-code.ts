import { type Functions, runCodeTask, type SentCode } from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { anyCall, callInsteadOf } from '../arguments/example-tool.ts';
import { notAProgram, readJsonCode } from '../arguments/json-tool-call.ts';
import { canonicalName, type ResolveContext, resolveName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

/** Code in the documented spelling, and the code as it was sent. */
export interface AcceptedCode extends SentCode {
  readonly code: string;
}

/**
 * Rewrites the spellings that models use to the documented one, so that code runs, and is remembered, as what it means.
 * `functions` are names that the code may call as functions whatever tools there are.
 */
export async function acceptCode(
  context: ResolveContext & Pick<Run, 'redactor'>,
  source: string,
  functions: Functions = {},
): Promise<AcceptedCode> {
  await refuseJson(context, source);
  const { code, called, objects } = await runCodeTask('accept', source, functions).catch(async (error) => {
    throw await withCorrection(context, source, error);
  });
  const found = await findMeant(context, called, objects);
  if (Object.keys(found).length === 0) return { source, functions, code };
  const all = { ...found, ...functions };
  return { source, functions: all, code: (await runCodeTask('accept', source, all)).code };
}

async function refuseJson(context: ResolveContext & Pick<Run, 'redactor'>, source: string): Promise<void> {
  const sent = readJsonCode(source);
  if (sent === undefined) return;
  if (sent === 'quoted') throw notAProgram(sent, undefined);
  const args = context.redactor.json(sent.args);
  throw notAProgram({ ...sent, args }, await byListedName(context, sent.name));
}

const IMPORTS = /`import` is not available[\s\S]{0,300}?from ["'](?:node:)?([\w@-]{1,60})/;
/** Matches an import of `mcp`, `args` or `pml`, which are globals. */
const IMPORTS_GLOBAL =
  /`import` is not available[\s\S]{0,300}?\| import\s[^"'\n]{0,100}?\b(mcp|args|pml)\b[^"'\n]{0,100}? from /;
const OTHER_LANGUAGE = /^The code is fenced as /;

/** Adds to a syntax error the line that was most likely meant; where the code cannot run here at all, a call that can. */
async function withCorrection(
  context: ResolveContext & Pick<Run, 'redactor'>,
  source: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PmlError) || error.code !== 'syntax_error') return error;
  const present = IMPORTS_GLOBAL.exec(error.message)?.[1];
  if (present !== undefined)
    return new PmlError(error.code, error.message, {
      hint: `Delete that line: \`${present}\` is a global.`,
      cause: error,
    });
  const imported = IMPORTS.exec(error.message)?.[1];
  const isForeign = imported !== undefined || OTHER_LANGUAGE.test(error.message);
  const call = isForeign ? ((imported && callInsteadOf(context, imported)) ?? anyCall(context)) : undefined;
  const correction =
    call === undefined
      ? await runCodeTask('repair', source).catch(() => undefined)
      : `For example \`return ${call}\`.`;
  if (correction === undefined) return error;
  const hint = [error.hint, correction].filter(Boolean).join(' ');
  return new PmlError(error.code, error.message, { hint, cause: error });
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
    if (isServer(context, name)) found[name] = name;
  }
  return found;
}

/** A client may have put the name of its own connection to PML before a listed name: `mcp__pml__mcp__fs__read`. */
const CLIENT_PREFIX = /^mcp__([A-Za-z0-9-]{1,64})__/;

async function byListedName(context: ResolveContext, name: string): Promise<string | undefined> {
  const client = CLIENT_PREFIX.exec(name);
  // The name of a server is no client prefix: the tool after it is that server's.
  const bare = client && !isServer(context, client[1]) ? name.slice(client[0].length) : name;
  const found =
    (await resolveName(context, name)) ?? (bare === name ? undefined : await resolveName(context, bare));
  if (!found) return spellOut(context, bare) ?? spellOut(context, name);
  return found.kind === 'tool' ? canonicalName(found) : found.capability.name;
}

/** Spells out a listed name that nothing has: it is then refused before the code runs, with the name that was meant. */
function spellOut(context: ResolveContext, name: string): string | undefined {
  const listed = name.replace(/^mcp__/, '');
  const [server = '', ...own] = listed.split('__');
  if (own.length === 0 || server === '' || !(listed !== name || isServer(context, server))) return undefined;
  return `${server}:${own.join('__')}`;
}

function isServer({ tools }: ResolveContext, name: string | undefined): boolean {
  return tools.entries.some(({ upstream }) => upstream.name === name);
}

/** A tool by its name alone, if only one server has it. */
function byOwnName({ tools }: ResolveContext, name: string): string | undefined {
  const [entry, other] = tools.entries.filter(({ own }) => own === name);
  return entry && !other ? `${entry.upstream.name}:${entry.own}` : undefined;
}
