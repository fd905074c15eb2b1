export { type EndpointOptions, openEndpoint } from './embeddings/http-embedder.ts';
export { findWeights, openOnnx } from './embeddings/onnx-embedder.ts';
export { Vectors } from './embeddings/vectors.ts';
export type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery, Evidence } from './entry.ts';
export { DiscoveryIndex } from './search/discovery-index.ts';
export { NOTHING_FITS } from './weights.ts';
