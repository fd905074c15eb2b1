import { PmlError } from '../../errors.ts';
import { runAgent } from '../agent/run.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  help: `Usage: pml agent run AGENT MESSAGE [--thread ID] [--model M] [--max-steps N] [--json]

Runs an agent of the config on a model, with the tools that its capabilities allow, and prints what it says. A run is kept
as a thread, which --thread goes on with. In a pipe it prints events, one JSON object a line.

  pml agent run analyst "What changed in the report?"
  pml agent run analyst --thread 3f0c… "And last month?"

  --thread ID    go on with an earlier conversation
  --model M      haiku, sonnet, anthropic/MODEL, openai/MODEL, or http://127.0.0.1:11434/v1#MODEL (default: "model" of the agent)
  --max-steps N  how often the model may be asked (default: 20)
  --json         print events also on a terminal`,
  options: {
    thread: { type: 'string' },
    model: { type: 'string' },
    'max-steps': { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  run: async (invocation) => {
    const [act] = invocation.positionals;
    if (act === 'run') return runAgent(invocation);
    throw new PmlError('bad_request', 'agent needs run. Try pml agent --help.');
  },
};
