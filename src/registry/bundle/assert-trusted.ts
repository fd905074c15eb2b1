import { PmlError } from '../../errors.ts';
import type { Keys } from '../trust/keys.ts';
import type { ImportOptions } from './import-plan.ts';
import type { SignedBundle } from './read-bundle.ts';
import { codeOf } from './validate.ts';

/** How this instance knows the signer of a bundle. */
export type SignerStatus = 'own' | 'trusted' | 'stranger';

/** Fails if the signer is not trusted, except for a dry run. */
export async function assertTrusted(
  keys: Keys,
  { signer, fingerprint, signature, signedText }: SignedBundle,
  { trusted, trust, dryRun }: ImportOptions,
): Promise<SignerStatus> {
  if (trust !== undefined && trust.toLowerCase() !== fingerprint)
    throw new PmlError(
      'key_untrusted',
      `This bundle was signed with the key ${fingerprint}, not with ${trust.slice(0, 100)}.`,
      {
        hint: 'Nothing was imported. Ask whoever made it which key is theirs.',
      },
    );
  if ((await keys.verify(signedText, signature)) === 'valid') return 'own';
  if (trusted.has(signer)) return 'trusted';
  if (trust !== undefined || dryRun) return 'stranger';
  throw new PmlError(
    'key_untrusted',
    `This bundle was signed with a key that you do not trust: ${fingerprint}`,
    {
      hint: `Nothing was imported. Ask whoever made it whether that is their key; then add --trust ${fingerprint} (and --always, to trust it from now on).`,
    },
  );
}

/** Limits for a bundle that nobody trusts yet: room for a thousand lines, validated in well under a second. */
const MAX_UNTRUSTED = { bytes: 1024 * 1024, versions: 50, code: 32 * 1024 };

/** Fails if a stranger's bundle is too large to be validated. */
export function assertSmall({ content, fingerprint }: SignedBundle, bytes: number): void {
  const versions = content.capabilities.flatMap((bundled) => bundled.versions);
  const code = versions.reduce((sum, version) => sum + codeOf(version).length, 0);
  const { bytes: maxBytes, versions: maxVersions, code: maxCode } = MAX_UNTRUSTED;
  if (bytes <= maxBytes && versions.length <= maxVersions && code <= maxCode) return;
  throw new PmlError(
    'key_untrusted',
    `This bundle is too large to be looked at before you trust its signer: it holds ${versions.length} versions with ${code} characters of code.`,
    { hint: `Ask whoever made it whether their key is ${fingerprint}; then add --trust ${fingerprint}.` },
  );
}
