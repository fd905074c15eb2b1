export { type CallContext, CallEnded, type ServerRequest } from './active-calls.ts';
export type { Catalog, ListKind } from './catalog.ts';
export { UpstreamMemory } from './memory.ts';
export { Upstream } from './upstream.ts';
