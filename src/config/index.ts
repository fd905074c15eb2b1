export { isServerName, type ModelPrice, serverEntry } from './file-schema.ts';
export { nearestFile } from './find-file.ts';
export { IGNORED_KEYS } from './foreign-keys.ts';
export { type Layout, parseJsonc } from './jsonc.ts';
export { type Config, type ConfigInput, loadConfig, loadSettings } from './load-config.ts';
export { type ModelAccess, modelKeys } from './model-access.ts';
export type { ServerConfig } from './server-config.ts';
export { openTrustStore, readEffects, trustFile } from './trust.ts';
export { untrustedNotice } from './untrusted-notice.ts';
