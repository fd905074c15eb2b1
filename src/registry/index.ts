export {
  type Exported,
  exportBundle,
  type Imported,
  type ImportOptions,
  importBundle,
  MAX_BUNDLE_BYTES,
  type Surroundings,
  TrustedKeys,
} from './bundle/index.ts';
export { hashOfCalls, usesOf } from './calls.ts';
export { canonical } from './canonical.ts';
export { changesTools, onChange, type RegistryChange } from './changes.ts';
export { checked, type Registry, type Signed, signedText } from './check.ts';
export { assertNameFree } from './claim.ts';
export { warnOfAlias } from './deprecation.ts';
export { brief, describe } from './describe.ts';
export { type ObservedTool, observeTools } from './drift.ts';
export { createNamed, fork } from './fork.ts';
export { buildFqdn, type Fqdn, parseFqdn } from './fqdn.ts';
export { history, type VersionEntry } from './history.ts';
export { HEADS_SIGNED, Keys, keyId, publicKeyOf } from './keys.ts';
export { KnownNames } from './known-names.ts';
export {
  type Evidence,
  type EvidenceChange,
  evidenceOf,
  explainStanding,
  type Lifecycle,
  onEvidence,
  rateOf,
  type Standing,
  standingOf,
  standingSql,
  standingValues,
  TELL_EVIDENCE,
  WINDOW,
} from './lifecycle.ts';
export { listMostUsed, listNamed, type NamedCapability, someNames } from './listing.ts';
export { assertValidName, listedName, looseName, splitName } from './names.ts';
export { type Filter, type ListedCapability, query } from './query.ts';
export {
  asking,
  type Callable,
  type Capability,
  type JsonSchema,
  MAY_SEE,
  notFound,
  type Routing,
  shownDescription,
  type Visibility,
} from './record.ts';
export { type Learned, type Remembered, remember } from './remember.ts';
export { type Changes, rename } from './rename.ts';
export { find, resolve } from './resolve.ts';
export { restore, retire } from './retire.ts';
export { assertMayChange, refuseVersion } from './rights.ts';
export { findServer, registerServer, type ServerFacts } from './servers.ts';
export { showNames } from './show.ts';
export { signOldHeads } from './sign-old-heads.ts';
export { exportSkills, type Skill } from './skill/index.ts';
export { type BrokenUse, brokenUses } from './stale.ts';
export { twinsOf } from './twins.ts';
export { type NewVersion, update } from './update.ts';
export { reasonOf, type Use } from './uses.ts';
export { markVerified } from './verified.ts';
