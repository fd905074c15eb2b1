import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { messageOf, PmlError } from '../errors.ts';

const MAX_DETAIL = 200;
const NOBODY_THERE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Why a certificate is not believed, where the reader can do something about it. */
const UNKNOWN_ISSUER: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'nobody but itself vouches for it',
  SELF_SIGNED_CERT_IN_CHAIN: 'an authority that is not known here vouches for it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'an authority that is not known here vouches for it',
  UNABLE_TO_GET_ISSUER_CERT: 'an authority that is not known here vouches for it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'an authority that is not known here vouches for it',
};
const TRUST_IT =
  'if it is yours, set NODE_EXTRA_CA_CERTS to the PEM file of its authority where PML is started, and run `pml down`';
/** And where only its owner can. */
const INVALID: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet, or the clock of this machine is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  CERT_REVOKED: 'it was revoked',
};

/** What went wrong with a server, in words that follow "it". The libraries often say only that something failed. */
export function problemOf(error: unknown): string {
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
  const distrust = distrustOf(String(code));
  if (distrust) return `could not be reached: its certificate is refused: ${distrust}`;
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

/** What the SDK says of a redirect that it did not follow, since it leads to another place. */
function redirectOf({ status, message }: SdkHttpError): string | undefined {
  const at = message.indexOf('Redirect ');
  return status >= 300 && status < 400 && at !== -1
    ? message.slice(at).split(' (redirectPolicy')[0]
    : undefined;
}

function distrustOf(code: string): string | undefined {
  const unknown = UNKNOWN_ISSUER[code];
  return unknown ? `${unknown} (${code}); ${TRUST_IT}` : INVALID[code] && `${INVALID[code]} (${code})`;
}

function isSystemCode(code: unknown): code is string {
  return typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|ERR_TLS\w*)$/.test(code);
}

function short(text: string): string {
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text;
}
