import { z } from 'zod';
import { PmlError } from '../../errors.ts';
import { describeRecord, rename } from '../../registry/index.ts';
import { undoRename } from '../../registry/names/index.ts';
import { changeServer, findServer } from '../../registry/servers/index.ts';
import { assertNoSecret, storedTags, storedText } from '../../stored-texts.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { caching, newName, spelling, text, visibility } from './input-fields.ts';
import { UNLISTED } from './listed-schema.ts';

export const renameTool = defineTool({
  name: 'cap_rename',
  title: 'Rename or describe a capability',
  description: 'Rename, describe, tag, share or cache a capability. Old names keep working.',
  input: z.strictObject({
    name: spelling,
    undo: z.boolean().optional(),
    new_name: newName.optional(),
    description: text(10_000).optional(),
    tags: z.array(text(64).min(1)).max(50).optional(),
    visibility: visibility.optional(),
    routing: z.enum(['local', 'cloud']).optional(),
    ...caching,
    revision: text(100).optional().meta(UNLISTED),
  }),
  annotations: { ...WRITES, idempotentHint: true },
  run: async (
    { name, undo, new_name, description, tags, cache_policy, ttl, force, revision, ...changes },
    context,
  ) => {
    const { db, keys, redactor, caller, executor } = context;
    const patch = { cachePolicy: cache_policy, ttl, force };
    const texts = {
      description: description && storedText('description', description, redactor),
      tags: tags && storedTags(tags, redactor),
    };
    if (await findServer(db, caller.who, name)) {
      const { visibility: seenBy, ...others } = changes;
      assertOnly('A server has only a description, tags and a visibility that can be changed here', {
        ...{ undo, new_name, cache_policy, ttl, force, ...others },
      });
      const changed = await changeServer(db, caller.who, name, { visibility: seenBy, ...texts });
      return describeRecord({ db, keys }, caller.who, changed);
    }
    if (undo) {
      assertOnly('undo takes back the last rename', {
        new_name,
        description,
        tags,
        cache_policy,
        ttl,
        force,
        ...changes,
      });
      return describeRecord({ db, keys }, caller.who, await undoRename({ db, keys }, caller.who, name));
    }
    await executor.assertCacheable(name, patch, caller);
    if (new_name !== undefined) caller.tools.assertFree(new_name);
    if (new_name !== undefined) assertNoSecret('The name', new_name, redactor);
    const renamed = await rename({ db, keys }, caller.who, name, {
      newName: new_name,
      ...changes,
      caching: patch,
      expectedRevision: revision,
      ...texts,
    });
    return describeRecord({ db, keys }, caller.who, renamed);
  },
});

function assertOnly(why: string, others: object): void {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const keys = given.map(([key]) => `"${key}"`).join(', ');
  throw new PmlError('invalid_arguments', `${why}: leave out ${keys}.`);
}
