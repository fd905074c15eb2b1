import { z } from 'zod';
import { PmlError } from '../../errors.ts';
import type { Caller, Executor } from '../../execute/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { fitAnswer } from './fit-answer.ts';

/** What a tool of PML's own works with. */
export interface ToolContext {
  workspace: Workspace;
  executor: Executor;
  caller: Caller;
}

/** A tool of PML's own. */
export interface PmlTool {
  readonly name: string;
  readonly listed: JsonObject;
  call(args: unknown, context: ToolContext): Promise<JsonObject>;
}

interface Definition<Shape extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Shape;
  annotations: JsonObject;
  run(input: z.infer<Shape>, context: ToolContext): Promise<object>;
}

export function defineTool<Shape extends z.ZodObject>(definition: Definition<Shape>): PmlTool {
  const { name, title, description, input, annotations, run } = definition;
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    listed: { name, title, description, inputSchema, annotations },
    call: async (args, context) => {
      const parsed = input.safeParse(withSnakeKeys(args, input));
      if (!parsed.success) throw new PmlError('invalid_arguments', describe(name, parsed.error));
      return ownAnswer(await run(parsed.data, context));
    },
  };
}

/** The answer as structured content, and the same as text for clients that read only that. */
export function answerWith(answer: object): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** As `answerWith`, for what PML itself says: bounded, whatever is stored or was sent. Results of code have their own limit. */
function ownAnswer(answer: object): JsonObject {
  if (!('result' in answer)) return answerWith(fitAnswer(answer));
  const { result, ...rest } = answer;
  return answerWith({ ...fitAnswer(rest), result });
}

/** A failure as a tool's result, so that the model reads what went wrong and what to do. */
export function errorAnswer({ code, message, hint }: PmlError): JsonObject {
  return {
    isError: true,
    ...ownAnswer({ status: 'error', error: { code, message, ...(hint && { hint }) } }),
  };
}

/** Keys are snake_case; the camelCase spelling of a known key is taken for it. */
function withSnakeKeys(value: unknown, shape: z.ZodObject): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const known = !(key in shape.shape) && snake in shape.shape ? snake : key;
      const field = unwrapped(shape.shape[known]);
      return [known, field instanceof z.ZodObject ? withSnakeKeys(inner, field) : inner];
    }),
  );
}

function unwrapped(field: unknown): unknown {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault ? unwrapped(field.unwrap()) : field;
}

const LONGEST_PROBLEMS = 2000;

/** What is wrong may quote all that was given. */
function describe(tool: string, error: z.ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `"${path.join('.')}": ${message}` : message,
  );
  const text = problems.join('; ');
  const shown = text.length > LONGEST_PROBLEMS ? `${text.slice(0, LONGEST_PROBLEMS)}…` : text;
  return `Wrong arguments for ${tool}: ${shown}`;
}
