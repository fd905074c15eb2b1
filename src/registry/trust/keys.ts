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

/** What a signature turns out to be. */
export type Verdict = 'good' | 'bad' | 'unsigned' | 'stranger';

/** Of texts whose signature was found good: the same text with the same signature is good again. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The file beside a key that says that it has signed the heads of all it had signed before. */
export const HEADS_SIGNED = 'heads-signed';

const SIGNATURE = /^ed25519:([0-9a-f]{16}):([\w-]{86})$/;

/** The key that this instance signs with, and those it believes. */
export class Keys {
  readonly id: string;
  readonly publicKey: string;
  readonly #private: KeyObject;
  readonly #known = new Map<string, KeyObject>();
  readonly #good = new Map<string, string>();
  #characters = 0;
  /** Replicas on one database believe each other; a database of this instance's own holds no word but its own. */
  readonly #others: Db | undefined;

  private constructor(key: KeyObject, others: Db | undefined) {
    const own = createPublicKey(key);
    this.#private = key;
    this.#others = others;
    this.id = keyId(own);
    this.publicKey = publicText(own);
    this.#known.set(this.id, own);
  }

  /** Reads the key of this home, or makes it. */
  static async open(home: string, db: Db): Promise<Keys> {
    const key = readOrMake(join(home, 'keys'));
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

  /** A secret of this instance for one purpose. It tells nothing of the key, nor of the secret for another purpose. */
  derive(purpose: string): Buffer {
    const key = this.#private.export({ type: 'pkcs8', format: 'der' });
    return Buffer.from(hkdfSync('sha256', key, '', `pml ${purpose}`, 32));
  }

  /** Within a transaction, `tx` is it: the key of another replica is asked for there. */
  async judge(text: string, signature: string | null, tx?: Queryable): Promise<Verdict> {
    if (signature === null) return 'unsigned';
    const [, id = '', bytes = ''] = SIGNATURE.exec(signature) ?? [];
    if (id === '') return 'bad';
    if (this.#good.get(signature) === text) return 'good';
    const key = this.#known.get(id) ?? (await this.#introduced(id, tx));
    if (!key) return 'stranger';
    if (!verify(null, Buffer.from(text), key, Buffer.from(bytes, 'base64url'))) return 'bad';
    this.#remember(signature, text);
    return 'good';
  }

  #remember(signature: string, text: string): void {
    this.#characters += text.length - (this.#good.get(signature)?.length ?? 0);
    this.#good.set(signature, text);
    for (const [oldest, { length }] of this.#good) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#good.delete(oldest);
      this.#characters -= length;
    }
  }

  async #introduced(id: string, tx: Queryable | undefined): Promise<KeyObject | undefined> {
    const others = this.#others && (tx ?? this.#others);
    const found = await others?.query<{ public_key: string }>(
      'select public_key from instance_keys where id = $1',
      [id],
    );
    const key = found?.rows[0] && publicKeyOf(found.rows[0].public_key);
    // A key that is not the one it is called by was changed.
    if (!key || keyId(key) !== id) return undefined;
    this.#known.set(id, key);
    return key;
  }
}

/** The name of a public key. */
export function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}

/** A public key as one line of text. */
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

function readOrMake(folder: string): KeyObject {
  const file = join(folder, 'instance.pem');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const key = createPrivateKey(readIfThere(file) ?? make(file));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    // Whoever can read it can sign in this instance's name, however it came to be readable.
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

/** Written whole under another name first: a process killed in the middle leaves no half of a key. */
function make(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const draft = `${file}.${process.pid}`;
  // Before the key: what it signs, it signs whole from the beginning (see sign-old-heads.ts).
  writeFileSync(join(dirname(file), HEADS_SIGNED), '', { mode: 0o600 });
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  linkSync(draft, file);
  rmSync(draft);
  return text;
}
