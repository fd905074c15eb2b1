import type { Untrusted } from './load-file.ts';

const MAX_PATH_LENGTH = 300;

interface LoadedConfig {
  file: string | null;
  untrusted?: Untrusted;
}

/** Says why a config's servers do not run, and what a person can do; undefined if the file is trusted. */
export function untrustedNotice({ file, untrusted }: LoadedConfig): string | undefined {
  if (!untrusted || file === null) return undefined;
  // Quoted and cut: a stranger may have chosen the path, and a model reads this.
  const path = JSON.stringify(file.slice(0, MAX_PATH_LENGTH));
  const why = untrusted.changed
    ? 'what it runs or sends was changed since it was trusted'
    : 'it was found in this folder or above it, and nobody has trusted it yet';
  return `PML has not started the servers of ${path}: ${why}. A person who has read the file can run \`pml trust\` in its folder, and then reconnect.`;
}
