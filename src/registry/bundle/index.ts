export { MAX_BUNDLE_BYTES } from './bundle-schema.ts';
export { type Exported, exportBundle } from './export.ts';
export { type Imported, importBundle } from './import.ts';
export type { LocalTools } from './import-plan.ts';
export { TrustedKeys } from './trusted-keys.ts';
