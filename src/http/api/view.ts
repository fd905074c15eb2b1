import type { Gateway, LocalClient } from '../../gateway/index.ts';
import type { Principal } from '../../principal.ts';
import type { SavingsFigures, UsageFigures } from '../../runs/index.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { UndoLog } from './undo-log.ts';

/** A workspace that the dashboard can show. */
export interface ShownWorkspace {
  /** Stays the same for as long as the config does. */
  readonly id: string;
  readonly gateway: Gateway;
}

/** One workspace, as the principal of a request sees it. */
export interface View {
  readonly workspace: ShownWorkspace;
  readonly gateway: Gateway;
  readonly who: Principal;
  /** The dashboard's session in the workspace. */
  readonly client: LocalClient;
  /** Ends when the browser has gone. */
  readonly signal: AbortSignal;
  readonly dashboard: Dashboard;
}

/** Shared by all requests to one listening address. */
export interface Dashboard {
  /** Goes into the header of every request that changes something. */
  readonly token: string;
  readonly startedAt: Date;
  readonly url: () => string;
  /** The workspace of `pml up`. */
  readonly home: ShownWorkspace;
  readonly workspaces: () => readonly ShownWorkspace[];
  readonly figures: UsageFigures;
  readonly saved: SavingsFigures;
  readonly undo: UndoLog;
  readonly streams: EventStreams;
}
