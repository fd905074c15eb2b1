import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LineReader } from '../../src/lines.ts';
import type { Loose } from './clients.ts';
import { type Pml, PROGRAM } from './pml.ts';
import { ReceivedNotifications } from './received-notifications.ts';

export interface RawOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** A client that speaks JSON-RPC by hand over `pml serve`, and so sees messages unchanged. */
export class RawClient {
  readonly notifications = new ReceivedNotifications();
  /** Each line that PML sent. */
  readonly lines: string[] = [];
  readonly #child: ReturnType<typeof spawnServe>;
  readonly #answers = new Map<string | number, PromiseWithResolvers<Loose>>();

  private constructor(pml: Pml, options: RawOptions) {
    this.#child = spawnServe(pml, options);
    // Not readline, which also ends lines at U+2028.
    const lines = new LineReader(
      Number.MAX_SAFE_INTEGER,
      (line) => this.#receive(line),
      () => {},
    );
    this.#child.stdout.on('data', (chunk) => lines.push(chunk));
    pml.onClose(() => this.close());
  }

  /** Connects in the older era. */
  static async open(
    pml: Pml,
    { version = '2025-11-25', ...options }: RawOptions & { version?: string } = {},
  ): Promise<RawClient> {
    const client = new RawClient(pml, options);
    await client.send('initialize', 'initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    client.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  /** Sends a request and returns the whole answer, error or not. */
  send(id: string | number, method: string, params: object = {}): Promise<Loose> {
    const answer = Promise.withResolvers<Loose>();
    this.#answers.set(id, answer);
    this.write({ jsonrpc: '2.0', id, method, params });
    return answer.promise;
  }

  write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin.end();
    await once(this.#child, 'exit');
  }

  #receive(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line);
    if (message.method) this.notifications.add(message.method, message.params);
    else this.#answers.get(message.id)?.resolve(message);
  }
}

function spawnServe(pml: Pml, { cwd, env }: RawOptions) {
  return spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: cwd ?? pml.dir,
    env: { ...pml.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}
