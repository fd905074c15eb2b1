import { untrustedNotice } from '../config/index.ts';
import type { Workspace } from '../gateway/index.ts';
import { VERSION } from '../version.ts';
import type { DaemonStatus } from './handshake.ts';

/** What runs, for `pml status` and the page. */
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
    sessions: workspaces.reduce((sum, { sessions }) => sum + sessions.size, 0),
    http,
    workspaces: workspaces.map(({ config, sessions, upstreams }) => ({
      config: config.file,
      scope: `${config.scope.org}.${config.scope.project}`,
      sessions: sessions.size,
      untrusted: untrustedNotice(config),
      servers: upstreams.map((one) => ({
        name: one.name,
        state: one.state,
        era: one.era,
        pid: one.pid ?? undefined,
        tools: one.catalog.tools.length,
        problem: one.problem,
      })),
    })),
  };
}
