import type { ServerConfig } from '../../config/index.ts';
import { PmlError } from '../../errors.ts';
import { openLog } from '../../log.ts';
import { Upstream } from '../../upstream/index.ts';
import { withTimeout } from '../../with-timeout.ts';
import { count } from '../format-text.ts';

/** How long a server may take until it has listed its tools. */
const CHECK_MS = 10_000;
/** Programs that download a server at its first start. An interrupted npx leaves a download that never starts again. */
const DOWNLOADERS = /^(?:npx|pnpx|bunx|uvx|uv|pipx|docker|podman|pnpm|yarn|deno)(?:\.cmd|\.exe)?$/;
const DOWNLOAD_MS = 60_000;
const SHOWN_LINES = 3;
/** `2026-01-01T00:00:00.000Z INFO  [server] text`. */
const PREFIX = /^\S+ +[A-Z]+ +\[[^\]]+\] /;

/** A failed check of a server, with what the server printed last. */
export class ServerProblem extends PmlError {
  readonly output: readonly string[];
  constructor(message: string, hint: string, output: readonly string[]) {
    super('upstream_unreachable', message, { hint });
    this.output = output;
  }
}

/** Starts a server for a moment and lists its tools. */
export async function checkServer(
  server: ServerConfig,
  secrets: readonly string[],
  limitMs = checkTimeoutOf(server),
) {
  const logged: string[] = [];
  const log = openLog({ level: 'info', print: (line) => logged.push(line.replace(PREFIX, '')) });
  log.hide(secrets);
  const started = performance.now();
  const upstream = new Upstream({ server, log, startTimeoutMs: limitMs });
  try {
    await withTimeout(upstream.settled(), limitMs);
    if (upstream.state !== 'ready') {
      const { problem } = upstream;
      const why = problem ?? `did not answer the handshake within ${limitMs / 1000} s`;
      // The last line only repeats the problem.
      const output = problem === undefined ? logged : logged.slice(0, -1);
      throw new ServerProblem(`it ${why}`, adviceFor(server, output), output.slice(-SHOWN_LINES));
    }
    const ms = Math.round(performance.now() - started);
    return {
      value: upstream.catalog,
      detail: `${count(upstream.catalog.tools.length, 'tool')}, up in ${ms} ms`,
    };
  } finally {
    await upstream.close();
  }
}

/** How long a server may take to answer, in milliseconds. */
export function checkTimeoutOf({ transport }: Pick<ServerConfig, 'transport'>): number {
  const program = transport.kind === 'stdio' ? (transport.command.split(/[/\\]/).at(-1) ?? '') : '';
  return DOWNLOADERS.test(program) ? DOWNLOAD_MS : CHECK_MS;
}

function adviceFor({ transport, cannotStart }: ServerConfig, output: readonly string[]): string {
  if (cannotStart !== undefined) return 'The other servers run without it.';
  if (transport.kind !== 'stdio')
    return `Check that ${new URL(transport.url).origin} is up and takes your credentials.`;
  const isHalf = transport.command === 'npx' && output.some((line) => line.includes('ERR_MODULE_NOT_FOUND'));
  const mend = isHalf
    ? ' If a download by npx was interrupted, delete the folder _npx inside the one that `npm config get cache` prints.'
    : '';
  return `Try it by hand: ${[transport.command, ...transport.args].join(' ')} (in ${transport.cwd}).${mend}`;
}
