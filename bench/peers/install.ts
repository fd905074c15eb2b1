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

export type Peer = keyof typeof PEERS;

const MODULES = path.join(FOLDER, 'node_modules');

/** Returns the folder of a peer; undefined if it is not installed. */
export function folderOf(name: Peer): string | undefined {
  const folder = path.join(MODULES, name);
  return existsSync(folder) ? folder : undefined;
}

/** Installs the peers unless they are there. */
export function installPeers(): void {
  if (Object.keys(PEERS).some((name) => !folderOf(name as Peer))) {
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
}

export function versionOf(name: Peer): string {
  return PEERS[name];
}
