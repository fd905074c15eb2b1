import type { Directory } from '../../access/index.ts';
import { type Member, partOf, type ScopedConfig, type Workspace } from '../../workspace/index.ts';
import { ownToolsOf, type PmlTool } from '../tools/index.ts';

/** The tools a session offers its client: everything that it reaches, or one part of its agent. */
export interface SessionOffer {
  /** The part of the config that the session may see. */
  readonly config: ScopedConfig;
  /** PML's own tools. */
  readonly ownTools: readonly PmlTool[];
  /** True if named capabilities are tools of the session. */
  readonly listsCapabilities: boolean;
  /** The servers whose tools are not listed. */
  readonly unlistedServers: ReadonlySet<string>;
  /** Settles once the servers of the session have listed their tools, or timed out. */
  listsReady(): Promise<void>;
  /** Returns what the client can list and call by name at the moment. */
  directory(): Directory;
  /** Returns what code and capabilities can reach at the moment. */
  reach(): Directory;
}

const NOTHING: ReadonlySet<string> = new Set();

export function offerOf(workspace: Workspace, member: Member): SessionOffer {
  const { agent, part = '', who } = member;
  const kind = partOf(member);
  const reach = () => workspace.directoryOf(member);
  return {
    config: (agent ?? workspace).config,
    ownTools: kind === 'server' ? [] : ownToolsOf(who),
    listsCapabilities: kind !== 'server',
    get unlistedServers() {
      return kind === 'all' ? (agent ?? workspace).unlistedServers : NOTHING;
    },
    listsReady: () => workspace.listsReady(member),
    // The part of PML's own tools has no servers: no server is named ' '.
    directory: kind === 'all' ? reach : () => workspace.partOf(member, kind === 'server' ? part : ' '),
    reach: kind === 'server' ? () => workspace.partOf(member, part) : reach,
  };
}
