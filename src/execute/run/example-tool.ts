import { isReadOnlyTool } from '../../code/index.ts';
import { correctedCall } from './check-arguments.ts';
import type { Run } from './run.ts';

const FILES = ['read_text_file', 'read_file', 'file'];
const WEB = ['fetch', 'http', 'request', 'url'];

/** Words in the names of tools that do what a global or a module does elsewhere. */
const DONE_BY: Readonly<Record<string, readonly string[]>> = {
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
  for (const word of Object.hasOwn(DONE_BY, name) ? (DONE_BY[name] ?? []) : []) {
    const entry = run.tools.entries.find(({ own }) => own.toLowerCase().includes(word));
    if (entry) return `await ${correctedCall(run, { kind: 'tool', entry })}`;
  }
  return undefined;
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
