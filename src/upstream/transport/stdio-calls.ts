import { type JSONRPCMessage, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { PausableDeadline } from '../../pausable-deadline.ts';

export interface StdioCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadline: PausableDeadline;
  readonly onprogress: (progress: JsonObject) => void;
}

interface OpenCall {
  readonly options: StdioCallOptions;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** Far from the SDK's own ids, which count from 0, and within 32 bits. */
const FIRST_ID = 1_000_000_000;

/**
 * Sends `tools/call` requests to a server of the older era below the SDK's client, which validates each answer several times
 * and starts a second timer for each request. All other requests go through the SDK.
 */
export class StdioCalls {
  readonly #send: (message: JSONRPCMessage) => Promise<void>;
  readonly #open = new Map<number, OpenCall>();
  #lastId = FIRST_ID;

  constructor(send: (message: JSONRPCMessage) => Promise<void>) {
    this.#send = send;
  }

  call(params: JsonObject, options: StdioCallOptions): Promise<JsonObject> {
    const { signal, deadline } = options;
    if (signal?.aborted) return Promise.reject(abortError(signal.reason));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#cancel(id, signal?.reason);
      const stopTimer = deadline.onExpiry(() =>
        this.#cancel(id, new Error('The server did not answer in time.')),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      const release = () => {
        stopTimer();
        signal?.removeEventListener('abort', onAbort);
        this.#open.delete(id);
      };
      this.#open.set(id, {
        options,
        resolve: (result) => {
          release();
          resolve(result);
        },
        reject: (error) => {
          release();
          reject(error);
        },
      });
      // Always requested: progress keeps a long call from timing out.
      const meta = { ...(isJsonObject(params._meta) && params._meta), progressToken: id };
      const request = { method: 'tools/call', params: { ...params, _meta: meta }, jsonrpc: '2.0', id };
      this.#send(request as JSONRPCMessage).catch((error) => this.#open.get(id)?.reject(error));
    });
  }

  /** Takes a valid message of the server if it belongs to one of these calls. */
  take(message: JSONRPCMessage): boolean {
    if ('method' in message)
      return message.method === 'notifications/progress' && this.#progress(message.params);
    const call = this.#open.get(Number(message.id));
    if (!call) return false;
    if ('result' in message) call.resolve(withoutResultType(message.result as JsonObject));
    else {
      const { code, message: text, data } = message.error;
      call.reject(ProtocolError.fromError(code, text, data));
    }
    return true;
  }

  close(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    for (const call of this.#open.values()) call.reject(error);
  }

  #progress(params: unknown): boolean {
    if (!isJsonObject(params) || typeof params.progress !== 'number') return false;
    const { progressToken, ...progress } = params;
    const call = this.#open.get(Number(progressToken));
    call?.options.onprogress(progress);
    return call !== undefined;
  }

  #cancel(id: number, reason: unknown): void {
    const call = this.#open.get(id);
    if (!call) return;
    const params = { requestId: id, reason: String(reason) };
    // The call has ended for its caller, whether the server hears of it or not.
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
    call.reject(abortError(reason));
  }
}

/** The error by which the SDK ends a request that was cancelled. */
function abortError(reason: unknown): unknown {
  return reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason));
}

/** Removes `resultType`, which the older era does not know. */
function withoutResultType(result: JsonObject): JsonObject {
  if (!('resultType' in result)) return result;
  const { resultType: _, ...rest } = result;
  return rest;
}
