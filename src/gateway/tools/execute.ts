import { z } from 'zod';
import {
  DEFAULT_RESULT_BYTES,
  type ExecuteAnswer,
  type ExecuteInput,
  MAX_RESULT_BYTES,
} from '../../execute/index.ts';
import { knownByIntent } from '../discovery/known-by-intent.ts';
import { suggest } from '../discovery/suggest.ts';
import { defineTool, type ToolContext } from './define-tool.ts';
import { AnswerWithContent } from './tool-answer.ts';

export const executeTool = defineTool({
  name: 'pml_execute',
  title: 'Run code over your tools',
  description: `Run TypeScript against all connected tools in a sandbox, in one call. Only what the code returns comes back.

Call tools as \`await mcp.<server>.<tool>({…})\`; use Promise.all for independent calls. \`args\` holds the arguments. Code that
succeeds is remembered as a capability; give it a \`name\` ("namespace:action") to make it a tool of its own.

- \`code\`: run it. Example: \`const a = await mcp.fs.read_text_file({ path: "a.json" }); return JSON.parse(a.content).version;\`
- \`capability\`: call a remembered capability by name, with \`args\`.
- neither: get suggestions of tools and capabilities for the intent, with calls to send.`,
  input: z.strictObject({
    intent: z.string().min(1).describe('What this is for, in a few words'),
    code: z.string().optional().describe('TypeScript: the body of an async function'),
    capability: z.string().optional().describe('Name of a remembered capability'),
    capability_id: z.string().optional().describe('Id of a remembered capability'),
    args: z.record(z.string(), z.unknown()).optional().describe('Arguments, read in code as args.<key>'),
    name: z.string().optional().describe('With code: the name to remember it by'),
    options: z
      .strictObject({
        timeout: z.number().int().positive().optional().describe('Milliseconds the run may take'),
        remember: z.boolean().optional().describe('false: do not remember this code'),
        max_result_bytes: z
          .int()
          .min(1)
          .max(MAX_RESULT_BYTES)
          .optional()
          .describe(
            `How much of a large result to answer, at most ${MAX_RESULT_BYTES}. Default: ${DEFAULT_RESULT_BYTES}`,
          ),
        per_layer_validation: z.boolean().optional().describe('Has no effect'),
      })
      .optional(),
  }),
  annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: true, readOnlyHint: false },
  run: async ({ capability_id, options = {}, ...given }, context) => {
    const { per_layer_validation, ...known } = options;
    const input = { ...given, options: known, capability: given.capability ?? capability_id };
    if (input.code !== undefined || input.capability !== undefined) {
      const warnings = per_layer_validation === undefined ? [] : [NO_LAYERS];
      return execute(input, context, warnings);
    }
    await context.journal.flush();
    return suggest(context, input.intent);
  },
});

const NO_LAYERS = 'options.per_layer_validation has no effect: PML runs the code as a whole, not in layers.';

/** Runs code or a capability. An answer to code begins with what was already remembered for it. */
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

/** Names a capability that does what the code was sent for. */
async function knownBefore(
  input: ExecuteInput,
  context: ToolContext,
  answer: ExecuteAnswer,
): Promise<string[]> {
  // Code that was given a name is meant to stay; code that makes the same calls is named by the answer already.
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
