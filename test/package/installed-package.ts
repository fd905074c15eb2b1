import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The npm that runs the tests, as a script for any Node. */
const NPM = process.env.npm_execpath ?? '';

export interface Ended {
  code: number | null;
  output: string;
}

/** Runs a program to its end. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number },
): Promise<Ended> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Runs npm, from its cache where it can. Fails with what npm printed. */
export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runToEnd(process.execPath, [NPM, ...args, ...flags], { cwd });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`);
  return output;
}

/** PML as a user has it: packed, and installed without install scripts in a folder with a space in its path. */
export class InstalledPackage {
  readonly root = mkdtempSync(path.join(tmpdir(), 'pml-package-'));
  readonly folder = path.join(this.root, 'a project');
  readonly package = path.join(this.folder, 'node_modules', 'pml-gateway');
  readonly program = path.join(this.package, 'bin', 'pml.js');
  /** The packed file, which `install` makes. */
  tarball = '';

  static async install(): Promise<InstalledPackage> {
    if (!NPM) throw new Error('run the tests with npm: npm run tests');
    const installed = new InstalledPackage();
    await npm(ROOT, 'pack', '--pack-destination', installed.root);
    const file = readdirSync(installed.root).find((name) => name.endsWith('.tgz')) as string;
    installed.tarball = path.join(installed.root, file);
    cpSync(path.join(ROOT, 'examples', 'api'), installed.folder, { recursive: true });
    writeFileSync(path.join(installed.folder, 'package.json'), '{ "type": "module" }');
    await npm(installed.folder, 'install', '--ignore-scripts', installed.tarball);
    return installed;
  }

  /** Returns a Node of another version, which npm fetches. */
  async node(version: string): Promise<string> {
    const folder = path.join(this.root, `node-${version}`);
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    mkdirSync(folder);
    await npm(folder, 'install', '--prefix', folder, '--ignore-scripts', `${name}@${version}`);
    return path.join(folder, 'node_modules', name, 'bin', 'node');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Lists a folder's files with their size and time, to compare them later. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
