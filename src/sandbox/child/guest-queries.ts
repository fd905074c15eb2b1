/** No real URL is longer, and parsing one must not block the child. */
const MAX_URL_LENGTH = 1_000_000;

const URL_PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;
const SETTABLE_PARTS = new Set<string>(URL_PARTS.filter((part) => part !== 'origin'));
const MAX_RANDOM_LENGTH = 65_536;

/** Answers a query of the guest, which is not trusted to have the right form. */
export function answerQuery(...query: unknown[]): string | Uint8Array | undefined {
  try {
    return answerOf(query);
  } catch {
    return undefined;
  }
}

function answerOf([kind, a, b, c]: unknown[]): string | Uint8Array | undefined {
  switch (kind) {
    case 'url':
      return partsText(b === undefined ? new URL(urlText(a)) : new URL(urlText(a), urlText(b)));
    case 'url-set':
      return setPart(urlText(a), String(b), urlText(c));
    case 'query':
      return JSON.stringify([...new URLSearchParams(String(a))]);
    case 'query-text':
      return new URLSearchParams(JSON.parse(String(a))).toString();
    case 'encode':
      return new TextEncoder().encode(String(a));
    case 'decode':
      return c instanceof Uint8Array
        ? new TextDecoder(String(a), { fatal: b === true }).decode(c)
        : undefined;
    case 'atob':
      return atob(String(a));
    case 'btoa':
      return btoa(String(a));
    case 'uuid':
      return crypto.randomUUID();
    case 'random':
      return typeof a === 'number' && a <= MAX_RANDOM_LENGTH
        ? crypto.getRandomValues(new Uint8Array(a))
        : undefined;
    default:
      return undefined;
  }
}

function urlText(value: unknown): string {
  const text = String(value);
  if (text.length > MAX_URL_LENGTH) throw new RangeError('URL too long');
  return text;
}

function setPart(href: string, key: string, value: string): string {
  const url = new URL(href);
  if (SETTABLE_PARTS.has(key)) url[key as 'href'] = value;
  return partsText(url);
}

function partsText(url: URL): string {
  return JSON.stringify(Object.fromEntries(URL_PARTS.map((part) => [part, url[part]])));
}
