import { z } from 'zod';
import { showValue } from './schema-problems.ts';
import type { McpServerConfig } from './types.ts';

const texts = z.record(z.string(), z.string());
const stdio = z.looseObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  cwd: z.string().optional(),
});
const http = z.looseObject({ type: z.literal('http'), url: z.url(), headers: texts.optional() });
const resolvedCapability = z.looseObject({ mcpServer: z.union([stdio, http]) });

/** Reads what a resolver returned: a server, null to skip the capability, or garbage, which is a problem. */
export function readResolved(resolved: unknown): { mcpServer: McpServerConfig | null } | { problem: string } {
  if (resolved === null) return { mcpServer: null };
  if (typeof (resolved as { then?: unknown } | undefined)?.then === 'function') {
    // Nobody waits for it, so its failure must not end the process.
    Promise.resolve(resolved).catch(() => {});
    return { problem: 'its resolver returned a promise, and must return a server or null at once' };
  }
  const parsed = resolvedCapability.safeParse(resolved);
  if (parsed.success) return { mcpServer: parsed.data.mcpServer as McpServerConfig };
  const where = parsed.error.issues[0]?.path.join('.') || 'result';
  return {
    problem: `its resolver returned no MCP server (${where} is wrong in ${showValue(resolved)}); it must return { mcpServer: { command, args? } }, { mcpServer: { type: "http", url } } or null`,
  };
}
