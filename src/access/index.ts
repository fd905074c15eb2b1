export { toClientTools } from './client-schemas.ts';
export { buildDirectory, type Directory } from './directory.ts';
export { type DirectoryEntry, NameIndex } from './name-index.ts';
