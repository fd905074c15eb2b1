import { z } from 'zod';
import { describe } from '../../registry/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { findRecord } from './find-record.ts';
import { spelling } from './input-fields.ts';

export const whoisTool = defineTool({
  name: 'cap_whois',
  title: 'Show all about a capability',
  description:
    'The whole record of a capability: who made it and when, version, trust, former names, statistics, tags, the tools it uses, and its code.',
  input: z.strictObject({
    name: spelling.describe('Name of a capability, with "@v1" or the like for a version'),
  }),
  annotations: READS,
  run: async ({ name }, context) => {
    const { db, keys, caller } = context;
    return describe({ db, keys }, caller.who, await findRecord(context, name));
  },
});
