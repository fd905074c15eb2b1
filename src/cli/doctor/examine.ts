import { loadConfig, untrustedNotice } from '../../config/index.ts';
import { attach } from '../../daemon/attach.js';
import type { DaemonStatus } from '../../daemon/index.ts';
import { messageOf, PmlError } from '../../errors.ts';
import { openLog } from '../../log.ts';
import { Redactor } from '../../secrets/index.ts';
import { lockHome, openDb } from '../../store/index.ts';
import { Upstream } from '../../upstream/index.ts';
import { VERSION } from '../../version.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';

type Config = ReturnType<typeof loadConfig>;

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  advice?: string | undefined;
}

const SERVER_TIMEOUT_MS = 30_000;

/** Checks one thing after the other, and says what it found. */
export async function examineAll({ values, terminal }: Invocation): Promise<void> {
  const findings: Finding[] = [];
  const redactor = new Redactor();
  const found = ({ check, ok, detail, advice }: Finding) => {
    const finding = { check, ok, detail: redactor.text(detail), advice: advice && redactor.text(advice) };
    findings.push(finding);
    if (!values.json) terminal.print(describe(finding, terminal));
  };
  found({ check: 'node', ok: true, detail: `Node ${process.versions.node}, PML ${VERSION}` });
  const flags = typeof values.config === 'string' ? { config: values.config } : {};
  const config = await examine('config', found, async () => {
    const loaded = loadConfig({ cwd: process.cwd(), env: process.env, flags });
    const notice = untrustedNotice(loaded);
    if (notice) found({ check: 'trust', ok: false, detail: notice, advice: willDo(loaded) });
    const detail = loaded.file ? `${loaded.file}, ${loaded.servers.length} servers` : 'no pml.json found';
    return { value: loaded, detail, ...(!loaded.file && { advice: 'Run `pml init` to write one.' }) };
  });
  if (config) {
    redactor.add(config.secrets);
    await examine('database', found, () => checkDatabase(config, terminal));
    await Promise.all(
      config.servers.map((server) =>
        examine(`server ${server.name}`, found, () => checkServer(server, config)),
      ),
    );
  }
  if (values.json) terminal.print(JSON.stringify({ ok: findings.every(({ ok }) => ok), findings }));
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** What a file that is not trusted would do. */
function willDo({ untrusted }: Config): string {
  return `Read it first. It would do this:${untrusted?.lines.map((line) => `\n         ${line}`).join('')}`;
}

async function examine<T>(
  check: string,
  found: (finding: Finding) => void,
  look: () => Promise<{ value: T; detail: string; advice?: string }>,
): Promise<T | undefined> {
  try {
    const { value, detail, advice } = await look();
    found({ check, ok: true, detail, advice });
    return value;
  } catch (error) {
    found({
      check,
      ok: false,
      detail: messageOf(error),
      advice: error instanceof PmlError ? error.hint : undefined,
    });
    return undefined;
  }
}

/** A running daemon owns the database and answers for it; otherwise it is opened here for a moment. */
async function checkDatabase(config: Config, terminal: Terminal) {
  const handshake = { version: VERSION, kind: 'status' };
  const attached = await attach({ env: process.env, handshake, start: false });
  if (attached) {
    attached.socket.destroy();
    const { engine, pid } = attached.reply.status as DaemonStatus;
    return { value: true, detail: `${engine}, in use by the background process ${pid}` };
  }
  const lock = lockHome(config.home);
  if (!lock)
    throw new PmlError('daemon_unreachable', `${config.home} is locked by a PML that does not answer.`);
  try {
    const { home, databaseUrl } = config;
    const db = await openDb({ home, ...(databaseUrl && { databaseUrl }), onProgress: terminal.progress });
    await db.close();
    return { value: true, detail: `${db.engine}, ${home}` };
  } finally {
    lock.release();
  }
}

async function checkServer(server: Config['servers'][number], config: Config) {
  const said: string[] = [];
  const log = openLog({ level: 'info', print: (line) => said.push(line) });
  log.hide(config.secrets);
  const started = performance.now();
  const upstream = new Upstream({ server, log, startTimeoutMs: SERVER_TIMEOUT_MS });
  try {
    await upstream.settled();
    if (upstream.state !== 'ready') {
      const last = said.slice(-4, -1).map((line) => `\n       ${line}`);
      throw new PmlError('upstream_unreachable', `it ${upstream.problem}${last.join('')}`, {
        hint: adviceFor(server),
      });
    }
    const ms = Math.round(performance.now() - started);
    return {
      value: true,
      detail: `${upstream.catalog.tools.length} tools, ${upstream.era} era, up in ${ms} ms`,
    };
  } finally {
    await upstream.close();
  }
}

function adviceFor({ transport }: Config['servers'][number]): string {
  if (transport.kind !== 'stdio')
    return `Check that ${new URL(transport.url).origin} is up and takes your credentials.`;
  return `Try it by hand: ${[transport.command, ...transport.args].join(' ')} (in ${transport.cwd})`;
}

function describe({ check, ok, detail, advice }: Finding, terminal: Terminal): string {
  const mark = ok ? terminal.style('green', 'ok  ') : terminal.style('red', 'FAIL');
  return `${mark} ${check.padEnd(12)} ${detail}${advice ? `\n       → ${advice}` : ''}`;
}
