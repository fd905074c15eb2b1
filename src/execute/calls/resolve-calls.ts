import {
  type LiteralCall,
  type McpReference,
  type PreparedCode,
  referenceText,
  splitVersion,
  suggestNames,
} from '../../code/index.ts';
import { PmlError } from '../../errors.ts';
import { retiredHint } from '../../registry/names/index.ts';
import { assertArguments, correctedCall } from '../arguments/wrong-arguments.ts';
import {
  candidateNames,
  displayName,
  type ResolvedName,
  resolveName,
  resolveStaticNames,
} from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

const MAX_NAMES = 20;

/** Resolves the names that code states, and checks the arguments that it spells out, before anything runs. */
export async function resolveCalls(
  run: Run,
  code: string,
  { references, calls }: Pick<PreparedCode, 'references' | 'calls'>,
): Promise<ReadonlyMap<string, ResolvedName>> {
  const hintFor = async (name: string, similar: readonly string[]) =>
    (await passedNameHint(run, code, references, name)) ?? hintForUnknown(run, name, similar, calls);
  const resolved = await resolveStaticNames(run, references, hintFor).catch(async (error) => {
    throw await withCurrentVersion(run, references, calls, error);
  });
  assertArguments(run, calls, resolved);
  return resolved;
}

/** Adds a hint to the error for a version that does not exist: the same call of the current version. */
async function withCurrentVersion(
  run: Run,
  references: readonly McpReference[],
  calls: readonly LiteralCall[],
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PmlError) || error.code !== 'version_not_found') return error;
  for (const { name = '' } of references) {
    const { name: bare } = splitVersion(name);
    const callee = bare === name ? undefined : await resolveName(run, bare).catch(() => undefined);
    if (callee?.kind !== 'capability' || !error.message.endsWith(` for ${callee.capability.name}`)) continue;
    const written = correctedCall(
      run,
      callee,
      calls.find((one) => one.name === name),
    );
    const hint = `Write \`await ${written}\` for the current version. ${error.hint ?? ''}`.trimEnd();
    return new PmlError(error.code, error.message, { hint, cause: error });
  }
  return error;
}

/** Shows the call that was most likely meant, else which tools or servers there are. */
async function hintForUnknown(
  run: Run,
  name: string,
  [first]: readonly string[],
  calls: readonly LiteralCall[],
): Promise<string> {
  const retired = await retiredHint(run.db, run.who, name);
  if (retired !== undefined) return `${retired} Nothing has run.`;
  const callee = first === undefined ? await innerCapability(run, name) : await resolveName(run, first);
  if (callee) {
    const call = calls.find((one) => one.name === name);
    return `Write \`await ${correctedCall(run, callee, call)}\`. Nothing has run.`;
  }
  const server = name.split(':')[0] ?? '';
  const own = run.tools.entries.filter(({ upstream }) => upstream.name === server);
  const names =
    own.length > 0 ? own.map((one) => one.own) : run.tools.entries.map(({ upstream }) => upstream.name);
  const listed = firstNames([...new Set(names)]);
  const what = own.length > 0 ? `The tools of ${server}` : 'The servers';
  return `${what}: ${listed}. Find what you need with \`${discoverCall(name, own.length > 0)}\`.`;
}

const PASSED_NAME = /^(["'`])([\w:.-]{1,200})\1$/;
const MAX_ARGUMENT = 300;

/** `mcp.callTool("fs", "read", { … })` means `mcp.fs.read({ … })`. */
async function passedNameHint(
  run: Run,
  code: string,
  references: readonly McpReference[],
  name: string,
): Promise<string | undefined> {
  const { args = [] } = references.find((one) => one.name === name && one.keys.length === 1) ?? {};
  const texts = args.map(({ start, end }) => code.slice(start, end));
  const [first, second] = texts.map((text) => PASSED_NAME.exec(text)?.[2]);
  if (first === undefined) return undefined;
  const [meant, given] = second === undefined ? [first, texts[1]] : [`${first}:${second}`, texts[2]];
  const callee = await resolveName(run, meant);
  if (!callee) return undefined;
  const isShort = (given?.length ?? 0) <= MAX_ARGUMENT && !given?.includes('`');
  const call = `${referenceText(displayName(callee))}(${isShort ? (given ?? '') : '{ … }'})`;
  return `Write \`await ${run.redactor.text(call)}\`. Nothing has run.`;
}

/** `mcp__fs__text__upper` may mean the capability text:upper: some models put a server before every name. */
async function innerCapability(run: Run, name: string): Promise<ResolvedName | undefined> {
  const inner = name.slice(name.indexOf(':') + 1);
  return inner.includes('__') ? resolveName(run, inner.replace('__', ':')) : undefined;
}

const MAX_INTENT = 100;

/** The call that searches for the words of an unknown name. */
function discoverCall(name: string, isOfServer: boolean): string {
  const [server = '', ...own] = name.split(':');
  const words = (isOfServer ? own : [server, ...own]).join(' ').replace(/[_-]+/g, ' ');
  const intent = words.slice(0, MAX_INTENT).trim();
  return `pml_discover(${JSON.stringify({ intent, ...(isOfServer && { server }) })})`;
}

function firstNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ') || 'none'}${more}`;
}

const MAX_COMPARED = 200;

/** Adds a hint to the error for an unknown capability: it is a tool, it is retired, or another name was meant. */
export async function withSuggestion(run: Run, name: string, error: unknown): Promise<unknown> {
  if (!(error instanceof PmlError) || error.code !== 'capability_not_found') return error;
  const hint =
    toolHint(run, name) ??
    error.hint ??
    (await retiredHint(run.db, run.who, name)) ??
    (await similarHint(run, name));
  return hint === undefined ? error : new PmlError(error.code, error.message, { hint, cause: error });
}

function toolHint({ tools }: Run, name: string): string | undefined {
  const entry = tools.has(name) ? tools.lookup(name) : undefined;
  if (!entry) return undefined;
  const call = `await ${referenceText(displayName({ kind: 'tool', entry }))}({ … })`;
  return `"${name}" is a tool of ${entry.upstream.name}: call it in code, as \`${call}\`.`;
}

async function similarHint(run: Run, name: string): Promise<string | undefined> {
  // The time to compare two names grows with the square of their length.
  if (name.length > MAX_COMPARED) return undefined;
  const similar = suggestNames(name, await candidateNames(run));
  return similar.length > 0 ? `Did you mean ${similar.map((one) => `"${one}"`).join(' or ')}?` : undefined;
}
