import type { Principal } from '../../../principal.ts';
import { OWN_SERVER } from '../../../registry/usage/index.ts';
import type { Usage } from '../../../runs/index.ts';
import { MAX_TEXT, storedText } from '../../../texts.ts';
import type { JournalRow } from '../schemas/runs.ts';

const BATCH_MS = 100;
/** A flood shows its latest calls. */
const MAX_BATCH = 100;

/** A call, and the id and time of its row. */
interface Ended {
  readonly usage: Usage;
  readonly row: { readonly id: string; readonly called_at: string };
}

/** Collects the calls that a principal may see, and hands them on ten times a second at most. */
export class CallBatches {
  readonly #who: Principal;
  readonly #deliver: (rows: JournalRow[]) => void;
  #waiting: Ended[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(who: Principal, deliver: (rows: JournalRow[]) => void) {
    this.#who = who;
    this.#deliver = deliver;
  }

  add(usage: Usage, row: Ended['row']): void {
    const { org, project, user, admin } = this.#who;
    const { server, who } = usage;
    if (server === OWN_SERVER || who.org !== org || who.project !== project) return;
    if (who.user !== user && !admin) return;
    this.#waiting.push({ usage, row });
    if (this.#waiting.length > 2 * MAX_BATCH) this.#waiting = this.#waiting.slice(-MAX_BATCH);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #flush(): void {
    this.#timer = undefined;
    const rows = this.#waiting.slice(-MAX_BATCH);
    this.#waiting = [];
    this.#deliver(rows.map(entryOf));
  }
}

function entryOf({ usage, row }: Ended): JournalRow {
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
