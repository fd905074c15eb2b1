export { openLocalModel } from './embeddings/embedding-process.ts';
export { Embeddings, type EmbeddingsSetting } from './embeddings/embeddings.ts';
export { openEndpoint } from './embeddings/http-embedder.ts';
export { findLocalModel, findRuntime, installCommand, type LocalModel } from './embeddings/local-model.ts';
export { Vectors } from './embeddings/vectors.ts';
export type { DiscoveryEntry, DiscoveryHit, DiscoveryQuery, Evidence, Population } from './entry.ts';
export { DiscoveryIndex } from './search/discovery-index.ts';
export { NOTHING_FITS } from './weights.ts';
