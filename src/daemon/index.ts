export { Daemon } from './daemon.ts';
export type { DaemonStatus } from './handshake.ts';
