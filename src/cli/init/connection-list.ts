import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PmlError } from '../../errors.ts';
import type { Connection } from './connect-clients.ts';
import { writeWhole } from './write-config.ts';

type Kept = Pick<Connection, 'client' | 'act'>;

/** Remembers which clients were connected, so that `pml init --undo` can take it back. */
export function keepConnections(home: string, connections: readonly Kept[]): void {
  const kept = [...readConnections(home), ...connections.map(({ client, act }) => ({ client, act }))];
  writeWhole(fileOf(home), `${JSON.stringify(kept, null, 2)}\n`, true);
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

export function forgetConnections(home: string): void {
  rmSync(fileOf(home), { force: true });
}

function fileOf(home: string): string {
  return path.join(home, 'connected-clients.json');
}
