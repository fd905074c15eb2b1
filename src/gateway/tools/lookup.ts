import { z } from 'zod';
import { summarize } from '../../registry/index.ts';
import { READS } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { findRecord } from './find-record.ts';
import { spelling } from './input-fields.ts';

export const lookupTool = defineTool({
  name: 'cap_lookup',
  title: 'Look up a capability',
  description:
    'Find what a capability name means: its parameters, version and usage. Takes any spelling, former names too, and a version: "fs:read_json", "fs:read_json@v1", "fs:read_json@2025-12-22".',
  input: z.strictObject({ name: spelling.describe('Name of a capability') }),
  annotations: READS,
  run: async ({ name }, context) => summarize(await findRecord(context, name), context.caller.who),
});
