import { signal } from '@preact/signals';
import type { Session } from './types.ts';

const BASE = '/api/v1';

/** An answer of the gateway that says why it refused. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: unknown;
  constructor(status: number, body: { code?: string; message?: string; hint?: string } | undefined) {
    super(body?.message ?? `The gateway answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.hint = body?.hint;
    this.details = body;
  }
}

/** The request did not reach the gateway. */
export class GatewayAway extends Error {
  constructor() {
    super('The gateway does not answer. Is `pml up` still running?');
  }
}

export type Params = Record<string, string | number | boolean | null | undefined>;

/** The gateway as it was when this page last asked. */
export const session = signal<Session | null>(null);
/** The workspace that the reader chose; null for the gateway's own. */
export const chosenWorkspace = signal<string | null>(null);

let asking: Promise<Session> | undefined;

export function loadSession(): Promise<Session> {
  asking ??= request<Session>('GET', '/session', {})
    .then((answer) => {
      session.value = answer;
      return answer;
    })
    .finally(() => {
      asking = undefined;
    });
  return asking;
}

const first = Promise.withResolvers<void>();
/** Resolves when a view has its first answer: figures that nobody waits for are read afterwards. */
export const firstAnswer = first.promise;

export function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return request<T>('GET', addressOf(path, params), { signal: signal ?? null }).finally(first.resolve);
}

/**
 * True if an answer is older than the event after which the stream of changes begins, as when the browser sent the request
 * before the script ran. Such an answer must be read again: the stream tells only of later changes.
 */
export async function isOlderThanStream(asOf: string | undefined): Promise<boolean> {
  if (asOf === undefined) return false;
  // Without a session no stream has begun.
  const began = session.value ?? (await loadSession().catch(() => null));
  const [[epoch, number], [streamEpoch, from]] = [asOf.split('-'), (began?.last_event ?? '').split('-')];
  return epoch === streamEpoch && Number(number) < Number(from);
}

/** Changes something. The page's token goes with it; the gateway makes a new one at each start. */
export async function send<T>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body: object = {},
): Promise<T> {
  const attempt = async () => {
    const { token } = session.value ?? (await loadSession());
    const headers = { 'content-type': 'application/json', 'x-pml-token': token };
    return request<T>(method, addressOf(path, {}), { headers, body: JSON.stringify(body) });
  };
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'stale_page') throw error;
    await loadSession();
    return attempt();
  }
}

export const post = <T>(path: string, body: object = {}): Promise<T> => send<T>('POST', path, body);

/** Builds a path of an API request; each part is escaped. */
export function apiPath(...parts: (string | number)[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

export function eventsAddress(after: string | undefined): string {
  return `${BASE}${addressOf('/events', { after })}`;
}

function addressOf(path: string, params: Params): string {
  const query = new URLSearchParams();
  if (chosenWorkspace.value) query.set('workspace', chosenWorkspace.value);
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(key, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

async function request<T>(method: string, address: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(BASE + address, { ...init, method });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new GatewayAway();
  }
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(response.status, body?.error);
  if (body === undefined) throw new GatewayAway();
  return body as T;
}
