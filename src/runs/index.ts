export { Journal } from './journal.ts';
export { type Fault, journaledCall } from './journaled-call.ts';
export { OutputObserver } from './output-observer.ts';
export { type PastRun, type RunOwner, readPastRun, searchPastRuns } from './past-runs.ts';
export { type RecordedCall, type Recording, Recordings, type StoredRecording } from './recordings.ts';
export { type ListedTool, ToolOutputObserver } from './tool-output-observer.ts';
