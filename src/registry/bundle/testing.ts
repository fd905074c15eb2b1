import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inferNamespace } from '../../code/index.ts';
import { hashOf, parse } from '../../code/testing.ts';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { Keys, type Learned, remember, update } from '../index.ts';
import { registryOf } from '../testing.ts';
import { exportBundle } from './export.ts';
import { callsOf, localTools } from './forging.testing.ts';
import type { ImportOptions } from './import-plan.ts';
import { TrustedKeys } from './trusted-keys.ts';

export type { BundledVersion, Content } from './bundle-schema.ts';
export * from './forging.testing.ts';
export { printBundle, readBundle } from './read-bundle.ts';

const root = mkdtempSync(join(tmpdir(), 'pml-bundle-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

function scratch(): string {
  return mkdtempSync(join(root, 'x-'));
}

/** Makes the keys of an unknown instance. */
export function strangerKeys(): Promise<Keys> {
  return Keys.open(scratch(), { engine: 'pglite' } as Db);
}

export function importing(more: Partial<ImportOptions> = {}): ImportOptions {
  return { trusted: new TrustedKeys(join(scratch(), 'trusted')), localTools, ...more };
}

const SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string', default: 'a.json', description: 'the file' } },
  additionalProperties: false,
};

export function learnedFrom(code: string, more: Partial<Learned> = {}) {
  const calls = callsOf(code).map((call) => call.split('@')[0] as string);
  const toolsUsed = [...(code.includes('mcp.fs.read') ? ['fs:read'] : []), ...calls];
  parse(code);
  return {
    ...{
      code,
      codeHash: hashOf(code),
      parametersSchema: SCHEMA,
      toolsUsed,
      intent: `does ${code.slice(0, 20)}`,
    },
    namespace: inferNamespace(toolsUsed),
    routing: 'local' as const,
    ...more,
  };
}

/** Remembers code, and returns its FQDN. */
export async function saveCode(
  db: Db,
  who: Principal,
  name: string | undefined,
  code: string,
): Promise<string> {
  const { capability } = await remember(registryOf(db), who, learnedFrom(code, { name }));
  return capability.fqdn;
}

export async function saveVersion(db: Db, who: Principal, name: string, code: string, versionTag?: string) {
  return update(registryOf(db), who, name, {
    ...learnedFrom(code),
    versionTag,
    changeSummary: `now ${versionTag}`,
  });
}

export async function exported(db: Db, who: Principal, ...names: string[]): Promise<string> {
  return (await exportBundle(registryOf(db), who, names)).text;
}
