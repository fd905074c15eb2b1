export type { ExecuteAnswer } from './answer.ts';
export type { ExecuteInput } from './execute-code.ts';
export { type Caller, Executor } from './executor.ts';
export { MAX_RESULT_BYTES } from './run.ts';
