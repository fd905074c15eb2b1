import { z } from 'zod';
import { query } from '../../registry/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { fitList } from './fit-answer.ts';
import { text, visibility } from './input-fields.ts';

export const listTool = defineTool({
  name: 'cap_list',
  title: 'List capabilities',
  description: 'List remembered capabilities, the most used first, with filters, sorting and pages.',
  input: z.strictObject({
    pattern: text(200).optional().describe('Glob on the name: "fs:*"'),
    namespace: text(200).optional().describe('The part of the name before the colon; a glob too'),
    named_only: z.boolean().optional().describe('Only those that somebody named'),
    unnamed_only: z.boolean().optional().describe('Only those that nobody named yet'),
    created_by: text(200).optional().describe('Glob on the creator'),
    tags: z.array(text(64)).max(50).optional().describe('Only those that have all of these'),
    visibility: visibility.optional(),
    type: z.enum(['capability', 'mcp-server']).optional().describe('Default: capability'),
    version_tag: text(200).optional().describe('Glob on the tag of the newest version: "v1.*"'),
    sort_by: z.enum(['usage', 'name', 'created']).optional().describe('Default: usage'),
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  annotations: READS,
  run: async (filter, { db, config, journal, caller }) => {
    await journal.flush();
    const found = await query(db, caller.who, filter, config.lifecycle);
    const capabilities = fitList(found.capabilities);
    const isCut = capabilities.length < found.capabilities.length;
    return { ...found, capabilities, ...(isCut && { next_offset: filter.offset + capabilities.length }) };
  },
});
