import { z } from 'zod';

/**
 * Keys that other MCP clients write into a server entry and that PML may ignore: they steer that client's own
 * prompts, display or bookkeeping, and the server works the same without them.
 */
export const IGNORED_KEYS = {
  autoApprove: 'Cline, Kiro: calls it runs without asking.',
  alwaysAllow: 'Roo Code, Kilo Code: calls it runs without asking.',
  trust: 'Gemini CLI: calls it runs without asking.',
  timeout:
    'Milliseconds in Claude Code and Gemini CLI, seconds in Cline and Roo Code; write pml.timeoutMs instead.',
  description: 'Gemini CLI: a text about the server.',
  alwaysLoad: 'Claude Code: do not defer the tools of this server.',
  watchPaths: 'Roo Code: files that restart the server.',
  dev: 'VS Code: development mode.',
  gallery: 'VS Code: where the server was installed from.',
  version: 'VS Code: the version that was installed.',
  metadata: 'Cline: bookkeeping.',
  remoteConfigured: 'Cline: bookkeeping.',
  _meta: 'Registries: bookkeeping.',
} as const;

/**
 * Keys that other MCP clients write and that PML must not ignore, with what to do instead: without them the server
 * would offer more than its owner meant, or not connect at all.
 */
export const REFUSED_KEYS: Readonly<Record<string, string>> = {
  tools: 'write the names of the allowed tools in "pml": { "tools": [...] }', // Copilot CLI
  includeTools: 'write the names of the allowed tools in "pml": { "tools": [...] }', // Gemini CLI
  excludeTools: 'PML has a list of allowed tools alone: "pml": { "tools": [...] }', // Gemini CLI
  disabledTools: 'PML has a list of allowed tools alone: "pml": { "tools": [...] }', // Windsurf, Roo Code
  serverUrl: 'write "url"', // Windsurf
  httpUrl: 'write "url"', // Gemini CLI
  transport: 'write "type", "command" and "url" in the entry itself', // Cline CLI
  transportType: 'write "type"', // Cline, older
  headersHelper: `PML runs no helper; write "headers", with \${VAR} for a secret`, // Claude Code
  oauth: `PML does not sign in for you; write a token in "headers", with \${VAR}`, // Claude Code, VS Code, Cline
  auth: `PML does not sign in for you; write a token in "headers", with \${VAR}`, // Cursor, Copilot CLI
  sandboxEnabled: 'PML does not sandbox server processes', // VS Code
};

/** Keys of another client's whole file, with PML's word for them. */
export const REFUSED_TOP_KEYS: Readonly<Record<string, string>> = {
  servers: 'write "mcpServers"', // VS Code
  inputs: `PML asks for nothing; write \${VAR} where a value is secret`, // VS Code
};

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export function isServerName(name: string): boolean {
  return NAME.test(name);
}

// Dots separate the parts of a capability's full name, so a part may not hold one.
const scopeName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, "_" or "-"' });
const text = z.string().min(1);
// Longer waits overflow Node's timers, which then fire at once.
const milliseconds = z.int().min(1).max(2_147_483_647);

const routing = z.enum(['local', 'cloud']);

const pmlEntry = z.strictObject({
  routing: routing
    .optional()
    .describe('Where capabilities that use this server run. Default: local for a command, cloud for a url.'),
  perSession: z
    .boolean()
    .default(false)
    .describe('A connection of its own for every session, for servers that keep state, such as a browser.'),
  timeoutMs: milliseconds.default(60_000).describe('How long a call may stay without answer or progress.'),
  tools: z
    .array(text)
    .optional()
    .describe("The server's own names of the tools to offer. Default: all of them."),
  prefix: z
    .boolean()
    .default(true)
    .describe("List this server's tools as mcp__<server>__<tool>; false lists them under their own names."),
});

const ignored = Object.fromEntries(
  Object.entries(IGNORED_KEYS).map(([key, why]) => [
    key,
    z.unknown().optional().describe(`Ignored by PML. ${why}`),
  ]),
);

export const serverEntry = z.strictObject({
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'])
    .optional()
    .describe('How to talk to the server. Default: stdio with a command, http with a url.'),
  command: text
    .optional()
    .describe(`The program that is the server. \${VAR} and \${VAR:-default} are expanded.`),
  args: z.array(z.string()).optional().describe(`Its arguments. \${VAR} and \${VAR:-default} are expanded.`),
  env: z
    .record(z.string().regex(/^[^=\0]+$/, { error: 'is not a name for a variable' }), z.string())
    .optional()
    .describe(`Variables for the program. \${VAR} and \${VAR:-default} are expanded.`),
  envFile: text.optional().describe('A .env file with more variables for the program; "env" wins.'),
  cwd: text.optional().describe("The program's working directory. Default: the folder of this file."),
  url: text.optional().describe(`The address of a remote server. \${VAR} and \${VAR:-default} are expanded.`),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe(`HTTP headers for a remote server. \${VAR} and \${VAR:-default} are expanded.`),
  disabled: z.boolean().default(false).describe('Leave this server out.'),
  pml: pmlEntry.prefault({}).describe('What PML alone knows about a server.'),
  ...(ignored as Record<keyof typeof IGNORED_KEYS, z.ZodOptional<z.ZodUnknown>>),
});
export type ServerEntry = z.infer<typeof serverEntry>;

const exposeParts = z.strictObject({
  upstream: z.enum(['all', 'none']).default('all').describe('List the tools of the servers.'),
  capabilities: z
    .union([z.enum(['all', 'none']), z.int().min(0)])
    .default('all')
    .describe('List the named capabilities: all, none, or this many of the most used.'),
});

const agentEntry = z.strictObject({
  systemPrompt: z.string().optional().describe('What the agent is told first.'),
  model: text.optional().describe('The model it runs on.'),
  capabilities: z
    .record(
      z.string(),
      z.looseObject({ tools: z.array(text).optional().describe('The only tools it may use. Default: all.') }),
    )
    .default({})
    .describe(
      'All that the agent may use, by server or capability name. What is not listed it does not have.',
    ),
});

/** The whole of pml.json. The JSON Schema for editors is generated from it. */
export const fileShape = z.strictObject({
  $schema: z.string().optional().describe('The JSON Schema of this file, for editors.'),
  mcpServers: z
    .record(z.string().regex(NAME, { error: 'bad name' }), serverEntry)
    .default({})
    .describe('The MCP servers behind PML, in the form every MCP client uses.'),
  scope: z
    .strictObject({
      org: scopeName.default('local').describe('Default for PML_ORG.'),
      project: scopeName.default('default').describe('Default for PML_PROJECT.'),
      admins: z
        .array(text)
        .default([])
        .describe(
          'Users who may change what others made in this scope. Everyone else changes only their own.',
        ),
    })
    .prefault({})
    .describe('Where capabilities of this workspace live.'),
  expose: z
    .union([z.enum(['all', 'lean']), exposeParts])
    .default('all')
    .describe('What tools/list shows: all, lean (the PML tools alone), or each part by itself.'),
  sandbox: z
    .strictObject({
      timeoutMs: milliseconds.default(30_000).describe('How long one run may take.'),
      memoryMb: z.int().min(8).max(65_536).default(128).describe('How much memory one run may use.'),
      concurrency: z
        .int()
        .min(1)
        .max(1024)
        .default(8)
        .describe(
          'How many runs may go on at once; a session that has none may start one more. Of workspaces that are open together, the largest counts.',
        ),
    })
    .prefault({})
    .describe('Limits of the sandbox that runs code.'),
  curation: z
    .strictObject({
      model: text.default('haiku').describe('The model that refines suggested names.'),
      threshold: z.int().min(1).default(10).describe('How many unnamed capabilities call for a curation.'),
      auto: z.boolean().default(false).describe('Apply suggestions without asking.'),
      minConfidence: z
        .number()
        .min(0)
        .max(1)
        .default(0.8)
        .describe('Below this, a suggestion is not applied.'),
    })
    .prefault({})
    .describe('How unnamed capabilities get their names.'),
  names: z
    .strictObject({
      reserveDays: z.int().min(0).max(36_500).default(30).describe('How long a retired name stays reserved.'),
    })
    .prefault({})
    .describe('Rules for names.'),
  lifecycle: z
    .strictObject({
      unusedDays: z
        .int()
        .min(0)
        .max(36_500)
        .nullable()
        .default(90)
        .describe(
          'A capability that was not used for so many days leaves the list until it is called. 0: never.',
        ),
      minSuccessRate: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .default(0.5)
        .describe(
          'One whose recent calls succeed less often leaves the list until a call succeeds. 0: never.',
        ),
      minCalls: z
        .int()
        .min(0)
        .max(20)
        .nullable()
        .default(5)
        .describe(
          'Of the last 20 calls, so many must be known before they count against it. 0: they never do.',
        ),
    })
    .prefault({})
    .describe('When capabilities leave the list of tools. They stay callable, and cap_stats tells why.'),
  agents: z
    .record(z.string().regex(NAME, { error: 'bad name' }), agentEntry)
    .default({})
    .describe('Agents, by name, and what each may use.'),
});
export type FileShape = z.infer<typeof fileShape>;

/** The JSON Schema of pml.json. */
export function jsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(fileShape, { io: 'input', target: 'draft-7' });
  return { $schema, title: 'pml.json', description: 'The configuration of PML.', ...schema };
}
