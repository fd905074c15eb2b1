export { buildDirectory, type Directory, type Entry, NameIndex } from './directory.ts';
export { looseKey } from './listed-names.ts';
export { presentTools } from './client-schemas.ts';
