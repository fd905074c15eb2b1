export { Daemon } from './daemon.ts';
export type { DaemonStatus } from './status.ts';
