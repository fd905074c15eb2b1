import { z } from 'zod';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { caching, spelling, text } from './input-fields.ts';

export const updateTool = defineTool({
  name: 'cap_update',
  title: 'Change the code of a capability',
  description:
    'Give a capability new code, as its next version. Former versions stay callable ("name@v1"). Start from the code that cap_whois shows; parameters keep their defaults. With args, the code is run once before it is kept.',
  input: z.strictObject({
    name: spelling.describe('Name of the capability'),
    code: text(1_000_000).min(1).describe('TypeScript: the body of an async function'),
    version_tag: text(40).optional().describe('As in v1.2.0'),
    change_summary: text(2000).optional().describe('What changed and why, in a line'),
    args: z.record(z.string(), z.unknown()).optional().describe('Try the code with these first'),
    ...caching,
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: ({ cache_policy, ttl, force, ...input }, { config, redactor, executor, caller }) => {
    const patch = { cachePolicy: cache_policy, ttl, force };
    return executor.update({ ...input, caching: patch }, caller, { config, redactor });
  },
});
