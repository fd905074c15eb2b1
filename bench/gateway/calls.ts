import type { Era } from '../fixtures/echo.ts';
import { type Client, type Command, httpClient, lineClient, sdkClient } from '../support/clients.ts';
import { inTurns, type Latency, measureCalls, medianLatency } from '../support/stats.ts';

export interface CallRow {
  way: string;
  upstream: string;
  client: string;
  callers: number;
  direct: Latency;
  pml: Latency;
  ratio: { p50: number; p95: number; perSecond: number };
  addedMs: number;
}

/** How to reach the same tool through PML and directly. */
export interface Way {
  way: string;
  upstream: string;
  client: string;
  direct: () => Promise<Client>;
  pml: () => Promise<Client>;
  /** The tool's name behind PML. */
  name: string;
}

export interface Places {
  /** The stdio servers: their names in the config and how to start one. */
  stdio: Record<'mini' | 'everything', Command>;
  http: Record<'mini_legacy' | 'mini_modern' | 'everything_http', string>;
  serve: Command;
  url: string;
}

const CALLERS = [1, 32];

export function waysOf({ stdio, http, serve, url }: Places): Way[] {
  const overStdio = (
    upstream: keyof Places['stdio'],
    client: string,
    open: (to: Command) => Promise<Client>,
  ) => ({
    way: 'stdio → stdio',
    upstream,
    client,
    direct: () => open(stdio[upstream]),
    pml: () => open(serve),
    name: `mcp__${upstream}__echo`,
  });
  const overHttp = (upstream: keyof Places['http'], era: Era) => ({
    way: 'HTTP → HTTP',
    upstream: upstream.replace(/_.*/, ''),
    client: `raw ${era}`,
    direct: () => httpClient(http[upstream], era),
    pml: () => httpClient(url, era),
    name: `mcp__${upstream}__echo`,
  });
  return [
    overStdio('mini', 'raw', (to) => lineClient(to, 'legacy')),
    {
      ...overStdio('mini', 'raw modern', () => lineClient(serve, 'modern')),
      direct: () => lineClient(stdio.mini, 'legacy'),
    },
    overStdio('mini', 'SDK', sdkClient),
    overStdio('everything', 'raw', (to) => lineClient(to, 'legacy')),
    overStdio('everything', 'SDK', sdkClient),
    overHttp('mini_legacy', 'legacy'),
    overHttp('mini_modern', 'modern'),
    overHttp('everything_http', 'legacy'),
    // The most frequent use over HTTP, compared with the same echo without a gateway.
    { ...overHttp('mini_modern', 'modern'), way: 'HTTP → stdio', name: 'mcp__mini__echo' },
  ];
}

/** Measures one path with one caller and with many. */
export async function measureWay(way: Way, rounds: number, roundMs: number): Promise<CallRow[]> {
  const direct = await way.direct();
  const pml = await way.pml();
  const calls = [echo(direct, 'echo'), echo(pml, way.name)];
  const rows: CallRow[] = [];
  try {
    await inTurns(
      1,
      calls.map((call) => () => measureCalls(call, roundMs * 2, 8)),
    );
    for (const callers of CALLERS) {
      const measured = await inTurns(
        rounds,
        calls.map((call) => () => measureCalls(call, roundMs, callers)),
      );
      rows.push(rowOf(way, callers, measured));
    }
  } finally {
    await direct.close();
    await pml.close();
  }
  return rows;
}

function rowOf({ way, upstream, client }: Way, callers: number, measured: Latency[][]): CallRow {
  const [direct, pml] = measured.map(medianLatency) as [Latency, Latency];
  const ratio = {
    p50: pml.p50 / direct.p50,
    p95: pml.p95 / direct.p95,
    perSecond: pml.perSecond / direct.perSecond,
  };
  return { way, upstream, client, callers, direct, pml, ratio, addedMs: pml.p50 - direct.p50 };
}

/** Calls the tool and throws if the answer is not the echo. */
export function echo(client: Client, name: string): () => Promise<void> {
  let said = 0;
  return async () => {
    const message = `hello ${++said}`;
    const { content } = await client.request('tools/call', { name, arguments: { message } });
    if (content?.[0]?.text !== `Echo: ${message}`) throw new Error(`${name} said ${JSON.stringify(content)}`);
  };
}
