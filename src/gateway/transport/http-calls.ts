import type { ServerResponse } from 'node:http';
import { type CallSide, DirectCall } from './direct-call.ts';
import { HttpAnswer, type HttpAnswerOptions } from './http-answer.ts';
import type { DirectToolCall } from './parse-direct-call.ts';

/** How often a client hears that its call is still under way. Clients and proxies give up on a silent connection. */
const KEEP_ALIVE_MS = 15_000;

/** The answers of one endpoint to `tools/call` requests, written to `node:http` directly. */
export class HttpCalls {
  readonly #open = new Set<HttpAnswer>();
  readonly #keepAliveMs: number;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(keepAliveMs = KEEP_ALIVE_MS) {
    this.#keepAliveMs = keepAliveMs;
    this.#keepAlive = setInterval(() => this.#sendKeepAlives(), keepAliveMs);
    this.#keepAlive.unref();
  }

  /** Makes a call whose answer goes to this response. `onEnd` is called once, when the response is sent or its client has gone. */
  open(
    call: DirectToolCall,
    side: CallSide,
    { response, onEnd, ...options }: HttpAnswerOptions & { response: ServerResponse; onEnd: () => void },
  ): DirectCall {
    const answer = new HttpAnswer(response, options);
    this.#open.add(answer);
    response.once('close', () => {
      this.#open.delete(answer);
      onEnd();
    });
    return new DirectCall(call, side, answer);
  }

  close(): void {
    clearInterval(this.#keepAlive);
  }

  /** Skips calls that have just begun: most are answered at once, with one JSON body. */
  #sendKeepAlives(): void {
    const justNow = performance.now() - this.#keepAliveMs;
    for (const answer of this.#open) if (answer.beganAt < justNow) answer.keepAlive();
  }
}
