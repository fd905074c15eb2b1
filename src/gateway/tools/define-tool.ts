import { z } from 'zod';
import type { ModelAccess } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import type { Executor } from '../../execute/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Log } from '../../log.ts';
import type { Keys } from '../../registry/index.ts';
import type { Journal } from '../../runs/index.ts';
import type { ScopedConfig } from '../../workspace/index.ts';
import type { FinderContext } from '../discovery/finder-context.ts';
import { listedSchema } from './listed-schema.ts';
import { withSimilarName } from './similar-name-hint.ts';
import { boundedAnswer } from './tool-answer.ts';

/** The dependencies of a tool of PML's own. */
export interface ToolContext extends FinderContext {
  keys: Keys;
  config: ScopedConfig;
  /** How models can be reached. */
  models: ModelAccess;
  journal: Journal;
  log: Log;
  executor: Executor;
}

/** A tool of PML's own. */
export interface PmlTool {
  readonly name: string;
  /** The tool as `tools/list` shows it. */
  readonly listed: JsonObject;
  call(args: unknown, context: ToolContext): Promise<JsonObject>;
}

interface ToolDefinition<Shape extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Shape;
  annotations: JsonObject;
  /** Clients that load tools on demand load this one at once. */
  isAlwaysLoaded?: boolean;
  run(input: z.infer<Shape>, context: ToolContext): Promise<object>;
}

export function defineTool<Shape extends z.ZodObject>(definition: ToolDefinition<Shape>): PmlTool {
  const { name, title, description, input, annotations, isAlwaysLoaded, run } = definition;
  const inputSchema = listedSchema(z.toJSONSchema(input, { io: 'input' }) as JsonObject);
  const _meta = { 'anthropic/alwaysLoad': true };
  return {
    name,
    listed: { name, title, description, inputSchema, annotations, ...(isAlwaysLoaded && { _meta }) },
    call: async (args, context) => {
      const parsed = input.safeParse(withSnakeKeys(args, input));
      if (!parsed.success) throw wrongArguments(name, input, args, parsed.error);
      const answer = await run(parsed.data, context).catch(async (error) => {
        throw await withSimilarName(context, error);
      });
      return boundedAnswer(answer);
    },
  };
}

/** Renames keys from camelCase to the snake_case spelling that the shape knows. */
function withSnakeKeys(value: unknown, shape: z.ZodObject): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const snake = snakeOf(key);
      const known = !(key in shape.shape) && snake in shape.shape ? snake : key;
      const field = unwrap(shape.shape[known]);
      return [known, field instanceof z.ZodObject ? withSnakeKeys(inner, field) : inner];
    }),
  );
}

function snakeOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function unwrap(field: unknown): unknown {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault ? unwrap(field.unwrap()) : field;
}

function wrongArguments(tool: string, shape: z.ZodObject, args: unknown, error: z.ZodError): PmlError {
  const hints = error.issues.flatMap((issue) => hintsFor(issue, shape, args));
  return new PmlError('invalid_arguments', describeProblems(tool, error), {
    ...(hints.length > 0 && { hint: hints.join(' ') }),
  });
}

/** Says where a misplaced key belongs, and that an object must not come as text. */
function hintsFor(issue: z.core.$ZodIssue, { shape }: z.ZodObject, args: unknown): string[] {
  const [key, ...deeper] = issue.path;
  if (issue.code === 'unrecognized_keys' && key === undefined) {
    return issue.keys.map(snakeOf).flatMap((unknown) => {
      const [owner] = Object.entries(shape).filter(([, field]) => hasKey(unwrap(field), unknown));
      return owner ? [`"${unknown}" belongs in "${owner[0]}": ${owner[0]}.${unknown}.`] : [];
    });
  }
  const isText = typeof (args as Record<PropertyKey, unknown> | undefined)?.[key ?? ''] === 'string';
  const wantsObject = issue.code === 'invalid_type' && ['object', 'record'].includes(issue.expected);
  return wantsObject && isText && deeper.length === 0
    ? [`Pass "${String(key)}" as an object, not as text.`]
    : [];
}

function hasKey(field: unknown, key: string): boolean {
  return field instanceof z.ZodObject && Object.hasOwn(field.shape, key);
}

const MAX_PROBLEMS_LENGTH = 2000;

/** Describes what is wrong with the arguments, cut because a problem may quote all of them. */
function describeProblems(tool: string, error: z.ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `"${path.join('.')}": ${message}` : message,
  );
  const text = problems.join('; ');
  const shown = text.length > MAX_PROBLEMS_LENGTH ? `${text.slice(0, MAX_PROBLEMS_LENGTH)}…` : text;
  return `Wrong arguments for ${tool}: ${shown}`;
}
