import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '../principal.ts';
import type { Db } from '../store/index.ts';
import { type Capability, Keys, type Learned, type Registry, remember, rename } from './index.ts';
import type { Visibility } from './record/capability.ts';

export { parseFqdn } from './record/fqdn.ts';
export type { Visibility };

/** One key for all tests of a process, like replicas that share a home. */
const keys = await Keys.open(freshHome(), { engine: 'pglite' } as Db);

export function registryOf(db: Db): Registry {
  return { db, keys };
}

function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'pml-keys-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return home;
}

export const ana: Principal = { user: 'ana', org: 'acme', project: 'web' };
export const ben: Principal = { user: 'ben', org: 'acme', project: 'web' };
export const cyd: Principal = { user: 'cyd', org: 'acme', project: 'other' };
export const dan: Principal = { user: 'dan', org: 'elsewhere', project: 'web' };

export function learned(hash: string, more: Partial<Learned> = {}): Learned {
  return {
    code: `return ${JSON.stringify(hash)} + args.path;`,
    codeHash: hash.padEnd(64, '0'),
    parametersSchema: { type: 'object', properties: { path: { type: 'string', default: 'a' } } },
    toolsUsed: ['fs:read'],
    namespace: 'fs',
    intent: 'read a file',
    routing: 'local',
    ...more,
  };
}

let made = 0;

/** Remembers a capability with code of its own. */
export async function saveCapability(
  db: Db,
  who: Principal,
  name?: string,
  visibility?: Visibility,
): Promise<Capability> {
  made += 1;
  const hash = made.toString(16).padStart(8, '0').split('').reverse().join('');
  const { capability } = await remember(registryOf(db), who, learned(hash, { name }));
  return visibility ? rename(registryOf(db), who, capability.fqdn, { visibility }) : capability;
}

/** Returns the error of an act as `code: message`, or `done`. */
export async function failureOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return `${code}: ${message}`;
  }
}
