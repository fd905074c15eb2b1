import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Loose, Reply, Tool, Turn } from './turn.ts';

/** One thing that a client must get right, and what was seen of it. */
export interface Observation {
  what: string;
  /** Undefined for what the client does not do, which is neither right nor wrong. */
  isOk: boolean | undefined;
  seen: string;
}

export interface Surroundings {
  /** The folder that the server `files` may write to. */
  folder: string;
  /** Runs a command of PML in the same home. */
  pml: (...args: string[]) => Promise<string>;
  /** Runs code in another session of PML. */
  run: (code: string) => Promise<string>;
  /** Ends the client as its user does. */
  interrupt: () => void;
}

const FIRST = 'notes:sum';
const SECOND = 'notes:total';
const MAX_SEEN = 160;
/** Judged after the client has ended, by what the server was told. */
export const CANCELS = 'a user who stops the client cancels the call';

/**
 * A whole conversation, as a model that read PML's instructions holds it. Each request of the client shows what the last
 * step led to and begins the next.
 */
export class Conversation {
  readonly observations: Observation[] = [];
  readonly #around: Surroundings;
  readonly #steps: (keyof typeof STEPS)[] = Object.keys(STEPS) as (keyof typeof STEPS)[];
  #running: keyof typeof STEPS | undefined;
  #results = 0;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async reply(turn: Turn): Promise<Reply> {
    if (this.observations.length === 0) this.#look(turn);
    // A repeated request brings no new result.
    if (turn.results.length > this.#results) this.#conclude(turn.results.at(-1) ?? '');
    this.#results = turn.results.length;
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      const begun: Begun = await STEPS[step].begin(turn, this.#around);
      if ('seen' in begun) {
        this.observations.push({ what: STEPS[step].what, ...begun });
        continue;
      }
      this.#running = step;
      return begun;
    }
    return { text: 'All is done.' };
  }

  /** Notes what the model is given before it does anything. */
  #look({ context, tools }: Turn): void {
    const at = context.indexOf('PML');
    const own = tools.filter(({ name }) => /(cap|pml)_[a-z]+$/.test(name)).map(({ name }) => shortName(name));
    const begins = context.slice(at, at + 100).replaceAll(/\s+/g, ' ');
    this.observations.push(
      { what: 'reads the instructions', isOk: at >= 0, seen: at < 0 ? 'no instructions' : `"${begins}…"` },
      {
        what: 'has pml_execute and pml_discover at hand',
        isOk: ['pml_execute', 'pml_discover'].every((name) => own.includes(name)),
        seen: `${tools.length} definitions in the first request, of PML's own tools: ${own.join(', ') || 'none'}`,
      },
    );
  }

  #conclude(result: string): void {
    const step = this.#running;
    this.#running = undefined;
    if (!step) return;
    const seen = result.replaceAll(/\s+/g, ' ').slice(0, MAX_SEEN);
    this.observations.push({ what: STEPS[step].what, isOk: STEPS[step].isRight(result, this.#around), seen });
  }
}

/** The next reply, or what was seen instead. */
type Begun = Reply | Omit<Observation, 'what'>;

interface Step {
  what: string;
  begin(turn: Turn, around: Surroundings): Promise<Begun>;
  isRight(result: string, around: Surroundings): boolean;
}

const STEPS = {
  run: {
    what: 'runs code over two servers, which gets a name',
    begin: async (turn, { folder }) => {
      const path = JSON.stringify(fileIn(folder));
      const code = `const sum = await mcp.everything.get_sum({ a: 20, b: 22 });
await mcp.files.write_file({ path: ${path}, content: JSON.stringify(sum) });
return sum;`;
      return execute(turn, { intent: 'note a sum in a file', name: FIRST, code });
    },
    isRight: (result, { folder }) => result.includes('42') && existsSync(fileIn(folder)),
  },
  again: {
    what: 'calls what was learned at once: pml_execute({ capability })',
    begin: async (turn, { folder }) =>
      execute(turn, { intent: 'note the sum again', capability: FIRST, args: { path: fileIn(folder) } }),
    isRight: (result) => /"status": ?"success"/.test(result),
  },
  find: {
    what: 'finds the new tool in the middle of the session',
    begin: async ({ tools }) => {
      const search = tools.find(({ name }) => name === 'ToolSearch');
      if (!search || newTool(tools)) return listed(tools);
      return { tool: search, input: { query: 'notes sum', max_results: 10 } };
    },
    isRight: (result) => result.includes(FIRST.replace(':', '__')),
  },
  call: {
    what: 'calls the new tool by its listed name',
    begin: async ({ tools }, { folder }) => {
      const tool = newTool(tools);
      return tool
        ? { tool, input: { path: fileIn(folder) } }
        : { isOk: undefined, seen: 'not listed in this session' };
    },
    isRight: (result) => result.includes('42'),
  },
  renamed: {
    what: 'calls it by its old name after a rename',
    begin: async (turn, { pml, folder }) => {
      await pml('rename', FIRST, SECOND);
      const args = { path: fileIn(folder) };
      return execute(turn, { intent: 'note the sum once more', capability: FIRST, args });
    },
    isRight: (result) => /"status": ?"success"/.test(result),
  },
  failure: {
    what: 'reads a failure that says what to do',
    begin: async (turn) =>
      execute(turn, { intent: 'a wrong call', code: 'return await mcp.everything.get_sum({ a: 1 })' }),
    isRight: (result) => /get.sum/.test(result) && /\bb\b/.test(result),
  },
  cancel: {
    what: CANCELS,
    begin: async (turn, { run, interrupt }) => {
      const reply = execute(turn, { intent: 'wait', code: 'return await mcp.desk.hang({ key: "k" })' });
      if ('tool' in reply) void run('return await mcp.desk.hanging({ key: "k" })').then(interrupt, () => {});
      return reply;
    },
    // The user stopped the client, so an answer that arrives here is one too many.
    isRight: () => false,
  },
} satisfies Record<string, Step>;

function fileIn(folder: string): string {
  return join(folder, 'sum.txt');
}

function execute({ tools }: Turn, input: Loose): Begun {
  const tool = tools.find(({ name }) => shortName(name) === 'pml_execute');
  return tool ? { tool, input } : { isOk: false, seen: 'the model has no definition of pml_execute' };
}

function newTool(tools: readonly Tool[]): Tool | undefined {
  return tools.find(({ name }) => name.endsWith(FIRST.replace(':', '__')));
}

function listed(tools: readonly Tool[]): Omit<Observation, 'what'> {
  if (newTool(tools)) return { isOk: true, seen: 'listed after list_changed' };
  return { isOk: undefined, seen: 'the client has not refreshed its list' };
}

/** Returns the name without what clients put before it. */
function shortName(name: string): string {
  return /(?:cap|pml)_[a-z]+$/.exec(name)?.[0] ?? name;
}
