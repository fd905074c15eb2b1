import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Db } from '../store/index.ts';
import type { ListKind, Upstream } from '../upstream/index.ts';
import type { AgentScope } from './agent-scope.ts';
import { type Announcements, Announcer } from './announcer.ts';
import { type CapabilityChange, membersSeeing } from './change-audience.ts';
import { type ListName, type Member, offersServer } from './member.ts';

export interface ListAnnouncementsOptions {
  db: Db;
  log: Log;
  members: ReadonlySet<Member>;
  /** True if a server is one of those that a member has, alone or with others. */
  has: (member: Member, upstream: Upstream) => boolean;
}

/** Tells members that a list of theirs has changed, and nobody else. */
export class ListAnnouncements {
  readonly #options: ListAnnouncementsOptions;
  readonly #announcer = new Announcer((announcements) => this.#announce(announcements));

  constructor(options: ListAnnouncementsOptions) {
    this.#options = options;
  }

  /** Announces lists of a server. */
  serverChanged(upstream: Upstream, kinds: ReadonlySet<ListKind>): void {
    for (const [agent, members] of Map.groupBy(this.membersOf(upstream), (member) => member.agent)) {
      const lists = agent ? agent.concernedLists(upstream, kinds) : [...kinds];
      if (lists.length > 0) this.#announcer.add(new Set(lists.map(listNameOf)), members);
    }
  }

  /** Announces that other servers' tools are listed now: to the sessions of an agent, or to those of no agent. */
  exposureChanged(agent: AgentScope | undefined): void {
    const members = [...this.#options.members].filter((member) => member.agent === agent);
    this.#announcer.add(['tools'], members);
  }

  /** Announces that capabilities were named, renamed or retired. */
  async capabilitiesChanged(change: CapabilityChange): Promise<void> {
    const { db, log, members } = this.#options;
    try {
      this.#announcer.add(['tools'], await membersSeeing(db, members, change));
    } catch (error) {
      log.warn(`cannot tell whom a changed capability concerns: ${messageOf(error)}`);
    }
  }

  /** Finds the members that list something of a server. */
  membersOf(upstream: Upstream): Member[] {
    const { members, has } = this.#options;
    return [...members].filter((member) => has(member, upstream) && offersServer(member, upstream.name));
  }

  #announce(announcements: Announcements): void {
    const { members } = this.#options;
    for (const [list, audience] of announcements)
      for (const member of audience) if (members.has(member)) member.listChanged(list);
  }

  close(): void {
    this.#announcer.close();
  }
}

function listNameOf(kind: ListKind): ListName {
  return kind === 'templates' ? 'resources' : kind;
}
