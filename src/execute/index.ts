export type { ExecuteAnswer } from './acts/answer.ts';
export type { ExecuteInput } from './acts/execute-code.ts';
export type { Presented } from './acts/present-result.ts';
export type { ProposedProgram } from './acts/replay-proposal.ts';
export { type Caller, Executor, type RunSettings } from './executor.ts';
export { repeatCall } from './run/example-call.ts';
export { MAX_RESULT_BYTES, type ReadRegistry } from './run/run.ts';
export { plainValueOf } from './run/tool-result.ts';
