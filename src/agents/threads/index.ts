export { completeHistory } from './complete-history.ts';
export {
  MAX_CALLS,
  MAX_INPUT,
  MAX_MESSAGE,
  MAX_RESULT,
  type ThreadMessage,
  type ToolCall,
  type ToolMessage,
  threadMessage,
  type Usage,
  usageCount,
} from './message.ts';
export { StoredThreads } from './stored-threads.ts';
export { readPages, type Threads } from './threads.ts';
