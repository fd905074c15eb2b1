import { z } from 'zod';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { spelling } from './input-fields.ts';

export const verifyTool = defineTool({
  name: 'cap_verify',
  title: 'Verify a capability',
  description: 'Replay the recorded runs of a capability and compare.',
  input: z.strictObject({ name: spelling }),
  annotations: WRITES,
  run: ({ name }, { config, redactor, executor, caller }) =>
    executor.verify(name, caller, { config, redactor }),
});
