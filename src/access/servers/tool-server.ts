import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ERRORS, PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { VERSION } from '../../version.ts';
import type { ToolDescriptor } from '../agents/types.ts';

/** A tool of a server within PML's process. It acts on a context, such as the folders or the tasks of one agent. */
export interface ServerTool<Context> {
  readonly descriptor: ToolDescriptor;
  /** The tool as `tools/list` shows it. */
  readonly listed: JsonObject;
  call(args: unknown, context: Context): Promise<JsonObject>;
}

interface ToolDefinition<Shape extends z.ZodObject, Context> {
  key: string;
  name: string;
  description: string;
  input: Shape;
  /** The tool's effect: it reads, adds, or changes what is there. */
  does: 'reads' | 'adds' | 'changes';
  /** Returns a text, or an object as the structured answer. */
  run(input: z.infer<Shape>, context: Context): Promise<string | object>;
}

export function defineServerTool<Shape extends z.ZodObject, Context>(
  definition: ToolDefinition<Shape, Context>,
): ServerTool<Context> {
  const { key, name, description, input, does, run } = definition;
  const { $schema, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  const annotations = {
    readOnlyHint: does === 'reads',
    ...(does !== 'reads' && { destructiveHint: does === 'changes' }),
    openWorldHint: false,
  };
  return {
    descriptor: { key, name, description },
    listed: { name: key, title: name, description, inputSchema, annotations },
    call: async (args, context) => {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success)
        throw new PmlError('invalid_arguments', `Wrong arguments: ${problemsOf(parsed.error)}`);
      return answerOf(await run(parsed.data, context));
    },
  };
}

/** Makes the SDK's server of some tools. */
export function createToolServer<Context>(
  name: string,
  tools: readonly ServerTool<Context>[],
  context: Context,
): Server {
  const server = new Server({ name, version: VERSION }, { capabilities: { tools: {} } });
  // Bypasses the SDK's own handlers, which would make an Ajv for each server.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method === 'tools/list') return { tools: tools.map(({ listed }) => listed) };
    const tool = tools.find(({ listed }) => listed.name === params?.name);
    if (method !== 'tools/call')
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool');
    return answerCall(tool, params?.arguments, context);
  };
  return server;
}

async function answerCall<Context>(
  tool: ServerTool<Context>,
  args: unknown,
  context: Context,
): Promise<JsonObject> {
  try {
    return await tool.call(args, context);
  } catch (error) {
    if (!(error instanceof PmlError) || ERRORS[error.code] !== 'caller') throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function answerOf(answer: string | object): JsonObject {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

const MAX_PROBLEMS_LENGTH = 1000;

function problemsOf(error: z.ZodError): string {
  const text = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return text.length > MAX_PROBLEMS_LENGTH ? `${text.slice(0, MAX_PROBLEMS_LENGTH)}…` : text;
}
