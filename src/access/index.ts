export { buildDirectory, type Directory, type Entry, Shelf } from './directory.ts';
export { looseKey } from './names.ts';
export { presentTools } from './present.ts';
