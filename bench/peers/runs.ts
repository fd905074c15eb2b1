import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Command, httpClient } from '../support/clients.ts';
import { Home } from '../support/home.ts';
import { inTurns, median } from '../support/stats.ts';
import { folderOf, versionOf } from './install.ts';

export interface RunRow {
  runner: string;
  what: string;
  /** The time between two runs, in milliseconds. */
  pauseMs: number;
  p50: number;
}

interface Runner {
  name: string;
  /** Runs code in which `CALL` stands for a call of the echo tool. */
  run(code: string): Promise<void>;
  close(): Promise<void>;
}

/** The row of what a call adds to a run. */
export const FURTHER_CALL = 'each further call';

const CALLS = 10;
const TEN = Array.from({ length: CALLS }, () => 'CALL').join(';\n');
const PROGRAMS = {
  'return 1': 'return 1',
  'one call': 'CALL; return 1',
  'ten calls in turn': `${TEN}; return 1`,
};

/** Times the same programs on UTCP, in this process without a wire, and on PML over HTTP. */
export async function measureRuns(echo: Command, rounds: number, pauseMs: number): Promise<RunRow[]> {
  const utcp = folderOf('@utcp/code-mode');
  const runners = [...(utcp === undefined ? [] : [await openUtcp(utcp, echo)]), await openPml(echo)];
  try {
    const rows: RunRow[] = [];
    for (const [what, code] of Object.entries(PROGRAMS)) {
      const acts = runners.map((runner) => async () => {
        if (pauseMs > 0) await sleep(pauseMs);
        const began = performance.now();
        await runner.run(code);
        return performance.now() - began;
      });
      await inTurns(5, acts);
      const measured = await inTurns(rounds, acts);
      for (const [index, { name }] of runners.entries())
        rows.push({ runner: name, what, pauseMs, p50: median(measured[index] ?? []) });
    }
    return [...rows, ...furtherCalls(rows)];
  } finally {
    for (const runner of runners) await runner.close();
  }
}

/** The time that each call after the first adds to a run. */
function furtherCalls(rows: readonly RunRow[]): RunRow[] {
  const [ones, tens] = ['one call', 'ten calls in turn'].map((what) =>
    rows.filter((row) => row.what === what),
  ) as [RunRow[], RunRow[]];
  return tens.map((ten, index) => ({
    ...ten,
    what: FURTHER_CALL,
    p50: (ten.p50 - (ones[index] as RunRow).p50) / (CALLS - 1),
  }));
}

async function openUtcp(folder: string, { command, args }: Command): Promise<Runner> {
  // UTCP logs every call to stdout, which is for the figures.
  console.log = () => {};
  const load = (of: string) => import(pathToFileURL(path.join(of, 'dist', 'index.js')).href);
  // The package registers itself when it is loaded.
  await load(path.join(folder, '..', 'mcp'));
  const { CodeModeUtcpClient } = await load(folder);
  const client = await CodeModeUtcpClient.create();
  await client.registerManual({
    name: 'bench',
    call_template_type: 'mcp',
    config: { mcpServers: { mini: { transport: 'stdio', command, args } } },
  });
  return {
    name: `UTCP code-mode ${versionOf('@utcp/code-mode')}, in process`,
    run: async (code) => {
      const { result } = await client.callToolChain(
        code.replaceAll('CALL', 'bench.mini_echo({ message: "x" })'),
      );
      if (result !== 1) throw new Error(`UTCP answered ${JSON.stringify(result)}`);
    },
    close: async () => client.close?.(),
  };
}

async function openPml(echo: Command): Promise<Runner> {
  const home = new Home({ mini: echo });
  const up = await home.up();
  const client = await httpClient(up.found[0] as string, 'legacy');
  return {
    name: 'PML over HTTP',
    run: async (code) => {
      const text = code.replaceAll('CALL', 'await mcp.mini.echo({ message: "x" })');
      const { structuredContent } = await client.request('tools/call', {
        name: 'pml_execute',
        arguments: { intent: 'bench', code: text },
      });
      if (structuredContent?.result !== 1)
        throw new Error(`PML answered ${JSON.stringify(structuredContent)}`);
    },
    close: async () => {
      await client.close();
      await up.stop();
      await home.close();
    },
  };
}
