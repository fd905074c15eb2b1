export type { ExecuteAnswer } from './answer.ts';
export { callOut } from './call-out.ts';
export type { ExecuteInput } from './direct.ts';
export { type Caller, Executor } from './execute.ts';
export { MAX_RESULT_BYTES } from './run.ts';
