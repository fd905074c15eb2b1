import { LocalClient } from '../../gateway/index.ts';
import type { Principal } from '../../principal.ts';
import type { ShownWorkspace } from './view.ts';

/** A session that no page has used for this long is closed. */
const IDLE_MS = 5 * 60_000;

interface OpenClient {
  readonly client: LocalClient;
  timer: NodeJS.Timeout;
}

/** The sessions of the dashboard: one in each workspace that is looked at, opened by the first request. */
export class DashboardClients {
  readonly #open = new Map<ShownWorkspace['gateway'], OpenClient>();

  /** Returns the session in a workspace. */
  of({ gateway }: ShownWorkspace, who: Principal): LocalClient {
    const known = this.#open.get(gateway);
    if (known) {
      known.timer.refresh();
      return known.client;
    }
    const client = LocalClient.open(gateway, who);
    const timer = setTimeout(() => void this.#close(gateway), IDLE_MS).unref();
    this.#open.set(gateway, { client, timer });
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((gateway) => this.#close(gateway)));
  }

  async #close(gateway: ShownWorkspace['gateway']): Promise<void> {
    const open = this.#open.get(gateway);
    this.#open.delete(gateway);
    clearTimeout(open?.timer);
    await open?.client.close();
  }
}
