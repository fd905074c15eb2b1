export { HIDDEN } from './data.ts';
export { isRandomWord, isSecretKey, namesSecret } from './keys.ts';
export { hideSecrets, hideSecretsInSchema, type KnownSecrets, Redactor } from './redactor.ts';
export { isSecretSetting, tokenOf } from './settings.ts';
export { findSecrets, hasIssuedSecret } from './shapes.ts';
export { shorten } from './shorten.ts';
export { publicUrl, secretParts } from './url.ts';
