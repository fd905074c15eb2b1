export { type AskedIdentity, identify } from './session/client-identity.ts';
export { Gateway } from './session/gateway.ts';
export { LocalClient } from './session/local-client.ts';
export type { SessionIdentity } from './session/session.ts';
export { directToolCallOf, MODERN_VERSION } from './transport/parse-direct-call.ts';
export { serveConnection } from './transport/serve-connection.ts';
export { serveWithoutConfig } from './transport/serve-without-config.ts';
export { MAX_MESSAGE_BYTES } from './transport/stream-transport.ts';
export { type HttpToolCall, StreamableEndpoint } from './transport/streamable-endpoint.ts';
