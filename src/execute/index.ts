export type { ExecuteAnswer } from './acts/answer.ts';
export type { ExecuteInput } from './acts/execute-code.ts';
export type { Presented } from './acts/present-result.ts';
export type { ProposedProgram } from './acts/replay-proposal.ts';
export { repeatCall } from './arguments/example-call.ts';
export { plainValueOf } from './calls/tool-result.ts';
export { type Caller, Executor, type RunSettings } from './executor.ts';
export { MAX_RESULT_BYTES, type ReadRegistry } from './run/run.ts';
