import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { ENVELOPE } from '../session/client-request.ts';

export const MODERN_VERSION = '2026-07-28';

/** A `tools/call` request that is valid in every respect and asks for nothing rare. */
export interface DirectToolCall {
  readonly era: 'legacy' | 'modern';
  readonly id: string | number;
  readonly progressToken: string | number | undefined;
  /** The parameters without the envelope. */
  readonly params: JsonObject & { readonly name: string };
  /** The keys of `_meta` by which a modern client describes itself; undefined for an older one. */
  readonly envelope: JsonObject | undefined;
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const ENVELOPE_KEYS: readonly string[] = [
  ENVELOPE.version,
  ENVELOPE.clientInfo,
  ENVELOPE.capabilities,
  ENVELOPE.logLevel,
];
/** Parameters that the SDK takes out of a request: the retry of a call that asked for input, and tasks. */
const RARE_PARAMS: readonly string[] = ['inputResponses', 'requestState', 'task'];
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/**
 * Reads a message as a `tools/call` that PML answers below the SDK. Returns undefined for everything else, and for
 * every message that may be invalid: the SDK answers it, or refuses it in its own words.
 */
export function directToolCallOf(message: unknown): DirectToolCall | undefined {
  if (!isJsonObject(message) || message.method !== 'tools/call' || message.jsonrpc !== '2.0')
    return undefined;
  for (const key in message) if (!MESSAGE_KEYS.has(key)) return undefined;
  const { id, params } = message;
  if (!isToken(id) || !isJsonObject(params) || typeof params.name !== 'string') return undefined;
  if (RARE_PARAMS.some((key) => key in params)) return undefined;
  const meta = params._meta;
  const call = { id, params: params as DirectToolCall['params'] };
  if (meta === undefined) return { ...call, era: 'legacy', progressToken: undefined, envelope: undefined };
  if (!isJsonObject(meta) || RELATED_TASK in meta) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isToken(progressToken)) return undefined;
  if (!ENVELOPE_KEYS.some((key) => key in meta))
    return { ...call, era: 'legacy', progressToken, envelope: undefined };
  if (meta[ENVELOPE.version] !== MODERN_VERSION || !isValidEnvelope(meta)) return undefined;
  return { id, era: 'modern', progressToken, params: withoutEnvelope(call.params, meta), envelope: meta };
}

/** True for a valid id or progress token. */
function isToken(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function withoutEnvelope(params: DirectToolCall['params'], meta: JsonObject): DirectToolCall['params'] {
  const { _meta, ...bare } = params;
  const rest = Object.entries(meta).filter(([key]) => !ENVELOPE_KEYS.includes(key));
  // `fromEntries`, because assigning the key `__proto__` would set the prototype instead.
  const kept = rest.length > 0 ? { ...bare, _meta: Object.fromEntries(rest) } : bare;
  return kept as DirectToolCall['params'];
}

/** Envelopes that the SDK found valid, as JSON: a client sends the same one with every request. */
const validEnvelopes = new Set<string>();
const MAX_ENVELOPES = 100;
const MAX_ENVELOPE_LENGTH = 4000;

/** Checks the envelope alone: the rest of `_meta` is free, apart from the progress token, which is checked above. */
function isValidEnvelope(meta: JsonObject): boolean {
  const text = envelopeText(meta);
  if (text === undefined) return false;
  if (validEnvelopes.has(text)) return true;
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: '', _meta: meta } };
  if (classifyInboundRequest({ httpMethod: 'POST', body }).kind !== 'modern') return false;
  if (validEnvelopes.size >= MAX_ENVELOPES) validEnvelopes.clear();
  if (text.length <= MAX_ENVELOPE_LENGTH) validEnvelopes.add(text);
  return true;
}

/** Writes an object, which tells a null key from a missing one: an array would have null for both. */
function envelopeText(meta: JsonObject): string | undefined {
  const {
    [ENVELOPE.clientInfo]: info,
    [ENVELOPE.capabilities]: capabilities,
    [ENVELOPE.logLevel]: level,
  } = meta;
  try {
    return JSON.stringify({ info, capabilities, level });
  } catch {
    // Nested so deeply that it overflows the stack.
    return undefined;
  }
}
