export { type Caller, Executor } from './executor.ts';
export { MAX_RESULT_BYTES } from './run/run.ts';
