import { z } from 'zod';
import { describe, rename } from '../../registry/index.ts';
import { assertNoSecret, storedTags, storedText } from '../../texts.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { caching, newName, spelling, text, visibility } from './input-fields.ts';

export const renameTool = defineTool({
  name: 'cap_rename',
  title: 'Rename or describe a capability',
  description:
    'Give a capability a better name, description, tags, visibility, routing or caching; what is not given stays. The old name keeps working.',
  input: z.strictObject({
    name: spelling.describe('Its name now'),
    new_name: newName.optional().describe('"namespace:action", or a word'),
    description: text(10_000).optional(),
    tags: z.array(text(64).min(1)).max(50).optional().describe('All of its tags'),
    visibility: visibility.optional().describe('Who sees it'),
    routing: z.enum(['local', 'cloud']).optional().describe('Where it runs; otherwise as its tools need'),
    ...caching,
  }),
  annotations: { ...WRITES, idempotentHint: true },
  run: async ({ name, new_name, description, tags, cache_policy, ttl, force, ...changes }, context) => {
    const { db, keys, redactor, caller, executor } = context;
    const patch = { cachePolicy: cache_policy, ttl, force };
    await executor.assertCacheable(name, patch, caller);
    if (new_name !== undefined) caller.tools.assertFree(new_name);
    if (new_name !== undefined) assertNoSecret('The name', new_name, redactor);
    const renamed = await rename({ db, keys }, caller.who, name, {
      newName: new_name,
      ...changes,
      caching: patch,
      description: description && storedText('description', description, redactor),
      tags: tags && storedTags(tags, redactor),
    });
    return describe({ db, keys }, caller.who, renamed);
  },
});
