/** Which names are valid, free and former, and which of them an agent was given. */
export { assertNameFree } from '../acts/claim-name.ts';
export { undoRename } from '../acts/undo-rename.ts';
export { warnOfAlias } from '../lookup/deprecation.ts';
export { grantedCapabilities, maySeeRecord, seesAllCapabilities } from '../lookup/granted.ts';
export { retiredHint } from '../lookup/retired.ts';
export { versionWarnings } from '../lookup/version.ts';
export { assertValidName } from '../record/capability-name.ts';
export { currentAndFormerNames, someNames } from '../views/list-named.ts';
export { renameHistory } from '../views/rename-history.ts';
