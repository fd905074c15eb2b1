// Builds what is published beside the npm package, into build/distribution: `npm run distribution`. The .mcpb is for the platform of
// this machine, because it contains a Node and other programs.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';

const ROOT = path.join(import.meta.dirname, '..');
const TARGET = path.join(ROOT, 'build', 'distribution');
const TARBALL = path.join(TARGET, 'pml-gateway.tgz');

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
packPackage();
for (const [from, to] of [
  ['server.json', 'server.json'],
  ['distribution/Dockerfile', 'Dockerfile'],
  ['plugin', 'plugin/plugin'],
  ['.claude-plugin', 'plugin/.claude-plugin'],
] as const) {
  cpSync(path.join(ROOT, from), path.join(TARGET, to), { recursive: true });
}
await packDesktopExtension();

function packPackage(): void {
  const output = npm(ROOT, 'pack', '--json', '--pack-destination', TARGET);
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n')));
  renameSync(path.join(TARGET, filename), TARBALL);
}

/** Claude Desktop unpacks the bundle and starts the server in it, so all that PML needs is inside. */
async function packDesktopExtension(): Promise<void> {
  const folder = path.join(TARGET, 'mcpb');
  mkdirSync(folder);
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'distribution', 'manifest.json'), 'utf8'));
  manifest.compatibility.platforms = [process.platform];
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
  // Without it npm would install into the package around the folder.
  writeFileSync(path.join(folder, 'package.json'), '{}');
  npm(folder, 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', TARBALL);
  const outputPath = path.join(TARGET, `pml-${manifest.version}-${process.platform}-${process.arch}.mcpb`);
  if (!(await packExtension({ extensionPath: folder, outputPath, silent: true })))
    throw new Error('the .mcpb could not be packed');
  rmSync(folder, { recursive: true });
  console.log(`Built ${path.relative(ROOT, TARGET)}`);
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
