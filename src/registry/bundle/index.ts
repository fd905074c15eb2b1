export { type Exported, exportBundle, selected } from './export.ts';
export { MAX_BUNDLE_BYTES } from './format.ts';
export { type Imported, type ImportOptions, importBundle, type Surroundings } from './import.ts';
export { TrustedKeys } from './trusted-keys.ts';
export { isFqdn } from './validate.ts';
