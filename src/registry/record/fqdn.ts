import { PmlError } from '../../errors.ts';

/** The parts of a capability's identity: `org.project.namespace.action.hash`. */
export interface Fqdn {
  org: string;
  project: string;
  namespace: string;
  action: string;
  hash: string;
}

const PART = /^[A-Za-z0-9_-]+$/;
const HASH = /^[0-9a-f]{4,64}$/;

export function buildFqdn(parts: Fqdn): string {
  const { org, project, namespace, action, hash } = parts;
  const text = [org, project, namespace, action, hash].join('.');
  if (!parseFqdn(text)) throw new PmlError('bad_request', `Invalid capability identity: ${text}`);
  return text;
}

/** Parses an FQDN; undefined if the text is none. */
export function parseFqdn(text: string): Fqdn | undefined {
  const [org, project, namespace, action, hash, ...rest] = text.split('.');
  if (rest.length > 0 || !hash || !HASH.test(hash)) return undefined;
  for (const part of [org, project, namespace, action]) if (!part || !PART.test(part)) return undefined;
  return { org, project, namespace, action, hash } as Fqdn;
}

export function isFqdn(text: string): boolean {
  return parseFqdn(text) !== undefined;
}

/** Parses an FQDN without its hash: `org.project.namespace.action`. */
export function parseUnhashed(text: string): Omit<Fqdn, 'hash'> | undefined {
  const parsed = parseFqdn(`${text}.0000`);
  if (!parsed) return undefined;
  const { hash, ...parts } = parsed;
  return parts;
}
