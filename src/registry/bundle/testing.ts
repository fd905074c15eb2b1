import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf, inferNamespace, parse } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { Keys, type Learned, remember, update } from '../index.ts';
import { registryOf } from '../testing.ts';
import { callsOf, hashOfText, toolsNeeded } from './examine.ts';
import { exportBundle } from './export.ts';
import type { Carried, CarriedVersion, Content } from './format.ts';
import type { ImportOptions, Surroundings } from './import.ts';
import { TrustedKeys } from './trusted.ts';

const root = mkdtempSync(join(tmpdir(), 'pml-bundle-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

function scratch(): string {
  return mkdtempSync(join(root, 'x-'));
}

/** The keys of an instance that nobody here knows. */
export function strangerKeys(): Promise<Keys> {
  return Keys.open(scratch(), { engine: 'pglite' } as Db);
}

/** A place where the tool `fs:read` is connected, and nothing else. */
export const around: Surroundings = {
  refuse: (name) => {
    if (name === 'fs:read') throw Object.assign(new Error('is a tool'), { code: 'name_taken' });
  },
  toolOf: (spelling) =>
    spelling.replaceAll('_', '') === 'fs:read' ? { name: 'fs:read', routing: 'local' } : undefined,
  hasServer: (name) => name === 'fs',
};

export function importing(more: Partial<ImportOptions> = {}): ImportOptions {
  return { trusted: new TrustedKeys(join(scratch(), 'trusted')), around, ...more };
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

/** Keeps code, and answers its full name. */
export async function keepCode(
  db: Db,
  who: Principal,
  name: string | undefined,
  code: string,
): Promise<string> {
  const { capability } = await remember(registryOf(db), who, learnedFrom(code, { name }));
  return capability.fqdn;
}

export async function keepVersion(db: Db, who: Principal, name: string, code: string, versionTag?: string) {
  return update(registryOf(db), who, name, {
    ...learnedFrom(code),
    versionTag,
    changeSummary: `now ${versionTag}`,
  });
}

export async function exported(db: Db, who: Principal, ...names: string[]): Promise<string> {
  return (await exportBundle(registryOf(db), who, names)).text;
}

/** A version as an honest bundle would have it. */
export function versionOf(version: number, code: string, more: Partial<CarriedVersion> = {}): CarriedVersion {
  const calls = parses(code) ? callsOf(code) : [];
  return {
    ...{ version, version_tag: null, code: code.split('\n'), code_sha256: hashOfText(code), calls },
    tools_used: [...new Set(calls.map((call) => call.split('@')[0] as string))],
    parameters_schema: { type: 'object', properties: {} },
    ...{ author: 'eve', made_at: '2025-06-01T00:00:00.000Z', change_summary: 'made' },
    ...more,
  };
}

export function carriedOf(name: string, ...codes: string[]): Carried {
  return {
    ...{ fqdn: fqdnOf(name), name, named: true, description: 'does it', intent: 'do it', tags: ['a'] },
    ...{ routing: 'cloud', routing_chosen: false, author: 'eve' },
    versions: codes.map((code, index) => versionOf(index + 1, code)),
  };
}

export function fqdnOf(name: string): string {
  return `evil.corp.${name.replace(':', '.')}.abcd`;
}

export function contentOf(...capabilities: Carried[]): Content {
  return {
    ...{ made_by: 'PML 0.1.0', made_at: '2025-06-01T00:00:00.000Z' },
    asked_for: capabilities.slice(0, 1).map(({ fqdn }) => fqdn),
    tools_needed: toolsNeeded(capabilities),
    capabilities,
  };
}

function parses(code: string): boolean {
  try {
    parse(code);
    return true;
  } catch {
    return false;
  }
}
