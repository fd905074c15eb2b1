import { z } from 'zod';
import { PmlError } from '../../errors.ts';
import { discover } from '../discovery/discover.ts';
import { listServer } from '../discovery/list-server.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { UNLISTED } from './listed-schema.ts';

const MAX_INTENTS = 10;

export const discoverTool = defineTool({
  name: 'pml_discover',
  title: 'Find tools and capabilities',
  description:
    'Find tools and remembered capabilities for a task, with typed signatures. Ask before you write code. server alone: its tools.',
  input: z.strictObject({
    intent: z.string().optional(),
    intents: z.array(z.string()).max(MAX_INTENTS).optional(),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().min(0).max(1_000_000).default(0).meta(UNLISTED),
    kind: z.enum(['tool', 'capability']).optional(),
    server: z.string().max(200).optional(),
  }),
  isAlwaysLoaded: true,
  annotations: READS,
  run: async ({ intent, intents = [], limit, offset, kind, server }, context) => {
    const asked = [...(intent === undefined ? [] : [intent]), ...intents].filter((one) => one.trim() !== '');
    if (asked.length > 0) {
      await context.journal.flush();
      return discover(context, { intents: asked, limit, kind, server });
    }
    if (server !== undefined) return listServer(context, { server, limit, offset });
    throw new PmlError('invalid_arguments', 'Say what to find: "intent" or "intents" is empty.', {
      hint: 'Give an intent in a few words, or a server to list its tools.',
    });
  },
});
