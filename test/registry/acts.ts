import { createHash } from 'node:crypto';
import type { Principal } from '../../src/principal.ts';
import { importBundle, TrustedKeys } from '../../src/registry/bundle/index.ts';
import { bundledCapability, contentOf, localTools, printBundle } from '../../src/registry/bundle/testing.ts';
import {
  createNamed,
  fork,
  type Learned,
  type Registry,
  remember,
  rename,
  restore,
  retire,
  update,
} from '../../src/registry/index.ts';
import { registerServer } from '../../src/registry/servers/index.ts';

/** A change of the registry that must be atomic, in the scope of the actor. */
export interface Act {
  readonly name: string;
  /** Creates what the act needs. */
  prepare(registry: Registry, who: Principal): Promise<unknown>;
  run(registry: Registry, who: Principal): Promise<unknown>;
}

/** Makes code to remember; the same word makes the same code. */
export function codeOf(word: string, name?: string): Learned & { routing: 'local' } {
  const code = `return ${JSON.stringify(word)} + args.path;`;
  return {
    code,
    codeHash: createHash('sha256').update(code).digest('hex'),
    parametersSchema: { type: 'object', properties: { path: { type: 'string', default: 'a' } } },
    toolsUsed: ['fs:read'],
    namespace: 'fs',
    intent: 'read a file',
    routing: 'local',
    name,
  };
}

const source = (registry: Registry, who: Principal) => remember(registry, who, codeOf('one', 'fs:source'));

/** Every act that has to survive a death in its middle. Add new ones here. */
export const ACTS: readonly Act[] = [
  {
    name: 'rename',
    prepare: source,
    run: (registry, who) =>
      rename(registry, who, 'fs:source', { newName: 'fs:renamed', tags: ['a'], visibility: 'org' }),
  },
  {
    name: 'update',
    prepare: source,
    run: (registry, who) => update(registry, who, 'fs:source', { ...codeOf('two'), versionTag: 'v2.0.0' }),
  },
  {
    name: 'fork',
    // Another capability is listed alike, so that the fork needs a second try for its listed name.
    prepare: async (registry, who) => {
      await source(registry, who);
      await remember(registry, who, codeOf('alike', 'fs:a_copy'));
    },
    run: (registry, who) => fork(registry, who, 'fs:source', 'fs:a:copy'),
  },
  {
    name: 'merge',
    prepare: source,
    run: (registry, who) => createNamed(registry, who, { ...codeOf('merged'), name: 'fs:merged' }),
  },
  {
    name: 'naming of an unnamed one',
    prepare: (registry, who) => remember(registry, who, codeOf('one')),
    run: (registry, who) => remember(registry, who, codeOf('one', 'fs:named')),
  },
  {
    name: 'restore under another name',
    prepare: async (registry, who) => {
      await source(registry, who);
      await retire(registry, who, 'fs:source', 0);
      await remember(registry, who, codeOf('heir', 'fs:source'));
    },
    run: (registry, who) =>
      registry.db
        .query<{ id: string }>(
          'select id from capability_records where project = $1 and retired_at is not null',
          [who.project],
        )
        .then(({ rows }) => restore(registry, who, rows[0]?.id as string)),
  },
  {
    name: 'new routing of a server',
    prepare: async (registry, who) => {
      await source(registry, who);
      await registerServer(registry.db, who, {
        name: 'fs',
        routing: 'local',
        codeUrl: null,
        version: '1.0.0',
      });
    },
    run: (registry, who) =>
      registerServer(registry.db, who, { name: 'fs', routing: 'cloud', codeUrl: null, version: '1.1.0' }),
  },
  {
    name: 'import',
    prepare: source,
    run: (registry, who) => {
      // Neither calls the other: that would put the scope into the code, and so into what is compared.
      const content = contentOf(
        bundledCapability('fs:one', 'return 1;', 'return 2;'),
        bundledCapability('fs:two', 'return 3;'),
      );
      const options = { trusted: new TrustedKeys('/nowhere'), localTools };
      return importBundle(registry, who, printBundle(registry.keys, content), options);
    },
  },
];

/** The principal of an act in a scope of its own. */
export function actor(project: string): Principal {
  return { user: 'ana', org: 'acme', project };
}
