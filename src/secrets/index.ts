export { findSecrets, hasIssuedSecret } from './find-secrets.ts';
export { HIDDEN } from './json-secrets.ts';
export { publicUrl, secretUrlParts } from './public-url.ts';
export { hideSecrets, hideSecretsInSchema, type KnownSecrets, Redactor } from './redactor.ts';
export { type KnownRunSecrets, type RunSecret, SecretMatcher } from './run-secrets.ts';
export { isRandomWord, isSecretKey, isSecretNumber, namesSecret } from './secret-keys.ts';
export { describesNameOfSecret, isSecretSchema, mayNameSecret, type SecretHints } from './secret-schema.ts';
export { isSecretSetting, tokenAfterScheme } from './secret-settings.ts';
export { shorten } from './shorten.ts';
