import { randomBytes } from 'node:crypto';
import type { Gateway } from '../../../gateway/index.ts';
import type { Principal } from '../../../principal.ts';
import { idsOf } from '../../../registry/browse/index.ts';
import { onChange, type RegistryChange } from '../../../registry/index.ts';
import { inboxCounts } from '../inbox-counts.ts';
import type { Events } from '../schemas/events.ts';
import { CallBatches } from './call-batches.ts';

/** Receives the events of a stream as text. */
type Reader = (text: string) => void;

/** Size of the replay buffer for pages that reconnect, in events and in characters. A stream takes all of it at once. */
const KEPT = 1000;
const KEPT_CHARACTERS = 256 * 1024;
const STATES_MS = 1000;
/** Changes of capabilities come in bursts, and their counts take a query. */
const COUNTS_MS = 2000;
const PING_MS = 15_000;
/** The hub keeps listening this long after its last reader leaves, so that a page that reloads misses nothing. */
const LINGER_MS = 60_000;

/** The live changes of one workspace, for all pages that show it. It listens only while there are readers, or may soon be. */
export class EventHub {
  readonly #gateway: Gateway;
  readonly #who: Principal;
  readonly #readers = new Set<Reader>();
  /** Prefix of every event id. It changes when the hub stops listening, so that ids from before the gap are recognised. */
  #epoch = newEpoch();
  readonly #states = new Map<string, string>();
  readonly #calls: CallBatches;
  #recent: { number: number; text: string }[] = [];
  #recentCharacters = 0;
  #number = 0;
  #stops: (() => unknown)[] = [];
  /** Resolves when the hub listens. */
  #started: Promise<void> | undefined;
  #countsTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;

  constructor(gateway: Gateway, who: Principal) {
    this.#gateway = gateway;
    this.#who = who;
    const { db, log } = gateway.resources;
    this.#calls = new CallBatches({
      who,
      findIds: (fqdns) => idsOf(db, who, fqdns),
      deliver: (batch) => this.#send('call', batch),
      failed: (error) => log.warn(`calls are not shown live: ${error.message}`),
    });
  }

  /** Adds a reader, which first gets what it missed. Returns a function that removes it. */
  async add(reader: Reader, lastId: string | undefined): Promise<() => void> {
    clearTimeout(this.#lingerTimer);
    await this.#start();
    this.#catchUp(reader, lastId);
    this.#readers.add(reader);
    return () => {
      if (this.#readers.delete(reader)) this.#linger();
    };
  }

  /** Returns the id of the latest event, and keeps listening so that the page can connect. */
  async lastEvent(): Promise<string> {
    await this.#start();
    this.#linger();
    return this.#lastId;
  }

  get #lastId(): string {
    return `${this.#epoch}-${this.#number}`;
  }

  #linger(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#readers.size === 0) this.#lingerTimer = setTimeout(() => this.close(), LINGER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#lingerTimer);
    clearTimeout(this.#countsTimer);
    this.#countsTimer = undefined;
    for (const stop of this.#stops.splice(0)) void stop();
    this.#started = undefined;
    this.#calls.close();
    this.#recent = [];
    this.#recentCharacters = 0;
    this.#epoch = newEpoch();
  }

  #start(): Promise<void> {
    this.#started ??= this.#listen();
    return this.#started;
  }

  async #listen(): Promise<void> {
    const { db, journal } = this.#gateway.resources;
    const states = setInterval(() => this.#compareStates(), STATES_MS).unref();
    const ping = setInterval(() => this.#write(': ping\n\n'), PING_MS).unref();
    this.#stops.push(() => clearInterval(states));
    this.#stops.push(() => clearInterval(ping));
    this.#stops.push(journal.on((usage, row) => this.#calls.add(usage, row)));
    this.#compareStates();
    try {
      this.#stops.push(await onChange(db, (change) => void this.#capabilityChanged(change)));
    } catch (error) {
      // The next reader tries again.
      this.close();
      throw error;
    }
  }

  /** Replays the events after `lastId`; sends `resync` if the buffer no longer holds them. */
  #catchUp(reader: Reader, lastId: string | undefined): void {
    const [epoch, number] = lastId?.split('-') ?? [];
    const last = Number(number);
    const first = this.#recent[0]?.number ?? this.#number + 1;
    if (epoch !== this.#epoch || !(last >= first - 1 && last <= this.#number)) {
      reader(eventText(this.#lastId, 'resync', {}));
      return;
    }
    for (const { number: one, text } of this.#recent) if (one > last) reader(text);
  }

  #send<Name extends keyof Events>(name: Name, data: Events[Name]): void {
    this.#number += 1;
    const text = eventText(this.#lastId, name, data);
    this.#recent.push({ number: this.#number, text });
    this.#recentCharacters += text.length;
    while (this.#recent.length > KEPT || this.#recentCharacters > KEPT_CHARACTERS)
      this.#recentCharacters -= this.#recent.shift()?.text.length ?? 0;
    this.#write(text);
  }

  #write(text: string): void {
    for (const reader of this.#readers) reader(text);
  }

  #compareStates(): void {
    for (const { name, state } of this.#gateway.workspace.upstreams) {
      const before = this.#states.get(name);
      this.#states.set(name, state);
      if (before !== undefined && before !== state) this.#send('server', { name, state });
    }
  }

  /** Sends a change, if the principal may see it. */
  async #capabilityChanged(change: RegistryChange | 'unknown'): Promise<void> {
    const { db, log } = this.#gateway.resources;
    const { org, project, user } = this.#who;
    if (change === 'unknown') return this.#send('resync', {});
    if (change.org !== org || change.project !== project || (change.only ?? user) !== user) return;
    try {
      this.#countsTimer ??= setTimeout(() => void this.#sendCounts(), COUNTS_MS).unref();
      if (change.fqdn === undefined) return this.#send('resync', {});
      const id = (await idsOf(db, this.#who, [change.fqdn])).get(change.fqdn);
      if (id !== undefined) this.#send('capability', { id, change: change.what });
    } catch (error) {
      log.warn(`a change is not shown live: ${(error as Error).message}`);
    }
  }

  async #sendCounts(): Promise<void> {
    this.#countsTimer = undefined;
    try {
      this.#send('inbox', { counts: await inboxCounts({ gateway: this.#gateway, who: this.#who }) });
    } catch (error) {
      this.#gateway.resources.log.warn(`the inbox is not counted: ${(error as Error).message}`);
    }
  }
}

function newEpoch(): string {
  return randomBytes(4).toString('hex');
}

/** Formats one server-sent event. `JSON.stringify` writes no line breaks, which would end `data:`. */
function eventText(id: string, name: string, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
