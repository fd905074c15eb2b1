import type { ModelAccess } from '../../config/index.ts';
import type { Executor } from '../../execute/index.ts';
import type { PlainCalls } from '../../learning/index.ts';
import type { Log } from '../../log.ts';
import type { Keys, NameCache } from '../../registry/index.ts';
import type { Journal, OutputObserver, RunDetails } from '../../runs/index.ts';
import type { Db } from '../../store/index.ts';
import type { Workspace } from '../../workspace/index.ts';
import { SuspendedCalls } from './suspended-calls.ts';

export interface GatewayResources {
  db: Db;
  keys: Keys;
  names: NameCache;
  journal: Journal;
  details: RunDetails;
  outputs: OutputObserver;
  executor: Executor;
  plainCalls: PlainCalls;
  log: Log;
}

/** A workspace served to MCP clients: the state that their sessions share. */
export class Gateway {
  readonly workspace: Workspace;
  readonly resources: GatewayResources;
  readonly suspended = new SuspendedCalls();
  /** How to reach models, by user: the keys and addresses of the user's latest session that has any. */
  readonly models = new Map<string, ModelAccess>();

  constructor(workspace: Workspace, resources: GatewayResources) {
    this.workspace = workspace;
    this.resources = resources;
  }

  /** Ends all sessions and the servers of the workspace. */
  async close(): Promise<void> {
    this.suspended.close();
    await this.workspace.close();
  }
}
