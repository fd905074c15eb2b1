import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { messageOf, PmlError } from '../errors.ts';

const MAX_DETAIL_LENGTH = 200;
const NOBODY_LISTENING = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Certificates that the reader can decide to trust. */
const UNKNOWN_ISSUER: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed, so nobody else vouches for it',
  SELF_SIGNED_CERT_IN_CHAIN: 'an unknown certificate authority vouches for it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'an unknown certificate authority vouches for it',
  UNABLE_TO_GET_ISSUER_CERT: 'an unknown certificate authority vouches for it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'an unknown certificate authority vouches for it',
};
const HOW_TO_TRUST =
  'if it is yours, set NODE_EXTRA_CA_CERTS to the PEM file of its authority where PML is started, and run `pml down`';
/** Certificates that only the owner can fix. */
const INVALID_CERTIFICATE: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet, or the clock of this machine is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  CERT_REVOKED: 'it was revoked',
};

/** Describes what went wrong with a server, phrased to follow "it". Libraries often say only that something failed. */
export function describeProblem(error: unknown): string {
  if (error instanceof PmlError) return error.message;
  if (error instanceof SdkHttpError) {
    const text = (error.data as { text?: unknown } | undefined)?.text;
    const detail = redirectOf(error) || (typeof text === 'string' && text.trim()) || error.statusText;
    return `answered with HTTP ${error.status}${detail ? ` (${short(detail)})` : ''}`;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return 'did not answer in time';
  const root = rootOf(error);
  const code = codeOf(root);
  const refusal = certificateRefusal(String(code));
  if (refusal) return `could not be reached: its certificate is refused: ${refusal}`;
  if (isSystemCode(code)) return `could not be reached: ${messageOf(root) || code}`;
  if (root instanceof SyntaxError) return `gave an answer that is not JSON: ${short(root.message)}`;
  if (root instanceof Error && root.name === 'ZodError') return 'gave an answer that is no MCP message';
  return `failed: ${short(messageOf(root))}`;
}

/** Returns whether nothing listens at the server's address. */
export function isNobodyListening(error: unknown): boolean {
  return NOBODY_LISTENING.includes(String(codeOf(rootOf(error))));
}

/** Returns whether the server has forgotten this session, as after a restart. It has not processed the request then. */
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

/** The SDK's message about a redirect to another origin, which it did not follow. */
function redirectOf({ status, message }: SdkHttpError): string | undefined {
  const at = message.indexOf('Redirect ');
  return status >= 300 && status < 400 && at !== -1
    ? message.slice(at).split(' (redirectPolicy')[0]
    : undefined;
}

function certificateRefusal(code: string): string | undefined {
  const unknown = UNKNOWN_ISSUER[code];
  return unknown
    ? `${unknown} (${code}); ${HOW_TO_TRUST}`
    : INVALID_CERTIFICATE[code] && `${INVALID_CERTIFICATE[code]} (${code})`;
}

function isSystemCode(code: unknown): code is string {
  return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|ERR_TLS\w*)$/.test(code);
}

function short(text: string): string {
  return text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}…` : text;
}
