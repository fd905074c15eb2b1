import { foldToolName } from '../../access/index.ts';

/**
 * Returns whether the arguments of a call may name a server: in code, or in data of which code computes names. They are read
 * when the first server is asked for, which seldom happens: most servers are listed long before.
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
