import { createHash, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import { type Keys, keyId, publicKeyOf, publicText } from '../trust/keys.ts';
import {
  Content,
  Envelope,
  FORMAT,
  FORMAT_VERSION,
  MAX_BUNDLE_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
} from './format.ts';

/** A bundle whose signature holds. Whether its signer is to be believed is another question. */
export interface SignedBundle {
  content: Content;
  /** The signer's public key. */
  signer: string;
  fingerprint: string;
  /** For whoever knows the signer already. */
  signature: string;
  signedText: string;
}

const MAX_REASON = 1000;

/** Why a bundle is refused. It may quote a stranger, whose words must do nothing to the terminal that shows them. */
export function invalid(reason: string, hint?: string): PmlError {
  const harmless = reason.replace(/[^\P{C}\n]/gu, '\ufffd').slice(0, MAX_REASON);
  return new PmlError('bundle_invalid', harmless, { ...(hint && { hint }) });
}

/** The name of a key that is long enough to be relied on. */
export function fingerprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Signs a content and writes it as the one text that it has. */
export function printBundle(keys: Keys, content: Content): string {
  const envelope = { format: FORMAT, version: FORMAT_VERSION, content, signer: keys.publicKey } as const;
  const text = print({ ...envelope, signature: keys.sign(canonicalJson(envelope)) });
  if (Buffer.byteLength(text) <= MAX_BUNDLE_BYTES) return text;
  throw invalid(
    `This would be a bundle of ${text.length} characters; at most ${MAX_BUNDLE_BYTES} are read.`,
    'Export fewer capabilities at once.',
  );
}

/**
 * Reads a bundle and checks its signature; nothing in it has been believed before. The text must be letter for letter
 * what PML writes, so that no two files that differ can both pass.
 */
export function readBundle(text: string): SignedBundle {
  if (Buffer.byteLength(text) > MAX_BUNDLE_BYTES)
    throw invalid(
      `This file is too large for a bundle: at most ${MAX_BUNDLE_BYTES / 1024 / 1024} MB are read.`,
    );
  const envelope = envelopeOf(parseJson(text));
  if (print(envelope) !== text.replaceAll('\r\n', '\n').trimEnd().concat('\n'))
    throw invalid('This bundle was changed: it is not written as PML writes it.', ASK_AGAIN);
  const { signature, ...signed } = envelope;
  const signedText = canonicalJson(signed);
  const key = keyOf(envelope);
  if (!key || !holds(key, signedText, signature))
    throw invalid('This bundle was changed after it was signed.', ASK_AGAIN);
  const content = Content.safeParse(envelope.content);
  if (!content.success) {
    const [issue] = content.error.issues;
    throw invalid(`This bundle is not as a bundle must be: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return {
    content: content.data,
    signer: envelope.signer,
    fingerprint: fingerprintOf(key),
    signature,
    signedText,
  };
}

const ASK_AGAIN = 'Nothing was imported. Ask whoever made it for the file as it was.';

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('This file is no bundle: it is not JSON.', 'A bundle is made with pml export.');
  }
  refuseOdd(value);
  return value;
}

/** What the store could not hold as it is, what is nested so deep that looking at it would fail, and far too much. */
function refuseOdd(value: unknown): void {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw invalid('This file is nested too deeply for a bundle.');
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'string') refuseNoText(one);
      if (!isObject(one)) continue;
      count += Array.isArray(one) ? one.length : Object.keys(one).length;
      if (count > MAX_VALUES) throw invalid('This file holds too many values for a bundle.');
      if (!Array.isArray(one)) for (const key of Object.keys(one)) refuseNoText(key);
      for (const inner of Object.values(one)) next.push(inner);
    }
    level = next;
  }
}

function refuseNoText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalid('This bundle holds a character that is no text.');
}

function envelopeOf(value: unknown): Envelope {
  const { format, version } = isObject(value) ? (value as Record<string, unknown>) : {};
  if (format !== FORMAT) throw invalid('This file is no bundle of PML.', 'A bundle is made with pml export.');
  if (version !== FORMAT_VERSION)
    throw invalid(
      `This bundle has format ${String(version).slice(0, 20)}; this PML reads format ${FORMAT_VERSION}.`,
      'Upgrade PML to read it.',
    );
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) throw invalid('This bundle is not as a bundle must be.');
  // What was read, not what the check made of it.
  return value as Envelope;
}

function keyOf({ signer }: Envelope): KeyObject | undefined {
  const key = publicKeyOf(signer);
  return key && publicText(key) === signer ? key : undefined;
}

function holds(key: KeyObject, text: string, signature: string): boolean {
  const [, id, written = ''] = /^ed25519:([0-9a-f]{16}):([\w-]{86})$/.exec(signature) ?? [];
  const bytes = Buffer.from(written, 'base64url');
  // The last letter has bits that say nothing.
  return (
    id === keyId(key) &&
    bytes.toString('base64url') === written &&
    verify(null, Buffer.from(text), key, bytes)
  );
}

function print({ format, version, content, signer, signature }: Envelope): string {
  return `${JSON.stringify({ format, version, content: sorted(content), signer, signature }, null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
