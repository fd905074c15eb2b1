import { noServersNotice, untrustedNotice } from '../config/index.ts';
import { VERSION } from '../version.ts';
import type { Workspace } from '../workspace/index.ts';

/** The answer of `pml status`. */
export interface DaemonStatus {
  pid: number;
  version: string;
  home: string;
  engine: string;
  startedAt: string;
  sessions: number;
  http: string[];
  workspaces: WorkspaceStatus[];
}

interface WorkspaceStatus {
  config: string | null;
  scope: string;
  sessions: number;
  /** Why its servers were not started, and what to do. */
  untrusted?: string | undefined;
  /** A notice that it has no servers, and what to do. */
  noServers?: string | undefined;
  servers: {
    name: string;
    state: string;
    era?: string | undefined;
    pid?: number | undefined;
    tools: number;
    problem?: string | undefined;
    /** True if its tools are left to discovery. */
    unlisted?: true | undefined;
  }[];
}

export function statusOf(daemon: {
  home: string;
  engine: string;
  startedAt: Date;
  http: string[];
  workspaces: Workspace[];
}): DaemonStatus {
  const { home, engine, startedAt, http, workspaces } = daemon;
  return {
    pid: process.pid,
    version: VERSION,
    home,
    engine,
    startedAt: startedAt.toISOString(),
    sessions: workspaces.reduce((sum, { members }) => sum + members.size, 0),
    http,
    workspaces: workspaces.map(workspaceStatusOf),
  };
}

function workspaceStatusOf({ config, members, upstreams, unlistedServers }: Workspace): WorkspaceStatus {
  return {
    config: config.file,
    scope: `${config.scope.org}.${config.scope.project}`,
    sessions: members.size,
    untrusted: untrustedNotice(config),
    noServers: noServersNotice(config),
    servers: upstreams.map((upstream) => ({
      name: upstream.name,
      state: upstream.state,
      era: upstream.era,
      pid: upstream.pid ?? undefined,
      tools: upstream.catalog.tools.length,
      problem: upstream.problem,
      unlisted: unlistedServers.has(upstream.name) || undefined,
    })),
  };
}
