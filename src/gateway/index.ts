export { Gateway } from './session/gateway.ts';
export { serveConnection } from './transport/serve-connection.ts';
export { MAX_MESSAGE_BYTES } from './transport/stream-transport.ts';
export { StreamableEndpoint } from './transport/streamable-endpoint.ts';
