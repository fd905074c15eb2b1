import { type ServerDefinition, serveInProcess } from '../../upstream/index.ts';
import { createToolServer, type ServerTool } from '../servers/tool-server.ts';

/** A server within PML's process, made of tools and the context they act on. Servers with equal `id` answer alike. */
export function inProcessServer<Context>(
  name: string,
  id: readonly unknown[],
  tools: readonly ServerTool<Context>[],
  context: Context,
): ServerDefinition {
  const open = () => serveInProcess(createToolServer(name, tools, context));
  return {
    name,
    transport: { kind: 'in-process', id: JSON.stringify([name, ...id]), open },
    ...{ routing: 'local', perSession: false, timeoutMs: 60_000, prefix: true },
  };
}
