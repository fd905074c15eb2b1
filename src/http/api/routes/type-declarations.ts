import { memberReference, printSignature } from '../../../code/index.ts';
import { isJsonSchema } from '../../../json.ts';
import { defineRoute } from '../route.ts';
import { ToolTypes } from '../schemas/execute.ts';
import { nameOf, type ToolEntry } from '../tool-entry.ts';

/** More tools than a person reads through; the rest is found by search. */
const MAX_TOOLS = 3000;
const MAX_DESCRIPTION = 300;

const GLOBALS = `declare const args: Record<string, any>;
declare const pml: {
  lookup(name: string): Promise<any>;
  query(filter?: object): Promise<any>;
  history(name: string): Promise<any>;
  whois(name: string): Promise<any>;
  result(run: string): Promise<any>;
};`;

export const typesRoute = defineRoute({
  method: 'get',
  path: '/types',
  summary: 'TypeScript declarations of what code can call',
  answer: ToolTypes,
  // Declarations that were cut would not be valid TypeScript.
  maxBytes: 5_000_000,
  run: async (_, { client }) => {
    await client.listsReady();
    const entries = client.directory.tools.entries.slice(0, MAX_TOOLS);
    return { text: `${GLOBALS}\n${declare(entries)}\n`, tools: entries.map(completionOf) };
  },
});

/** Declares `mcp`, one member for each server. */
function declare(entries: readonly ToolEntry[]): string {
  const servers = Map.groupBy(entries, ({ upstream }) => upstream.name);
  const members = Array.from(servers, ([server, tools]) => {
    const lines = tools.map((entry) => `    ${JSON.stringify(entry.own)}${typeOf(entry)};`);
    return `  ${JSON.stringify(server)}: {\n${lines.join('\n')}\n  };`;
  });
  return `declare const mcp: {\n${members.join('\n')}\n};`;
}

/** The parameters and the result: `(args: { path: string }): Promise<unknown>`. */
function typeOf(entry: ToolEntry): string {
  return signatureOf(entry).slice(memberReference(nameOf(entry)).length);
}

function signatureOf(entry: ToolEntry): string {
  const { inputSchema } = entry.listed;
  return printSignature(nameOf(entry), isJsonSchema(inputSchema) ? inputSchema : {});
}

function completionOf(entry: ToolEntry) {
  const { description } = entry.listed;
  return {
    path: memberReference(nameOf(entry)),
    signature: signatureOf(entry),
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION).toWellFormed() : '',
  };
}
