import { createHash } from 'node:crypto';
import { mistakesOfAgents } from '../access/agents/index.ts';
import { type Config, modelKeys, untrustedNotice } from '../config/index.ts';
import { BackgroundCuration } from '../curation/index.ts';
import { Gateway } from '../gateway/index.ts';
import { userOf } from '../principal.ts';
import type { RegistryChange } from '../registry/index.ts';
import type { EvidenceChange } from '../registry/usage/index.ts';
import { JournalRetention } from '../runs/index.ts';
import { Workspace } from '../workspace/index.ts';
import type { Resources } from './resources.ts';

interface OpenWorkspace {
  gateway: Gateway;
  curation: BackgroundCuration;
  retention: JournalRetention;
  users: number;
  /** Closes the workspace. Set while nobody uses it. */
  closeTimer: NodeJS.Timeout | undefined;
}

/** Enough of the hash of a config to tell workspaces apart. */
const ID_LENGTH = 12;

/** The workspaces of one daemon. Sessions with the same config and scope share one; others share nothing. */
export class Workspaces {
  readonly #resources: Resources;
  readonly #idleMs: number;
  readonly #open = new Map<string, OpenWorkspace>();

  /** A workspace that nobody uses keeps its servers running for `idleMs`. */
  constructor(resources: Resources, idleMs: number) {
    this.#resources = resources;
    this.#idleMs = idleMs;
  }

  list(): Workspace[] {
    return [...this.#open.values()].map(({ gateway }) => gateway.workspace);
  }

  /** The open workspaces, by an id that stays the same for as long as their config does. */
  entries(): { id: string; gateway: Gateway }[] {
    return Array.from(this.#open, ([key, { gateway }]) => ({ id: key.slice(0, ID_LENGTH), gateway }));
  }

  /** Returns the gateway to the workspace of this config, opened if need be, until `release` is called. */
  acquire(config: Config): { gateway: Gateway; release: () => void } {
    const key = keyOf(config);
    const open = this.#open.get(key) ?? this.#create(key, config);
    clearTimeout(open.closeTimer);
    this.#useModels(open.gateway, config);
    open.users += 1;
    let isReleased = false;
    return {
      gateway: open.gateway,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        open.users -= 1;
        if (open.users === 0) open.closeTimer = setTimeout(() => void this.#close(key), this.#idleMs).unref();
      },
    };
  }

  registryChanged(change: RegistryChange | 'unknown'): void {
    for (const { gateway, curation } of this.#open.values()) {
      gateway.workspace.registryChanged(change);
      if (change !== 'unknown' && isInScope(gateway, change)) curation.registryChanged(change);
    }
  }

  evidenceChanged(change: EvidenceChange): void {
    for (const workspace of this.list()) workspace.evidenceChanged(change);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#close(key)));
  }

  #create(key: string, config: Config): OpenWorkspace {
    const { db, log, memory, reaper, embeddings } = this.#resources;
    log.hide(config.secrets);
    log.info(`workspace of ${config.file ?? 'no config file'}: ${config.servers.length} servers`);
    const notice = untrustedNotice(config);
    if (notice) log.warn(notice);
    // A mistake only refuses the sessions of its agent: a renamed server must not end all others.
    for (const mistake of mistakesOfAgents(config)) log.warn(mistake);
    const workspace = new Workspace({ config, log, db, memory, reaper, embeddings });
    const gateway = new Gateway(workspace, this.#resources);
    const curation = new BackgroundCuration((user) => this.#curatorsFor(gateway, user));
    const retention = new JournalRetention(db, log, config.scope, config.journal.keepDays);
    const open: OpenWorkspace = { gateway, curation, retention, users: 0, closeTimer: undefined };
    this.#open.set(key, open);
    this.#resizeSandbox();
    return open;
  }

  /** Takes over a session's model keys and addresses, if any, and keeps the keys out of logs and stored texts. */
  #useModels(gateway: Gateway, { user, models }: Config): void {
    if (Object.keys(models).length === 0) return;
    gateway.models.set(user, models);
    this.#resources.log.hide(modelKeys(models));
    gateway.workspace.redactor.add(modelKeys(models));
  }

  /** Each connected user curates once, with the tools of one of its sessions. */
  #curatorsFor({ workspace, models }: Gateway, user: string | undefined) {
    const { db, keys, log } = this.#resources;
    const { config, redactor } = workspace;
    const members = new Map([...workspace.members].map((member) => [member.who.user, member]));
    return [...members.values()]
      .filter(({ who }) => user === undefined || who.user === user)
      .map((member) => {
        // Curation is for the user, whichever agent calls.
        const who = userOf(member.who);
        const { tools } = member.agent ? workspace.sharedDirectory : workspace.directoryOf(member);
        return { db, keys, log, config, redactor, models: models.get(who.user) ?? {}, who, tools };
      });
  }

  /** One sandbox serves all workspaces, so it gets the largest size that any of them wants. */
  #resizeSandbox(): void {
    const wanted = this.list().map(({ config }) => config.sandbox.concurrency);
    if (wanted.length > 0) this.#resources.sandbox.resize(Math.max(...wanted));
  }

  async #close(key: string): Promise<void> {
    const open = this.#open.get(key);
    this.#open.delete(key);
    clearTimeout(open?.closeTimer);
    this.#resizeSandbox();
    open?.retention.stop();
    await open?.curation.close();
    await open?.gateway.close();
  }
}

function isInScope({ workspace }: Gateway, { org, project }: RegistryChange): boolean {
  const { scope } = workspace.config;
  return org === scope.org && project === scope.project;
}

/** Hashes all settings but those of the daemon, the user and the models. Sessions with other hashes share nothing. */
function keyOf(config: Config): string {
  const { home, host, port, logLevel, user, admin, models, ...own } = config;
  return createHash('sha256').update(JSON.stringify(own)).digest('hex');
}
