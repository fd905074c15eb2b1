export { toClientTools } from './client-schemas.ts';
export { buildDirectory, type Directory } from './directory.ts';
export { chooseUnlisted, OWN_TOOLS_TOKENS, toolTokens } from './expose-budget.ts';
export { listedNames } from './listed-names.ts';
export { type DirectoryEntry, NameIndex } from './name-index.ts';
