import { z } from 'zod';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { spelling } from './input-fields.ts';

export const verifyTool = defineTool({
  name: 'cap_verify',
  title: 'Verify a capability',
  description:
    'Run a capability again on the recordings of its runs, with every call answered from the recording: same calls, same result, no side effect. It is verified if all of them pass.',
  input: z.strictObject({ name: spelling.describe('Name of the capability') }),
  annotations: WRITES,
  run: ({ name }, { config, redactor, executor, caller }) =>
    executor.verify(name, caller, { config, redactor }),
});
