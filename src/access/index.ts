export { toClientTools } from './client-schemas.ts';
export { buildDirectory, type Directory, type Entry, NameIndex } from './directory.ts';
export { foldToolName } from './listed-names.ts';
