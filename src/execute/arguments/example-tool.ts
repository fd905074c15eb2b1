import { isReadOnlyTool } from '../../code/index.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Run } from '../run/run.ts';
import { correctedCall } from './wrong-arguments.ts';

/** A task that programs elsewhere do by a global or a module, and code in the sandbox by a tool. */
interface Purpose {
  /** Words in the names of such tools, the best first. */
  readonly words: readonly string[];
  /** Such a tool has one of these parameters. */
  readonly takes: readonly string[];
  /** Says what to do if no tool does it. */
  readonly otherwise: string;
}

const FILES: Purpose = {
  words: ['read_text_file', 'read_file', 'file'],
  takes: ['path', 'file', 'filename', 'file_path', 'filePath', 'uri'],
  otherwise:
    'No tool here reads files: take the content as `args`, or ask the user to add a server for files.',
};
const WEB: Purpose = {
  words: ['fetch', 'http', 'request', 'download', 'scrape', 'url', 'navigate'],
  takes: ['url', 'urls', 'uri', 'href', 'address'],
  otherwise:
    'No tool here requests addresses: take the data as `args`, or ask the user to add a server that fetches pages.',
};

const PURPOSES: Readonly<Record<string, Purpose>> = {
  fetch: WEB,
  XMLHttpRequest: WEB,
  http: WEB,
  https: WEB,
  axios: WEB,
  got: WEB,
  undici: WEB,
  'node-fetch': WEB,
  fs: FILES,
  require: FILES,
  Deno: FILES,
  Bun: FILES,
};

type ToolUser = Pick<Run, 'who' | 'redactor' | 'tools'>;

/** Shows a call of a tool that does what a global or a module does elsewhere: `await mcp.fs.read({ path: "<path>" })`. */
export function callInsteadOf(run: ToolUser, name: string): string | undefined {
  const { words, takes } = purposeOf(name) ?? { words: [], takes: [] };
  const able = run.tools.entries.filter(({ listed }) =>
    takes.some((key) => Object.hasOwn(propertiesOf(listed.inputSchema), key)),
  );
  for (const word of words) {
    const entry = able.find(({ own }) => own.toLowerCase().includes(word));
    if (entry) return `await ${correctedCall(run, { kind: 'tool', entry })}`;
  }
  return undefined;
}

function purposeOf(name: string): Purpose | undefined {
  return Object.hasOwn(PURPOSES, name) ? PURPOSES[name] : undefined;
}

/** Says how to do without a global that the sandbox lacks; undefined if nothing but its absence can be said. */
export function insteadOfGlobal(run: ToolUser, name: string): string | undefined {
  const call = callInsteadOf(run, name);
  return call === undefined ? purposeOf(name)?.otherwise : `For example \`${call}\`.`;
}

/** Shows a call of some tool, one that only reads if there is one; undefined if the caller has none. */
export function anyCall(run: ToolUser): string | undefined {
  const { entries } = run.tools;
  const harmless = entries.find(({ own, listed }) =>
    isReadOnlyTool({ name: own, annotations: listed.annotations, inputSchema: listed.inputSchema }),
  );
  const entry = harmless ?? entries[0];
  return entry && `await ${correctedCall(run, { kind: 'tool', entry })}`;
}

function propertiesOf(schema: unknown): JsonObject {
  return isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
}
