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
} from './bundle-schema.ts';

/** A bundle whose signature is valid. Its signer is not necessarily trusted. */
export interface SignedBundle {
  content: Content;
  /** The signer's public key. */
  signer: string;
  fingerprint: string;
  /** Lets the signer itself recognise its bundle. */
  signature: string;
  signedText: string;
}

const MAX_REASON = 1000;

/** The error of a refused bundle. It may quote a stranger, so control characters are replaced. */
export function invalidBundle(reason: string, hint?: string): PmlError {
  const harmless = reason.replace(/[^\P{C}\n]/gu, '\ufffd').slice(0, MAX_REASON);
  return new PmlError('bundle_invalid', harmless, { ...(hint && { hint }) });
}

/** The full hash of a key, for people to compare. */
export function fingerprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Signs content and prints it in its canonical form. */
export function printBundle(keys: Keys, content: Content): string {
  const envelope = { format: FORMAT, version: FORMAT_VERSION, content, signer: keys.publicKey } as const;
  const text = print({ ...envelope, signature: keys.sign(canonicalJson(envelope)) });
  if (Buffer.byteLength(text) <= MAX_BUNDLE_BYTES) return text;
  throw invalidBundle(
    `This would be a bundle of ${text.length} characters; at most ${MAX_BUNDLE_BYTES} are read.`,
    'Export fewer capabilities at once.',
  );
}

/**
 * Parses a bundle and checks its signature, before anything in it is believed. The text must be letter for letter what PML
 * writes, so that no two different files can both pass.
 */
export function readBundle(text: string): SignedBundle {
  if (Buffer.byteLength(text) > MAX_BUNDLE_BYTES)
    throw invalidBundle(
      `This file is too large for a bundle: at most ${MAX_BUNDLE_BYTES / 1024 / 1024} MB are read.`,
    );
  const envelope = envelopeOf(parseJson(text));
  if (print(envelope) !== text.replaceAll('\r\n', '\n').trimEnd().concat('\n'))
    throw invalidBundle('This bundle was changed: it is not written as PML writes it.', ASK_AGAIN);
  const { signature, ...signed } = envelope;
  const signedText = canonicalJson(signed);
  const key = keyOf(envelope);
  if (!key || !isValid(key, signedText, signature))
    throw invalidBundle('This bundle was changed after it was signed.', ASK_AGAIN);
  const content = Content.safeParse(envelope.content);
  if (!content.success) {
    const [issue] = content.error.issues;
    throw invalidBundle(`This bundle is malformed: ${issue?.path.join('.')}: ${issue?.message}`);
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
    throw invalidBundle('This file is no bundle: it is not JSON.', 'A bundle is made with pml export.');
  }
  assertReadable(value);
  return value;
}

/** Fails on text that the store cannot hold, on deep nesting, and on too many values. */
function assertReadable(value: unknown): void {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw invalidBundle('This file is nested too deeply for a bundle.');
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'string') assertText(one);
      if (!isObject(one)) continue;
      count += Array.isArray(one) ? one.length : Object.keys(one).length;
      if (count > MAX_VALUES) throw invalidBundle('This file holds too many values for a bundle.');
      if (!Array.isArray(one)) for (const key of Object.keys(one)) assertText(key);
      for (const inner of Object.values(one)) next.push(inner);
    }
    level = next;
  }
}

function assertText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalidBundle('This bundle contains a character that is not text: NUL, or half a surrogate pair.');
}

function envelopeOf(value: unknown): Envelope {
  const { format, version } = isObject(value) ? (value as Record<string, unknown>) : {};
  if (format !== FORMAT)
    throw invalidBundle('This file is no bundle of PML.', 'A bundle is made with pml export.');
  if (version !== FORMAT_VERSION)
    throw invalidBundle(
      `This bundle has format ${String(version).slice(0, 20)}; this PML reads format ${FORMAT_VERSION}.`,
      'Upgrade PML to read it.',
    );
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) throw invalidBundle('This bundle is malformed.');
  // The value as it was read, not as zod copied it.
  return value as Envelope;
}

function keyOf({ signer }: Envelope): KeyObject | undefined {
  const key = publicKeyOf(signer);
  return key && publicText(key) === signer ? key : undefined;
}

function isValid(key: KeyObject, text: string, signature: string): boolean {
  const [, id, written = ''] = /^ed25519:([0-9a-f]{16}):([\w-]{86})$/.exec(signature) ?? [];
  const bytes = Buffer.from(written, 'base64url');
  // The last base64 letter has unused bits: only one spelling of a signature may pass.
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
