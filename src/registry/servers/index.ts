/** The records of servers, and the tools that they were seen to have. */
export { changeServer } from '../acts/change-server.ts';
export { findServer, registerServer } from '../acts/register-server.ts';
export { observeTools } from '../drift/observe-tools.ts';
export { fitsTools } from '../drift/stale.ts';
