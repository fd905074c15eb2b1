export { canonicalJson } from '../canonical-json.ts';
export { assertNameFree } from './acts/claim-name.ts';
export { createNamed, fork } from './acts/fork.ts';
export { markVerified } from './acts/mark-verified.ts';
export { assertMayChange, refuseVersion } from './acts/permissions.ts';
export { findServer, registerServer, type ServerFacts } from './acts/register-server.ts';
export { type Learned, type Remembered, remember } from './acts/remember.ts';
export { type Changes, rename } from './acts/rename.ts';
export { restore, retire } from './acts/retire.ts';
export { type NewVersion, update } from './acts/update.ts';
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
export { hashOfCalls, usesOf } from './drift/call-hash.ts';
export { reasonOf, type Use } from './drift/dependencies.ts';
export { type ObservedTool, observeTools } from './drift/observe-tools.ts';
export { type BrokenUse, brokenUses } from './drift/stale.ts';
export { warnOfAlias } from './lookup/deprecation.ts';
export { NameCache } from './lookup/name-cache.ts';
export { find, resolve } from './lookup/resolve.ts';
export { changesTools, onChange, type RegistryChange } from './record/announce.ts';
export {
  asking,
  type Callable,
  type Capability,
  MAY_SEE,
  notFound,
  type Routing,
  shownDescription,
  type Visibility,
} from './record/capability.ts';
export { buildFqdn, type Fqdn, parseFqdn } from './record/fqdn.ts';
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
} from './record/lifecycle.ts';
export { assertValidName, listedName, looseName, splitName } from './record/names.ts';
export { exportSkills, type Skill } from './skill/index.ts';
export { HEADS_SIGNED, Keys, keyId, publicKeyOf } from './trust/keys.ts';
export { signOldHeads } from './trust/sign-old-heads.ts';
export { checked, type Registry, type Signed, signedText } from './trust/signature.ts';
export { brief, describe } from './views/describe.ts';
export { showNames } from './views/display-names.ts';
export { history, type VersionEntry } from './views/history.ts';
export { listMostUsed, listNamed, type NamedCapability, someNames } from './views/list-named.ts';
export { nearDuplicatesOf } from './views/near-duplicates.ts';
export { type Filter, type ListedCapability, query } from './views/query.ts';
