import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { within } from '../../src/testing/wait.ts';
import { type Pml, PROGRAM, programOf } from '../support/pml.ts';

/** A block of the documents that takes longer hangs. */
const BLOCK_MS = 120_000;
const SERVERS = ['filesystem', 'memory', 'everything'];

/** The terminal of somebody who follows the documents: `pml` is on the PATH, and `npx` finds the official servers. */
export class Shell {
  readonly #pml: Pml;

  constructor(pml: Pml) {
    this.#pml = pml;
    symlinkSync(pml.home, join(pml.dir, '.pml'));
    const bin = join(pml.dir, 'bin');
    mkdirSync(bin);
    this.#program(join(bin, 'pml'), `exec '${process.execPath}' '${PROGRAM}' "$@"`);
    const cases = SERVERS.map((name) => `@modelcontextprotocol/server-${name}`).map(
      (name) => `${name}) exec '${process.execPath}' '${programOf(name)}' "$@" ;;`,
    );
    // The registry is not asked: what a reader would download is installed here.
    this.#program(
      join(bin, 'npx'),
      `[ "$1" = -y ] && shift\nname=$1; shift\ncase $name in\n${cases.join('\n')}\nesac\necho "npx: no $name here" >&2\nexit 1`,
    );
    pml.env.PATH = `${bin}:${pml.env.PATH}`;
  }

  #program(path: string, script: string): void {
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  /** Writes a file that a block shows. */
  write(file: string, text: string): void {
    const path = join(this.#pml.dir, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a script, and returns what a person would see. */
  run(script: string): Promise<{ code: number | null; output: string }> {
    // One pipe for both, so that lines keep the order in which they were written.
    const child = spawn('sh', ['-e', '-c', `exec 2>&1\n${script}`], {
      cwd: this.#pml.dir,
      env: this.#pml.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, output }));
    });
    return within(ended, BLOCK_MS, script);
  }
}
