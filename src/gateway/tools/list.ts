import { z } from 'zod';
import { query } from '../../registry/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { fitList } from './fit-answer.ts';
import { text, visibility } from './input-fields.ts';
import { UNLISTED, UNLISTED_CHOICES } from './listed-schema.ts';
import { markUnconfigured } from './mark-unconfigured.ts';

export const listTool = defineTool({
  name: 'cap_list',
  title: 'List capabilities',
  description: 'List remembered capabilities; globs like "fs:*".',
  input: z.strictObject({
    pattern: text(200).optional(),
    namespace: text(200).optional(),
    named_only: z.boolean().optional(),
    unnamed_only: z.boolean().optional(),
    created_by: text(200).optional(),
    tags: z.array(text(64)).max(50).optional(),
    visibility: visibility.optional().meta(UNLISTED_CHOICES),
    type: z.enum(['capability', 'mcp-server']).optional(),
    version_tag: text(200).optional(),
    retired: z.boolean().optional().meta(UNLISTED),
    sort_by: z.enum(['usage', 'name', 'created']).optional(),
    limit: z.int().min(1).max(1000).default(50),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
  annotations: READS,
  run: async (filter, { db, config, journal, caller }) => {
    await journal.flush();
    const found = await query(db, caller.who, filter, config.lifecycle);
    const isOfServers = filter.type === 'mcp-server';
    const all = isOfServers ? markUnconfigured(found.capabilities, config) : found.capabilities;
    const capabilities = fitList(all);
    const isCut = capabilities.length < all.length;
    return { ...found, capabilities, ...(isCut && { next_offset: filter.offset + capabilities.length }) };
  },
});
