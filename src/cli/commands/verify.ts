import { indent } from '../format-text.ts';
import { type ToolAnswer, toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_verify',
  usage: 'verify NAME',
  about: `Replays the recorded runs of a capability. Every call is answered from the recording, so nothing really happens. The
capability is verified if it makes the same calls and returns the same results.`,
  completes: 'capabilities',
  positionals: [1, 1],
  input: ({ positionals: [name] }) => ({ name }),
  format: ({ verified, runs, hint }) => {
    const lines = runs.flatMap(({ run, passed, differences }: ToolAnswer) => [
      `${passed ? 'passed' : 'failed'}  run ${run}`,
      ...differences.map(indent),
    ]);
    return [verified ? 'verified' : 'not verified', ...lines, ...(hint ? [hint] : [])].join('\n');
  },
});
