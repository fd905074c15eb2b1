import type { Principal } from '../../../principal.ts';
import { OWN_SERVER } from '../../../registry/usage/index.ts';
import type { Usage } from '../../../runs/index.ts';
import { MAX_TEXT, storedText } from '../../../stored-texts.ts';
import type { Events } from '../schemas/events.ts';
import type { JournalRow } from '../schemas/runs.ts';

const BATCH_MS = 250;
/** After a batch with more rows, the next comes later: nobody reads that fast, and each batch redraws every page. */
const BUSY_ROWS = 10;
const BUSY_BATCH_MS = 1000;
/** A batch holds at most this many calls, the latest. */
const MAX_BATCH = 100;

/** A call, and the id and time of its row. */
interface Ended {
  readonly usage: Usage;
  readonly row: { readonly id: string; readonly called_at: string };
}

export interface BatchOptions {
  /** Who sees the calls. */
  who: Principal;
  /** Finds the ids of those capabilities that the principal may see, by FQDN. */
  findIds: (fqdns: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  deliver: (batch: Events['call']) => void;
  /** Says why a batch was lost. */
  failed: (error: Error) => void;
}

/** Collects the calls that a principal may see, and hands them on a few times a second at most. */
export class CallBatches {
  readonly #options: BatchOptions;
  #waiting: Ended[] = [];
  #leftOut = 0;
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  add(usage: Usage, row: Ended['row']): void {
    const { org, project, user, admin } = this.#options.who;
    const { server, who } = usage;
    if (server === OWN_SERVER || who.org !== org || who.project !== project) return;
    if (who.user !== user && !admin) return;
    this.#waiting.push({ usage, row });
    if (this.#waiting.length >= 2 * MAX_BATCH) this.#leaveOut();
    this.#schedule();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#leftOut = 0;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), this.#isBusy ? BUSY_BATCH_MS : BATCH_MS).unref();
  }

  #leaveOut(): void {
    this.#leftOut += Math.max(0, this.#waiting.length - MAX_BATCH);
    this.#waiting = this.#waiting.slice(-MAX_BATCH);
  }

  async #flush(): Promise<void> {
    this.#leaveOut();
    const [ended, left_out] = [this.#waiting, this.#leftOut];
    this.#waiting = [];
    this.#leftOut = 0;
    this.#isBusy = ended.length > BUSY_ROWS;
    try {
      const rows = await this.#rowsOf(ended);
      if (rows.length > 0 || left_out > 0) this.#options.deliver({ rows, left_out });
    } catch (error) {
      this.#options.failed(error as Error);
    }
    // The timer stays set until here, so that batches stay in order.
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Calls of capabilities that the principal may not see are left out. */
  async #rowsOf(ended: readonly Ended[]): Promise<JournalRow[]> {
    const fqdns = new Set(ended.flatMap(({ usage: { fqdn } }) => fqdn ?? []));
    const ids = fqdns.size > 0 ? await this.#options.findIds([...fqdns]) : new Map<string, string>();
    return ended.flatMap((one) => {
      const { fqdn } = one.usage;
      if (fqdn === undefined) return rowOf(one);
      const id = ids.get(fqdn);
      return id === undefined ? [] : { ...rowOf(one), capability_id: id };
    });
  }
}

function rowOf({ usage, row }: Ended): JournalRow {
  const { server, fqdn, run, who, error, redactor } = usage;
  const tool = usage.tool.slice(0, MAX_TEXT.tool);
  const kind = fqdn !== undefined ? 'capability' : server === 'pml' ? 'run' : 'call';
  return {
    ...{ id: row.id, at: row.called_at, kind, server, tool },
    name: kind === 'call' ? `${server}:${tool}` : tool,
    ...(run && run.depth > 0 && { run: run.id }),
    user: who.user,
    ...(who.agent !== undefined && { agent: who.agent }),
    ...{ ok: usage.success, ms: Math.round(usage.durationMs * 100) / 100, cached: usage.cached ?? false },
    ...(error !== undefined && { error: storedText('error', error, redactor) }),
  };
}
