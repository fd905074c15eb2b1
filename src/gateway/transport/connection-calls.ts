import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';
import type { Log } from '../../log.ts';
import type { Session } from '../session/session.ts';
import { type AnswerChannel, DirectCall } from './direct-call.ts';
import { directToolCallOf } from './parse-direct-call.ts';
import { PendingCalls } from './pending-calls.ts';

/** Answers the direct calls of a client on a stream, below the SDK, once the SDK has settled which era the client speaks. */
export class ConnectionCalls {
  readonly #session: Session;
  readonly #log: Log;
  readonly #channel: AnswerChannel;
  readonly #calls = new PendingCalls();
  #era: 'legacy' | 'modern' | undefined;
  #server: Server | undefined;

  constructor(session: Session, log: Log, send: (message: JSONRPCMessage) => Promise<void>) {
    this.#session = session;
    this.#log = log;
    const write = (message: object) => {
      // Sending fails only for a message that is too long. An answer that is too long is sent as an error instead.
      send(message as JSONRPCMessage).catch((error) => log.debug(`session: ${error.message}`));
    };
    this.#channel = { answer: write, send: write, abandon: () => {} };
  }

  /** Called for each request that the SDK passes to the session: the era of the connection is settled by then. */
  begin(era: 'legacy' | 'modern', server: Server): void {
    this.#era = era;
    this.#server = server;
  }

  /** Answers a message if it is a direct call of the connection's era. */
  take(message: unknown): boolean {
    if (this.#era === undefined) return false;
    const call = directToolCallOf(message);
    if (!call || call.era !== this.#era || this.#calls.get(call.id)) return false;
    const side = { session: this.#session, log: this.#log, server: this.#server };
    void this.#calls.run(new DirectCall(call, side, this.#channel), call.params);
    return true;
  }

  /** Cancels the call that a message names, if it is answered here. */
  takeCancellation(message: JSONRPCMessage): boolean {
    return 'method' in message && this.#calls.cancelBy(message);
  }

  close(): void {
    this.#era = undefined;
    this.#calls.cancelAll();
  }
}
