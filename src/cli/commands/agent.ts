import { closest } from '../../edit-distance.ts';
import { checkAgent, listAgents, showAgent } from '../agent/report.ts';
import { runAgent } from '../agent/run.ts';
import type { Command } from '../command.ts';
import { wrongUse } from '../parse-arguments.ts';

const ACTS: Readonly<Record<string, Command['run']>> = {
  list: listAgents,
  show: showAgent,
  check: checkAgent,
  run: runAgent,
};

export const command: Command = {
  help: `Usage: pml agent list | show AGENT | check AGENT [--json]
       pml agent run AGENT MESSAGE [--thread ID] [--model M] [--engine E] [--max-steps N] [--json]

list shows the agents of the config, show what one of them may use. check explains what it can and cannot reach, and why,
and exits with 1 if its config is wrong.

run runs an agent of the config on a model, with the tools that its capabilities allow, and prints what it says. A run is kept
as a thread, which --thread goes on with. In a pipe it prints events, one JSON object a line.

  pml agent check analyst
  pml agent run analyst "What changed in the report?"
  pml agent run analyst --thread 3f0c… "And last month?"

  --thread ID    go on with an earlier conversation
  --model M      haiku, sonnet, anthropic/MODEL, openai/MODEL, or http://127.0.0.1:11434/v1#MODEL (default: "model" of the agent)
  --engine E     ai (default; any provider), or claude (Claude's own SDK, if it is installed)
  --max-steps N  how often the model may be asked (default: 20)
  --json         print JSON; run prints events also on a terminal`,
  options: {
    thread: { type: 'string' },
    model: { type: 'string' },
    engine: { type: 'string' },
    'max-steps': { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  run: async (invocation) => {
    const [act] = invocation.positionals;
    if (act !== undefined && Object.hasOwn(ACTS, act)) return ACTS[act]?.(invocation);
    const near = closest(act ?? '', Object.keys(ACTS));
    const hint = near === undefined ? '' : ` Did you mean pml agent ${near}?`;
    throw wrongUse('agent', `say list, show, check or run.${hint}`);
  },
};
