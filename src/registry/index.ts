export { createNamed, fork } from './acts/fork.ts';
export { giveFeedback } from './acts/give-feedback.ts';
export { markVerified } from './acts/mark-verified.ts';
export { assertMayChange, refuseVersion } from './acts/permissions.ts';
export { type Learned, remember, rememberCompared } from './acts/remember.ts';
export { rename } from './acts/rename.ts';
export { restore, retire } from './acts/retire.ts';
export { update } from './acts/update.ts';
export { NameCache } from './lookup/name-cache.ts';
export { find, resolve } from './lookup/resolve.ts';
export { affectsToolList, onChange, type RegistryChange } from './record/announce.ts';
export {
  type Callable,
  type Capability,
  intentFor,
  nameFor,
  notFound,
  type Routing,
  type Scope,
  shownDescription,
  successRate,
} from './record/capability.ts';
export { fromShort, toolName } from './record/capability-name.ts';
export { schemaShownTo, withoutExamples } from './record/examples.ts';
export { isFqdn } from './record/fqdn.ts';
export { Keys } from './trust/keys.ts';
export { signOldHeads } from './trust/sign-old-heads.ts';
export { type Registry, verifySignature } from './trust/signature.ts';
export { describe, describeRecord, summarize } from './views/describe.ts';
export { displayCode, displayNames } from './views/display-names.ts';
export { history } from './views/history.ts';
export { listMostUsed, listNamed, type NamedCapability } from './views/list-named.ts';
export { namesCallees, nestedCallees } from './views/nested-callees.ts';
export { query } from './views/query.ts';
