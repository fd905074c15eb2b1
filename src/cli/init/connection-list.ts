import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PmlError } from '../../errors.ts';
import type { Connection } from './connect-clients.ts';
import { writeWhole } from './write-config.ts';

type Kept = Pick<Connection, 'client' | 'act'>;

/** Remembers which clients were connected, so that `pml init --undo` can take it back. */
export function keepConnections(home: string, connections: readonly Kept[]): void {
  storeConnections(home, [...readConnections(home), ...connections]);
}

/** Replaces the list of connected clients. */
export function storeConnections(home: string, connections: readonly Kept[]): void {
  const kept = connections.map(({ client, act }) => ({ client, act }));
  if (kept.length > 0) writeWhole(fileOf(home), `${JSON.stringify(kept, null, 2)}\n`, true);
  else rmSync(fileOf(home), { force: true });
}

export function readConnections(home: string): Kept[] {
  try {
    return JSON.parse(readFileSync(fileOf(home), 'utf8')) as Kept[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new PmlError('home_unusable', `${fileOf(home)} cannot be read.`, {
      hint: 'Remove "pml" from the configs of your clients by hand, then this file.',
    });
  }
}

function fileOf(home: string): string {
  return path.join(home, 'connected-clients.json');
}
