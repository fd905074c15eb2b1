import { z } from 'zod';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { caching, spelling, text } from './input-fields.ts';
import { unlisted } from './listed-schema.ts';

export const updateTool = defineTool({
  name: 'cap_update',
  title: 'Change the code of a capability',
  description: 'New code for a capability, as its next version. args: try it first.',
  input: z.strictObject({
    name: spelling,
    code: text(1_000_000).min(1),
    version_tag: text(40).optional(),
    change_summary: text(2000).optional(),
    args: z.record(z.string(), z.unknown()).optional(),
    ...unlisted(caching),
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: ({ cache_policy, ttl, force, ...input }, { config, redactor, executor, caller }) => {
    const patch = { cachePolicy: cache_policy, ttl, force };
    return executor.update({ ...input, caching: patch }, caller, { config, redactor });
  },
});
