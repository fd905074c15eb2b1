import { foldToolName } from '../../access/index.ts';

/**
 * Returns a test for whether a call's arguments may name a server: in code, or in data that code computes names from.
 * The arguments are read at the first test, which is rare: most servers are listed long before.
 */
export function namesServer(args: unknown): (server: string) => boolean {
  let read: { text: string; words: Set<string> } | undefined;
  return (server) => {
    read ??= wordsOf(args);
    const { text, words } = read;
    return words.has(foldToolName(server)) || (server.includes('.') && text.includes(server));
  };
}

function wordsOf(args: unknown): { text: string; words: Set<string> } {
  const text = JSON.stringify(args) ?? '';
  return { text, words: new Set(text.split(/[^A-Za-z0-9_-]+|__/).map(foldToolName)) };
}
