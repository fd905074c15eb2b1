import { findReferences, parse } from '../../code/testing.ts';
import type { BundledCapability, BundledVersion, Content } from './bundle-schema.ts';
import type { LocalTools } from './import-plan.ts';
import { callsAmong, hashOfText, toolsNeeded } from './validate.ts';

/** Only the tool `fs:read` is connected. */
export const localTools: LocalTools = {
  refuse: (name) => {
    if (name === 'fs:read') throw Object.assign(new Error('is a tool'), { code: 'name_taken' });
  },
  toolOf: (spelling) =>
    spelling.replaceAll('_', '') === 'fs:read' ? { name: 'fs:read', routing: 'local' } : undefined,
  hasServer: (name) => name === 'fs',
};

/** Makes a version as an honest bundle states it. */
export function versionOf(version: number, code: string, more: Partial<BundledVersion> = {}): BundledVersion {
  const calls = parses(code) ? callsOf(code) : [];
  return {
    ...{ version, version_tag: null, code: code.split('\n'), code_sha256: hashOfText(code), calls },
    tools_used: [...new Set(calls.map((call) => call.split('@')[0] as string))],
    written_for: {},
    parameters_schema: { type: 'object', properties: {} },
    ...{ author: 'eve', made_at: '2025-06-01T00:00:00.000Z', change_summary: 'made' },
    ...more,
  };
}

export function bundledCapability(name: string, ...codes: string[]): BundledCapability {
  return {
    ...{ fqdn: fqdnOf(name), name, named: true, description: 'does it', intent: 'do it', tags: ['a'] },
    ...{ routing: 'cloud', routing_chosen: false, author: 'eve' },
    versions: codes.map((code, index) => versionOf(index + 1, code)),
  };
}

export function fqdnOf(name: string): string {
  return `evil.corp.${name.replace(':', '.')}.abcd`;
}

export function contentOf(...capabilities: BundledCapability[]): Content {
  return {
    ...{ made_by: 'PML 0.1.0', made_at: '2025-06-01T00:00:00.000Z' },
    asked_for: capabilities.slice(0, 1).map(({ fqdn }) => fqdn),
    tools_needed: toolsNeeded(capabilities),
    capabilities,
  };
}

/** Lists the capabilities that code calls, as an honest bundle states them. */
export function callsOf(code: string): string[] {
  return callsAmong([...new Set(findReferences(parse(code)).flatMap(({ name }) => name ?? []))]);
}

function parses(code: string): boolean {
  try {
    parse(code);
    return true;
  } catch {
    return false;
  }
}
