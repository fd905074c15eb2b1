import { z } from 'zod';
import { describe } from '../../registry/index.ts';
import { defineTool } from './define.ts';
import { READS, spelling } from './fields.ts';
import { named } from './find-record.ts';

export const whoisTool = defineTool({
  name: 'cap_whois',
  title: 'Show all about a capability',
  description:
    'The whole record of a capability: who made it and when, version, trust, former names, statistics, tags, the tools it uses, and its code.',
  input: z.strictObject({
    name: spelling.describe('Name of a capability, with "@v1" or the like for a version'),
  }),
  annotations: READS,
  run: async ({ name }, context) =>
    describe(context.workspace, context.caller.who, await named(context, name)),
});
