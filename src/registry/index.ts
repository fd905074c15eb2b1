export { changeServer } from './acts/change-server.ts';
export { assertNameFree } from './acts/claim-name.ts';
export { describeParameters } from './acts/describe-parameters.ts';
export { fold, parameterDifference } from './acts/fold.ts';
export { createNamed, fork } from './acts/fork.ts';
export { giveFeedback } from './acts/give-feedback.ts';
export { markVerified } from './acts/mark-verified.ts';
export { assertMayChange, refuseVersion } from './acts/permissions.ts';
export { findServer, registerServer } from './acts/register-server.ts';
export { type Learned, remember } from './acts/remember.ts';
export { rename } from './acts/rename.ts';
export { restore, retire } from './acts/retire.ts';
export { undoRename } from './acts/undo-rename.ts';
export { update } from './acts/update.ts';
export { type Dependency, dependenciesOf } from './drift/dependencies.ts';
export { observeTools } from './drift/observe-tools.ts';
export { fitsTools } from './drift/stale.ts';
export { warnOfAlias } from './lookup/deprecation.ts';
export { NameCache } from './lookup/name-cache.ts';
export { find, resolve } from './lookup/resolve.ts';
export { affectsToolList, onChange, type RegistryChange } from './record/announce.ts';
export type { CachePolicy, CachingPatch } from './record/caching.ts';
export { DEFAULT_TTL, MAX_TTL } from './record/caching.ts';
export {
  type Callable,
  type Capability,
  intentFor,
  notFound,
  type Routing,
  type Scope,
  shownDescription,
  successRate,
} from './record/capability.ts';
export { schemaShownTo, withoutExamples } from './record/examples.ts';
export { isFqdn } from './record/fqdn.ts';
export { assertValidName } from './record/names.ts';
export { Keys } from './trust/keys.ts';
export { signOldHeads } from './trust/sign-old-heads.ts';
export { type Registry, type Verified, verifySignature } from './trust/signature.ts';
export { describe, summarize } from './views/describe.ts';
export {
  type DiscoverableCapability,
  type FoundCapability,
  readDiscoverable,
  readFound,
  readStale,
  rereadDiscoverable,
} from './views/discoverable.ts';
export { displayCode, displayNames } from './views/display-names.ts';
export { history } from './views/history.ts';
export { listNameable, type NameableRecord, OFTEN, usesOf } from './views/list-nameable.ts';
export { listMostUsed, listNamed, type NamedCapability, someNames } from './views/list-named.ts';
export { namesCallees, nestedCallees } from './views/nested-callees.ts';
export { query } from './views/query.ts';
export { renameHistory } from './views/rename-history.ts';
