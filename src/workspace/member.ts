import type { JsonObject } from '../json.ts';
import type { Principal } from '../principal.ts';
import type { Upstream } from '../upstream/index.ts';

/** The lists of which MCP announces changes. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** One user of a workspace, as the workspace knows it: usually the session of a client. */
export interface Member {
  readonly who: Principal;
  /** The least severe log messages that it wants; undefined if it never said. */
  readonly logLevel: string | undefined;
  listChanged(list: ListName): void;
  /** A server reports a change of a resource, under the server's own URI. */
  resourceUpdated(upstream: Upstream, uri: string, params: JsonObject): void;
  /** Ends its work and leaves the workspace. */
  close(): Promise<void>;
}
