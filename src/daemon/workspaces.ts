import { createHash } from 'node:crypto';
import { type Config, untrustedNotice } from '../config/index.ts';
import type { Executor } from '../execute/index.ts';
import { Workspace } from '../gateway/index.ts';
import type { Log } from '../log.ts';
import type { Reaper } from '../reaper/index.ts';
import type { Keys, NameCache, RegistryChange } from '../registry/index.ts';
import type { EvidenceChange } from '../registry/usage/index.ts';
import type { Journal } from '../runs/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Db } from '../store/index.ts';
import type { UpstreamMemory } from '../upstream/index.ts';

interface Held {
  workspace: Workspace;
  holders: number;
  release: NodeJS.Timeout | undefined;
}

export interface WorkspacesOptions {
  journal: Journal;
  log: Log;
  memory: UpstreamMemory;
  db: Db;
  keys: Keys;
  names: NameCache;
  executor: Executor;
  sandbox: Sandbox;
  reaper: Reaper;
  /** How long a workspace nobody uses keeps its servers running. */
  keepMs: number;
}

/** The workspaces of one daemon. Sessions with the same config and scope share one; others share nothing. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  list(): Workspace[] {
    return [...this.#held.values()].map(({ workspace }) => workspace);
  }

  /** The workspace of this config, and the way to give it back. */
  acquire(config: Config): { workspace: Workspace; release: () => void } {
    const key = keyOf(config);
    const held = this.#held.get(key) ?? this.#create(key, config);
    clearTimeout(held.release);
    held.holders += 1;
    let given = false;
    return {
      workspace: held.workspace,
      release: () => {
        if (given) return;
        given = true;
        held.holders -= 1;
        if (held.holders === 0)
          held.release = setTimeout(() => void this.#drop(key), this.#options.keepMs).unref();
      },
    };
  }

  registryChanged(change: RegistryChange | 'unknown'): void {
    for (const workspace of this.list()) workspace.registryChanged(change);
  }

  evidenceChanged(change: EvidenceChange): void {
    for (const workspace of this.list()) workspace.evidenceChanged(change);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((key) => this.#drop(key)));
  }

  #create(key: string, config: Config): Held {
    const { keepMs, sandbox, ...parts } = this.#options;
    const { log } = parts;
    log.hide(config.secrets);
    log.info(`workspace of ${config.file ?? 'no config file'}: ${config.servers.length} servers`);
    const notice = untrustedNotice(config);
    if (notice) log.warn(notice);
    const held: Held = {
      workspace: new Workspace({ config, ...parts }),
      holders: 0,
      release: undefined,
    };
    this.#held.set(key, held);
    this.#shareSandbox();
    return held;
  }

  /** One sandbox serves them all, so the one that wants the most room decides. */
  #shareSandbox(): void {
    const wanted = this.list().map(({ config }) => config.sandbox.concurrency);
    if (wanted.length > 0) this.#options.sandbox.resize(Math.max(...wanted));
  }

  async #drop(key: string): Promise<void> {
    const held = this.#held.get(key);
    this.#held.delete(key);
    clearTimeout(held?.release);
    this.#shareSandbox();
    await held?.workspace.close();
  }
}

/** All that a session's own environment and file settle; two sessions that differ in any of it are apart. */
function keyOf(config: Config): string {
  const { home, host, port, logLevel, user, admin, ...own } = config;
  return createHash('sha256').update(JSON.stringify(own)).digest('hex');
}
