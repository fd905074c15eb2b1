import type { DiscoveryEntry, Evidence } from '../../discovery/index.ts';
import type { DiscoverableCapability } from '../../registry/discovery/index.ts';
import { successRate } from '../../registry/index.ts';

const PREFIX = 'capability:';

/** The fields of a capability that decide whether, and how high, it is found. */
export interface KnownCapability {
  name: string;
  listedName: string;
  only: string | undefined;
  evidence: Evidence;
}

export function capabilityId(fqdn: string): string {
  return `${PREFIX}${fqdn}`;
}

/** Returns the FQDN of an id; undefined if it is none of a capability. */
export function fqdnOf(id: string): string | undefined {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined;
}

export function knownOf(capability: DiscoverableCapability): KnownCapability {
  const { name, listedName, lastUsedAt, stale, named, toolsUsed, usageCount } = capability;
  return {
    ...{ name, listedName },
    only: onlyOf(capability),
    evidence: {
      uses: usageCount,
      successRate: successRate(capability) ?? 0,
      lastUsedAt: lastUsedAt.getTime(),
      isStale: stale !== null,
      isNamed: named,
      usesTools: toolsUsed.length > 0,
    },
  };
}

function onlyOf({ visibility, createdBy }: DiscoverableCapability): string | undefined {
  return visibility === 'private' ? createdBy : undefined;
}

export function entryOf(capability: DiscoverableCapability): DiscoveryEntry {
  const { fqdn, name, namespace, named, description, intent, tags, toolsUsed, parametersSchema } = capability;
  const only = onlyOf(capability);
  const colon = name.indexOf(':');
  return {
    id: capabilityId(fqdn),
    kind: 'capability',
    server: colon > 0 ? name.slice(0, colon) : namespace,
    // An automatic name is a hash.
    name: named ? name.slice(colon + 1) : '',
    description,
    tags,
    inputSchema: parametersSchema ?? {},
    // The FQDN of a capability that it calls may be hidden from those who see this one.
    calls: toolsUsed.flatMap((callee) => callee.split(':')[1] ?? []),
    // The words of the first run may quote its data, which belongs to the maker.
    ...(only !== undefined && { intents: [intent], only }),
  };
}
