import type { Config } from './index.ts';

const LONGEST_PATH = 300;

/** What a person must know and do whose config file is not trusted; nothing, if it is. */
export function untrustedNotice({ file, untrusted }: Pick<Config, 'file' | 'untrusted'>): string | undefined {
  if (!untrusted || file === null) return undefined;
  // Quoted and cut: the path is a stranger's text too, and this goes to a model.
  const path = JSON.stringify(file.slice(0, LONGEST_PATH));
  const why = untrusted.changed
    ? 'what it runs or sends was changed since it was trusted'
    : 'it was found in this folder or above it, and nobody has trusted it yet';
  return `PML has not started the servers of ${path}: ${why}. A person who has read the file can run \`pml trust\` in its folder, and then reconnect.`;
}
