import type { ServerConfig } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { openLog } from '../../log.ts';
import { Upstream } from '../../upstream/index.ts';

const START_TIMEOUT_MS = 30_000;

/** Starts a server for a moment and lists its tools. */
export async function checkServer(server: ServerConfig, secrets: readonly string[]) {
  const logged: string[] = [];
  const log = openLog({ level: 'info', print: (line) => logged.push(line) });
  log.hide(secrets);
  const started = performance.now();
  const upstream = new Upstream({ server, log, startTimeoutMs: START_TIMEOUT_MS });
  try {
    await upstream.settled();
    if (upstream.state !== 'ready') {
      // The last line only repeats the problem.
      const output = logged.slice(-4, -1).map((line) => `\n       ${line}`);
      throw new PmlError('upstream_unreachable', `it ${upstream.problem}${output.join('')}`, {
        hint: adviceFor(server),
      });
    }
    const ms = Math.round(performance.now() - started);
    const detail = `${upstream.catalog.tools.length} tools, ${upstream.era} era, up in ${ms} ms`;
    return { value: upstream.catalog, detail };
  } finally {
    await upstream.close();
  }
}

function adviceFor({ transport, cannotStart }: ServerConfig): string {
  if (cannotStart !== undefined) return 'The other servers run without it.';
  if (transport.kind !== 'stdio')
    return `Check that ${new URL(transport.url).origin} is up and takes your credentials.`;
  return `Try it by hand: ${[transport.command, ...transport.args].join(' ')} (in ${transport.cwd})`;
}
