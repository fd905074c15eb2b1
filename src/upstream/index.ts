export { type CallContext, CallEnded, type ServerRequest } from './active-calls.ts';
export type { Catalog, ListKind } from './catalog.ts';
export { unavailableError } from './errors.ts';
export { UpstreamMemory } from './memory.ts';
export type { InProcess, ServerDefinition } from './server-definition.ts';
export { serveInProcess } from './transport/in-process.ts';
export { Upstream } from './upstream.ts';
