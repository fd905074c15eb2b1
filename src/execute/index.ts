export type { ProposedProgram } from './acts/rehearse.ts';
export { type Caller, Executor, type RunSettings } from './executor.ts';
export { MAX_RESULT_BYTES, type ReadRegistry } from './run/run.ts';
export { plainValueOf } from './run/tool-result.ts';
