export { onChange, type RegistryChange } from './changes.ts';
export { buildFqdn, type Fqdn, parseFqdn } from './fqdn.ts';
export { listMostUsed, listNamed, someNames } from './listing.ts';
export { assertValidName, listedName, looseName, splitName } from './names.ts';
export type { Capability, JsonSchema, Visibility } from './record.ts';
export { assertNameFree, type Learned, type Remembered, remember } from './remember.ts';
export { find, resolve } from './resolve.ts';
