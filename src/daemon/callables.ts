import type { NameIndex } from '../access/index.ts';
import { suggestNames } from '../code/index.ts';
import { PmlError } from '../errors.ts';
import { isJsonSchema, type JsonSchema } from '../json.ts';
import type { Principal } from '../principal.ts';
import { find, schemaShownTo } from '../registry/index.ts';
import { currentAndFormerNames, retiredHint, someNames } from '../registry/names/index.ts';
import type { Queryable } from '../store/index.ts';

/** A tool or capability that `pml run` can call, with the schema of its arguments. */
export interface CallableEntry {
  kind: 'tool' | 'capability';
  name: string;
  schema: JsonSchema;
}

interface Reader {
  db: Queryable;
  who: Principal;
}

interface Finder extends Reader {
  /** Returns the error for a name that is not found because its server is down, starting or disabled. */
  whyMissing: (name: string) => PmlError | undefined;
}

const MAX_NAMES = 5000;

/** Finds the tool or capability that a name means. A tool with exactly this name wins over a capability. */
export async function findCallable(
  { db, who, whyMissing }: Finder,
  tools: NameIndex,
  name: string,
): Promise<CallableEntry> {
  const exact = tools.has(name) ? tools.find(name) : undefined;
  const capability = exact ? undefined : await find(db, who, name);
  // The name is kept as it was given: it may pin a version.
  if (capability) return { kind: 'capability', name, schema: schemaShownTo(who, capability) };
  const tool = exact ?? tools.lookup(name);
  if (!tool) throw whyMissing(name) ?? (await unknownName({ db, who }, tools, name));
  const { inputSchema } = tool.listed;
  return {
    kind: 'tool',
    name: `${tool.upstream.name}:${tool.own}`,
    schema: isJsonSchema(inputSchema) ? inputSchema : {},
  };
}

/** Lists the names of tools and capabilities that can be called, the most used capabilities first. */
export async function callableNames(
  { db, who }: Reader,
  tools: NameIndex,
): Promise<{ tools: string[]; capabilities: string[] }> {
  return { tools: toolNames(tools), capabilities: await someNames(db, who, MAX_NAMES) };
}

async function unknownName({ db, who }: Reader, tools: NameIndex, name: string): Promise<PmlError> {
  const known = [...(await currentAndFormerNames(db, who, MAX_NAMES)), ...toolNames(tools)];
  const similar = suggestNames(name, known).map((one) => `"${one}"`);
  const hint =
    (await retiredHint(db, who, name)) ??
    (similar.length > 0
      ? `Did you mean ${similar.join(' or ')}?`
      : 'pml list shows the capabilities, pml discover finds tools by what they do.');
  return new PmlError('capability_not_found', `Capability not found: ${name}`, { hint });
}

function toolNames({ entries }: NameIndex): string[] {
  return entries.slice(0, MAX_NAMES).map(({ upstream, own }) => `${upstream.name}:${own}`);
}
