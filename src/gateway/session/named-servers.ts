import { foldToolName } from '../../access/index.ts';

/** Returns whether the arguments of a call may name a server: in code, or in data of which code computes names. */
export function namesServer(args: unknown): (server: string) => boolean {
  const text = JSON.stringify(args) ?? '';
  const words = new Set(text.split(/[^A-Za-z0-9_-]+|__/).map(foldToolName));
  return (server) => words.has(foldToolName(server)) || (server.includes('.') && text.includes(server));
}
