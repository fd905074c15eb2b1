export { HIDDEN } from './json-secrets.ts';
export { isRandomWord, isSecretKey, namesSecret } from './secret-keys.ts';
export { hideSecrets, hideSecretsInSchema, type KnownSecrets, Redactor } from './redactor.ts';
export { isSecretSetting, tokenOf } from './secret-settings.ts';
export { findSecrets, hasIssuedSecret } from './find-secrets.ts';
export { shorten } from './shorten.ts';
export { publicUrl, secretParts } from './public-url.ts';
