import { z } from 'zod';
import { type ExecuteAnswer, type ExecuteInput, MAX_RESULT_BYTES } from '../../execute/index.ts';
import { knownByIntent } from '../discovery/already-remembered.ts';
import { suggest } from '../discovery/suggest.ts';
import { defineTool, type ToolContext } from './define-tool.ts';
import { UNLISTED } from './listed-schema.ts';
import { AnswerWithContent } from './tool-answer.ts';

const TITLE = 'Run code over your tools';
const ABOUT =
  'Run TypeScript over all connected tools: for two or more calls, or long results. Only what it returns comes back, as `result`. Call `await mcp.<server>.<tool>({…})`, then `return`.';
const EXAMPLE =
  "code: const f = await mcp.fs.read_text_file({ path: 'package.json' }); return JSON.parse(f.content).version";
const ANNOTATIONS = {
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
  readOnlyHint: false,
};

const input = z.strictObject({
  intent: z.string().min(1),
  code: z.string().optional(),
  capability: z.string().optional(),
  capability_id: z.string().optional().meta(UNLISTED),
  args: z.record(z.string(), z.unknown()).optional().describe('in code: args.x'),
  name: z.string().optional(),
  options: z
    .strictObject({
      timeout: z.number().int().positive().optional().describe('ms'),
      remember: z.boolean().optional(),
      max_result_bytes: z.int().min(1).max(MAX_RESULT_BYTES).optional(),
      per_layer_validation: z.boolean().optional().meta(UNLISTED),
    })
    .optional(),
});

export const executeTool = defineTool({
  name: 'pml_execute',
  title: TITLE,
  description: `${ABOUT} Success is remembered; a \`name\` makes it a tool. \`capability\`: call one. \`intent\` alone: suggestions.
Example: intent: 'read a version', name: 'pkg:version', ${EXAMPLE}`,
  input,
  isAlwaysLoaded: true,
  annotations: ANNOTATIONS,
  run: executeOrSuggest,
});

/** For agents that may use no capabilities: it neither takes nor mentions them. */
export const executeWithoutCapabilities = defineTool({
  name: executeTool.name,
  title: TITLE,
  description: `${ABOUT} \`intent\` alone: suggestions.
Example: intent: 'read a version', ${EXAMPLE}`,
  input: input.omit({ capability: true, capability_id: true, name: true }),
  isAlwaysLoaded: true,
  annotations: ANNOTATIONS,
  run: executeOrSuggest,
});

async function executeOrSuggest(
  { capability_id, options = {}, ...given }: z.infer<typeof input>,
  context: ToolContext,
): Promise<object> {
  const { per_layer_validation, ...known } = options;
  const sent = { ...given, options: known, capability: given.capability ?? capability_id };
  if (sent.code !== undefined || sent.capability !== undefined) {
    const warnings = per_layer_validation === undefined ? [] : [NO_LAYERS];
    return execute(sent, context, warnings);
  }
  await context.journal.flush();
  return suggest(context, sent.intent);
}

const NO_LAYERS = 'options.per_layer_validation has no effect: PML runs the code as a whole, not in layers.';

/** Runs code or a capability. The answer begins with the warnings, so that the model reads them first. */
async function execute(
  input: ExecuteInput,
  context: ToolContext,
  others: readonly string[],
): Promise<AnswerWithContent> {
  const { config, redactor, executor, caller } = context;
  const { answer, media } = await executor.execute(input, caller, { config, redactor });
  const { warnings: _, ...withoutWarnings } = answer;
  const warnings = [...(await knownBefore(input, context, answer)), ...(answer.warnings ?? []), ...others];
  return new AnswerWithContent(warnings.length > 0 ? { warnings, ...withoutWarnings } : answer, media);
}

/** Names a capability that already does what the code was sent for. */
async function knownBefore(
  input: ExecuteInput,
  context: ToolContext,
  answer: ExecuteAnswer,
): Promise<string[]> {
  // Code with a name is meant to be kept; warnings may already name a capability that makes the same calls.
  if (input.code === undefined || input.name !== undefined || answer.warnings) return [];
  const { log } = context;
  const { intent, args } = input;
  const run = { intent, args, fqdn: answer.capabilityFqdn, toolsUsed: answer.toolsUsed };
  const known = await knownByIntent(context, run).catch((error: Error) => {
    // The run has had its effects, so its result must reach the caller.
    log.error(`cannot search for what is known: ${error.stack}`);
    return undefined;
  });
  return known === undefined ? [] : [known];
}
