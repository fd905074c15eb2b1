import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { messageOf, PmlError } from '../errors.ts';

const MAX_DETAIL = 200;
const NOBODY_THERE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

/** What went wrong with a server, in words that follow "it". The libraries often say only that something failed. */
export function problemOf(error: unknown): string {
  if (error instanceof PmlError) return error.message;
  if (error instanceof SdkHttpError) {
    const text = (error.data as { text?: unknown } | undefined)?.text;
    const detail = (typeof text === 'string' && text.trim()) || error.statusText;
    return `answered with HTTP ${error.status}${detail ? ` (${short(detail)})` : ''}`;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return 'did not answer in time';
  const root = rootOf(error);
  const code = codeOf(root);
  if (isSystemCode(code)) return `could not be reached: ${messageOf(root) || code}`;
  if (root instanceof SyntaxError) return `gave an answer that is not JSON: ${short(root.message)}`;
  if (root instanceof Error && root.name === 'ZodError') return 'gave an answer that is no MCP message';
  return `failed: ${short(messageOf(root))}`;
}

/** Whether nobody listens at the server's address. */
export function isNobodyThere(error: unknown): boolean {
  return NOBODY_THERE.includes(String(codeOf(rootOf(error))));
}

/** Whether the server has forgotten this session, as after its restart. It has not looked at the request then. */
export function hasForgottenSession(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  // The protocol says 404; many servers say 400, and name the session.
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message));
}

function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause instanceof Error; depth++)
    root = root.cause;
  return root;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null | undefined)?.code;
}

function isSystemCode(code: unknown): code is string {
  return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|ERR_TLS\w*)$/.test(code);
}

function short(text: string): string {
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text;
}
