import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PmlError } from '../../errors.ts';
import type { Db, Queryable } from '../../store/index.ts';

/** The result of checking a signature. */
export type SignatureStatus = 'valid' | 'invalid' | 'unsigned' | 'unknown-key';

/** How many characters of validly signed text are cached, so that their signatures need not be checked again. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The file beside a key that marks that the heads of all older records are signed (see sign-old-heads.ts). */
export const HEADS_SIGNED = 'heads-signed';

const SIGNATURE = /^ed25519:([0-9a-f]{16}):([\w-]{86})$/;

/** The key that this instance signs with, and the public keys it trusts. */
export class Keys {
  readonly id: string;
  readonly publicKey: string;
  readonly #private: KeyObject;
  readonly #known = new Map<string, KeyObject>();
  readonly #valid = new Map<string, string>();
  #characters = 0;
  /** Replicas on one database trust each other. Undefined if the database is this instance's own. */
  readonly #shared: Db | undefined;

  private constructor(key: KeyObject, shared: Db | undefined) {
    const own = createPublicKey(key);
    this.#private = key;
    this.#shared = shared;
    this.id = keyId(own);
    this.publicKey = publicText(own);
    this.#known.set(this.id, own);
  }

  /** Reads the key of this home, or creates it. */
  static async open(home: string, db: Db): Promise<Keys> {
    const key = readOrCreate(join(home, 'keys'));
    if (db.engine === 'pglite') return new Keys(key, undefined);
    const keys = new Keys(key, db);
    await db.query('insert into instance_keys (id, public_key) values ($1, $2) on conflict do nothing', [
      keys.id,
      keys.publicKey,
    ]);
    return keys;
  }

  sign(text: string): string {
    const signature = `ed25519:${this.id}:${sign(null, Buffer.from(text), this.#private).toString('base64url')}`;
    this.#remember(signature, text);
    return signature;
  }

  /** Derives a secret of this instance for one purpose. It reveals neither the key nor the secret for another purpose. */
  derive(purpose: string): Buffer {
    const key = this.#private.export({ type: 'pkcs8', format: 'der' });
    return Buffer.from(hkdfSync('sha256', key, '', `pml ${purpose}`, 32));
  }

  /** Checks a signature. Within a transaction, give it as `tx`: the key of another replica is read there. */
  async verify(text: string, signature: string | null, tx?: Queryable): Promise<SignatureStatus> {
    if (signature === null) return 'unsigned';
    const [, id = '', bytes = ''] = SIGNATURE.exec(signature) ?? [];
    if (id === '') return 'invalid';
    if (this.#valid.get(signature) === text) return 'valid';
    const key = this.#known.get(id) ?? (await this.#replicaKey(id, tx));
    if (!key) return 'unknown-key';
    if (!verify(null, Buffer.from(text), key, Buffer.from(bytes, 'base64url'))) return 'invalid';
    this.#remember(signature, text);
    return 'valid';
  }

  #remember(signature: string, text: string): void {
    this.#characters += text.length - (this.#valid.get(signature)?.length ?? 0);
    this.#valid.set(signature, text);
    for (const [oldest, { length }] of this.#valid) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#valid.delete(oldest);
      this.#characters -= length;
    }
  }

  async #replicaKey(id: string, tx: Queryable | undefined): Promise<KeyObject | undefined> {
    const db = this.#shared && (tx ?? this.#shared);
    const found = await db?.query<{ public_key: string }>(
      'select public_key from instance_keys where id = $1',
      [id],
    );
    const key = found?.rows[0] && publicKeyOf(found.rows[0].public_key);
    // A key whose hash is not its id was tampered with.
    if (!key || keyId(key) !== id) return undefined;
    this.#known.set(id, key);
    return key;
  }
}

/** Identifies a public key by its hash. */
export function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** Prints a public key as one line of text. */
export function publicText(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64url');
}

export function publicKeyOf(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), type: 'spki', format: 'der' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function readOrCreate(folder: string): KeyObject {
  const file = join(folder, 'instance.pem');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const key = createPrivateKey(readIfThere(file) ?? create(file));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    // Whoever can read the key can sign as this instance.
    chmodSync(file, 0o600);
    return key;
  } catch (error) {
    throw new PmlError('home_unusable', `The signing key ${file} cannot be used: ${messageOf(error)}`, {
      hint: 'Restore it from a backup. Without it nothing that it signed will run.',
    });
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a new key under another name first: a process killed in the middle leaves no half of a key. */
function create(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const draft = `${file}.${process.pid}`;
  // Before the key exists: a new key has no old heads to sign (see sign-old-heads.ts).
  writeFileSync(join(dirname(file), HEADS_SIGNED), '', { mode: 0o600 });
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  linkSync(draft, file);
  rmSync(draft);
  return text;
}
