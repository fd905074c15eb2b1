import { z } from 'zod';

const env = z.record(z.string(), z.string());

/** How a program introduces itself to the daemon: the first line on the socket. */
export const Handshake = z.discriminatedUnion('kind', [
  z.object({
    dialect: z.number(),
    version: z.string(),
    kind: z.literal('session'),
    cwd: z.string(),
    env,
    config: z.string().optional(),
    agent: z.string().optional(),
  }),
  z.object({ dialect: z.number(), version: z.string(), kind: z.literal('status') }),
  z.object({ dialect: z.number(), version: z.string(), kind: z.literal('stop') }),
  z.object({
    dialect: z.number(),
    version: z.string(),
    kind: z.literal('errands'),
    cwd: z.string(),
    env,
    config: z.string().optional(),
  }),
  z.object({
    dialect: z.number(),
    version: z.string(),
    kind: z.literal('up'),
    cwd: z.string(),
    env,
    config: z.string().optional(),
    host: z.string().optional(),
    port: z.number().optional(),
  }),
]);
export type Handshake = z.infer<typeof Handshake>;

/** What `pml status` shows. */
export interface DaemonStatus {
  pid: number;
  version: string;
  home: string;
  engine: string;
  startedAt: string;
  sessions: number;
  http: string[];
  workspaces: {
    config: string | null;
    scope: string;
    sessions: number;
    /** Why its servers were not started, and what to do. */
    untrusted?: string | undefined;
    servers: {
      name: string;
      state: string;
      era?: string | undefined;
      pid?: number | undefined;
      tools: number;
      problem?: string | undefined;
    }[];
  }[];
}

/** Whether one version is older than another, by its numbers. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] || 0) - (right?.[i] || 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
