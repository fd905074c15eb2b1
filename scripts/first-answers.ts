// Records how PML answers the first requests of a client whose home is empty and has no config, in every version of the
// protocol. `pml serve` answers so while the first daemon of a home starts.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { MODERN_VERSION } from '../src/gateway/index.ts';
import type { JsonObject } from '../src/json.ts';
import { startFolder } from '../src/remembered-answers.js';

const CLIENT = { name: 'recorder', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** `tools/list` last, because PML writes down what it remembers when it has answered that. */
const LISTS = ['prompts/list', 'resources/list', 'resources/templates/list', 'tools/list'];

/** Starts the program on an empty home, asks as clients do, and returns what it remembered of its answers. */
export async function recordFirstAnswers(program: string): Promise<Record<string, JsonObject>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'pml-record-'));
  const home = path.join(dir, 'home');
  const env = { PATH: process.env.PATH ?? '', HOME: dir, PML_HOME: home };
  const options = { cwd: dir, env };
  try {
    for (const protocolVersion of SUPPORTED_PROTOCOL_VERSIONS) {
      const initialize = { protocolVersion, capabilities: {}, clientInfo: CLIENT };
      await ask(program, options, [['initialize', initialize], ...LISTS.map((list) => [list, {}] as const)]);
    }
    const methods = ['server/discover', ...LISTS];
    await ask(
      program,
      options,
      methods.map((method) => [method, { _meta: META }]),
    );
  } finally {
    // It writes down what it remembers before it ends.
    await promisify(execFile)(process.execPath, [program, 'down'], options);
  }
  const folder = startFolder(home);
  const [file = ''] = readdirSync(folder);
  const { answers } = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  rmSync(dir, { recursive: true, force: true });
  return answers;
}

/** Sends requests to a `pml serve` of its own, one after the other. */
async function ask(
  program: string,
  options: { cwd: string; env: Record<string, string> },
  requests: readonly (readonly [method: string, params: object])[],
): Promise<void> {
  const child = spawn(process.execPath, [program, 'serve'], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const [id, [method, params]] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`pml serve ended before it answered ${method}`);
      const message = JSON.parse(value) as { id?: number; error?: { message: string } };
      if (message.error) throw new Error(`${method}: ${message.error.message}`);
      if (message.id === id) break;
    }
  }
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
}
