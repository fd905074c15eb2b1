/** Which pieces of code are the same procedure, and the verdicts on the parameters of tools. */
export { fold } from '../acts/fold.ts';
export { hashOfCalls } from '../drift/call-hash.ts';
export { findSameCode } from '../lookup/same-code.ts';
export { type CapabilityByTools, findByTools } from '../lookup/same-tools.ts';
export { VerdictCache } from '../lookup/verdict-cache.ts';
export { noteTwins } from '../tables/capability-twins.ts';
export { readVerdicts } from '../tables/parameter-verdicts.ts';
export { type Duplicate, type DuplicateGroup, findDuplicateGroups } from '../views/duplicate-groups.ts';
export { nearDuplicatesOf } from '../views/near-duplicates.ts';
export { sameProcedures } from '../views/same-procedures.ts';
