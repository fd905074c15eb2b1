export { type Served, serveConnection } from './connection.ts';
export { MAX_MESSAGE_BYTES, StreamTransport } from './stream-transport.ts';
export { StreamableEndpoint } from './streamable.ts';
export { Workspace } from './workspace.ts';
