import { randomUUID } from 'node:crypto';
import type { NameIndex } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { messageOf } from '../errors.ts';
import { noteWork } from '../event-loop-watchdog.ts';
import { plainValueOf } from '../execute/index.ts';
import type { Principal } from '../principal.ts';
import type { Redactor } from '../secrets/index.ts';
import { BoundedMap } from './bounded-map.ts';
import { CallWindow, type RecurringSegment } from './call-window.ts';
import { type ProposeContext, propose } from './propose.ts';
import { SegmentCounts } from './segment-counts.ts';
import { SessionCalls } from './session-calls.ts';

/** A session whose calls are read. */
export interface ObservedSession {
  readonly who: Principal;
  readonly config: Pick<Config, 'sandbox' | 'curation' | 'learning' | 'names'>;
  /** Knows the secrets of the config. */
  readonly redactor: Redactor;
  /** Returns the tools that the session can call at the moment. */
  readonly tools: () => NameIndex;
}

/** How many principals have their segments counted. Beyond it the half that was idle longest is forgotten. */
const MAX_PRINCIPALS = 64;
/** Calls that are read in one turn of the event loop. */
const CALLS_PER_TURN = 10;
/** How many proposals may wait to be made. More are dropped: their calls will recur. */
const MAX_JOBS = 32;
/** A session without calls for this long has ended what it was doing. */
const REST_MS = 5000;

/**
 * Learns from the tools that agents call one by one. Calls are kept as keyed hashes until the same sequence occurs for the
 * third time; then it becomes a program, is replayed, and is stored as a proposal. Counts live as long as the process.
 */
export class PlainCalls {
  readonly #context: ProposeContext;
  readonly #principals = new BoundedMap<string, SegmentCounts>(MAX_PRINCIPALS);
  /** Sessions with calls to read. */
  readonly #waiting = new Set<SessionCalls>();
  /** Sessions that may have something to hand over when they rest. */
  readonly #active = new Map<SessionCalls, number>();
  #turn: NodeJS.Immediate | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #jobs: Promise<void> = Promise.resolve();
  #jobCount = 0;
  #isClosed = false;

  constructor(context: ProposeContext) {
    this.#context = context;
  }

  /** Begins to read the calls of a session; undefined if its config does not want that. */
  open(session: ObservedSession): SessionCalls | undefined {
    if (!session.config.learning.plainCalls) return undefined;
    const counts = this.#countsOf(session.who);
    const onRecurring = (found: RecurringSegment) => this.#propose(session, found);
    return new SessionCalls({
      window: new CallWindow(randomUUID(), counts, onRecurring),
      now: Date.now,
      valueOf: plainValueOf,
      onWaiting: (one) => this.#wait(one),
      onClose: (one) => {
        this.#waiting.delete(one);
        this.#active.delete(one);
      },
    });
  }

  /** Resolves once all ended calls are read and the proposals made of them are stored. */
  async settled(): Promise<void> {
    while (this.#waiting.size > 0) this.#readSome();
    await this.#jobs;
  }

  /** Waits for the proposal that is being made; those that wait are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearImmediate(this.#turn);
    clearTimeout(this.#restTimer);
    await this.#jobs;
  }

  #countsOf({ org, project, user }: Principal): SegmentCounts {
    const key = JSON.stringify([org, project, user]);
    const counts = this.#principals.get(key) ?? new SegmentCounts();
    this.#principals.set(key, counts);
    return counts;
  }

  #wait(session: SessionCalls): void {
    if (this.#isClosed) return;
    this.#waiting.add(session);
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      this.#readSome();
    });
  }

  /** Reads some calls of the session that waits longest. The others have turns of their own. */
  #readSome(): void {
    const [session] = this.#waiting;
    if (!session || this.#isClosed) return;
    noteWork('recurring calls');
    this.#waiting.delete(session);
    if (session.read(CALLS_PER_TURN)) this.#wait(session);
    const [next] = this.#waiting;
    if (next) this.#wait(next);
    if (!session.isWaiting) return;
    this.#active.set(session, Date.now());
    this.#restTimer ??= this.#startRestTimer();
  }

  #startRestTimer(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#restTimer = undefined;
      for (const [session, since] of this.#active) {
        if (Date.now() - since < REST_MS) continue;
        this.#active.delete(session);
        session.rest();
      }
      if (this.#active.size > 0) this.#restTimer = this.#startRestTimer();
    }, REST_MS);
    return timer.unref();
  }

  #propose({ who, config, redactor, tools }: ObservedSession, found: RecurringSegment): void {
    if (this.#isClosed || this.#jobCount >= MAX_JOBS) return;
    this.#jobCount += 1;
    const caller = { who, tools: tools(), call: { session: randomUUID() } };
    const target = { caller, settings: { config, redactor }, auto: config.curation.auto };
    this.#jobs = this.#jobs
      .then(() => (this.#isClosed ? undefined : propose(this.#context, found, target)))
      .catch((error) => this.#context.log.debug(`recurring calls are not proposed: ${messageOf(error)}`))
      .finally(() => {
        this.#jobCount -= 1;
      });
  }
}
