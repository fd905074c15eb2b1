import type { Problem } from '../../config/index.ts';
import { closest } from '../../edit-distance.ts';
import { showValue } from './schema-problems.ts';

/** The tools of a capability, as far as they are known. */
interface KnownTools {
  key: string;
  tools: readonly string[];
  /** False if nobody has listed the tools yet: any name may then turn out to be right. */
  isListed: boolean;
}

export interface CheckedTools {
  /** The validated list: each name once, in the order of the config. All tools if the config names none. */
  tools: string[];
  problems: Problem[];
}

/** Far above what any server offers. */
const MAX_TOOLS = 100_000;
/** Suggestions compare a name with every tool, so only the first wrong names get one. */
const MAX_SUGGESTIONS = 20;
const MAX_LISTED = 12;

/** Validates the `tools` of a capability's config against the tools that it has. */
export function checkTools(given: unknown, known: KnownTools): CheckedTools {
  if (given === undefined) return { tools: [...known.tools], problems: [] };
  const refuse = (text: string): CheckedTools => ({ tools: [], problems: [{ path: ['tools'], text }] });
  if (!Array.isArray(given)) return refuse(`expected an array of tool names, got ${showValue(given)}`);
  if (given.length > MAX_TOOLS) return refuse(`names ${given.length} tools, more than ${MAX_TOOLS}`);
  const names = new Set(known.tools);
  const tools = new Set<string>();
  const problems: Problem[] = [];
  for (const [at, name] of given.entries()) {
    const text = problemOf(name, names, known, problems.length < MAX_SUGGESTIONS);
    if (text === undefined) tools.add(name);
    else problems.push({ path: ['tools', at], text });
  }
  return { tools: [...tools], problems };
}

function problemOf(
  name: unknown,
  names: ReadonlySet<string>,
  known: KnownTools,
  suggests: boolean,
): string | undefined {
  if (typeof name !== 'string') return `expected the name of a tool, got ${showValue(name)}`;
  if (name === '') return 'must not be empty';
  if (names.has(name)) return undefined;
  if (/[*?]/.test(name)) {
    return `${quoted(name)} looks like a wildcard, and tools are named one by one, so that an agent never gets a tool that nobody chose; leave "tools" out for all`;
  }
  if (!known.isListed) return undefined;
  const near = suggests ? closest(name, known.tools) : undefined;
  if (near !== undefined) return `unknown tool ${quoted(name)}; did you mean "${near}"?`;
  return `unknown tool ${quoted(name)}; ${describeTools(known)}`;
}

function describeTools({ key, tools }: KnownTools): string {
  if (tools.length === 0) return `"${key}" has no tools`;
  const more = tools.length - MAX_LISTED;
  const listed = tools.slice(0, MAX_LISTED).join(', ');
  return `"${key}" has ${listed}${more > 0 ? ` and ${more} more` : ''}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
