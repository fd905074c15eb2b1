export { Workspace } from '../workspace/workspace.ts';
export { type Served, serveConnection } from './transport/serve-connection.ts';
export { MAX_MESSAGE_BYTES, StreamTransport } from './transport/stream-transport.ts';
export { StreamableEndpoint } from './transport/streamable-endpoint.ts';
