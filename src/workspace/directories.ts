import { buildDirectory, type Directory, type NameStyle } from '../access/index.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import type { Upstream } from '../upstream/index.ts';
import type { Member } from './member.ts';

export interface DirectoriesOptions {
  style: NameStyle;
  shared: () => readonly Upstream[];
  /** Returns the servers that a member reaches. */
  reachable: (member: Member) => readonly Upstream[];
  /** True if a member has servers to itself. */
  hasOwn: (member: Member) => boolean;
}

/** The directories of members, built at the first use and again after lists have changed. */
export class Directories {
  readonly #options: DirectoriesOptions;
  /** By holder (all members, the sessions of an agent, or one member with servers of its own), then by server. */
  #built = new WeakMap<object, Map<string, Directory>>();

  constructor(options: DirectoriesOptions) {
    this.#options = options;
  }

  /** The directory of the servers that all members share. */
  get shared(): Directory {
    const { shared, style } = this.#options;
    return this.#get(this, '', () => buildDirectory(shared(), style));
  }

  /** Returns the directory of all servers that a member reaches. */
  of(member: Member): Directory {
    const { reachable, style } = this.#options;
    const holder = this.#holderOf(member);
    if (holder === this) return this.shared;
    const { agent } = member;
    // An agent without servers of its own has a part of the shared directory.
    const whole = holder === agent && agent.own.length === 0 ? this.shared : undefined;
    return this.#get(holder, '', () => buildDirectory(reachable(member), style, agent?.rights, whole));
  }

  /** Returns the directory of one server for a member, under the server's own names. */
  ofServer(member: Member, server: string): Directory {
    return this.#get(this.#holderOf(member), server, () => {
      const only = this.#options.reachable(member).filter(({ name }) => name === server);
      return buildDirectory(only, 'own', member.agent?.rights);
    });
  }

  /** Drops the directories of a member, or all of them, so that they are built again. */
  forget(member?: Member): void {
    if (member) this.#built.delete(member);
    else this.#built = new WeakMap();
  }

  #holderOf(member: Member): object {
    return this.#options.hasOwn(member) ? member : (member.agent ?? this);
  }

  #get(holder: object, server: string, build: () => Directory): Directory {
    const byServer = this.#built.get(holder) ?? new Map<string, Directory>();
    this.#built.set(holder, byServer);
    const known = byServer.get(server);
    if (known) return known;
    noteWork('directory of tools');
    const built = build();
    byServer.set(server, built);
    return built;
  }
}
