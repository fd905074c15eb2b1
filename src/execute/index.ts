export { callOut } from './call-out.ts';
export { type Caller, type ExecuteAnswer, type ExecuteInput, Executor } from './execute.ts';
