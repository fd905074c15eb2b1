export type { CallableEntry } from './callables.ts';
export { Daemon } from './daemon.ts';
export type { DaemonStatus } from './status.ts';
