import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the peers: they are tools of this bench, never dependencies of PML. */
const FOLDER = path.join(import.meta.dirname, '..', '..', 'build', 'peers');

const PEERS = {
  supergateway: '4.0.0',
  'mcp-proxy': '6.7.19',
  'mcp-hub': '4.2.1',
  '@utcp/code-mode': '1.2.12',
  '@utcp/mcp': '1.1.3',
};

/** Installs the peers unless they are there, and returns the folder of a package. */
export function installPeers(): (name: keyof typeof PEERS) => string {
  const modules = path.join(FOLDER, 'node_modules');
  const isThere = Object.keys(PEERS).every((name) => existsSync(path.join(modules, name)));
  if (!isThere) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(
      path.join(FOLDER, 'package.json'),
      JSON.stringify({ private: true, type: 'module', dependencies: PEERS }),
    );
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: FOLDER,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return (name) => path.join(modules, name);
}

export function versionOf(name: keyof typeof PEERS): string {
  return PEERS[name];
}
