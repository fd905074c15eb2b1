export { buildDirectory, type Directory, type Entry, NameIndex } from './directory.ts';
export { looseKey } from './names.ts';
export { presentTools } from './present.ts';
