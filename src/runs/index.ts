export { capabilityUsage } from './browse/capability-usage.ts';
export { type JournalEntry, readJournal } from './browse/read-journal.ts';
export { type ReadRun, readRun } from './browse/read-run.ts';
export { JournalRetention } from './details/journal-retention.ts';
export { type FinishedRun, RunDetails } from './details/run-details.ts';
export { type DetailsRow, readDetails } from './details/run-details-table.ts';
export { HOW_SAVED, SavingsFigures } from './figures/savings.ts';
export {
  type CallFigures,
  type FigurePoint,
  type SpanFigures,
  UsageFigures,
} from './figures/usage-figures.ts';
export { Journal, type RunPlace, type Usage } from './journal.ts';
export { type Fault, journaledCall } from './journaled-call.ts';
export { OutputObserver } from './output-observer.ts';
export { type PastCall, type PastCallsOwner, readPastCall, searchPastCalls } from './past-calls.ts';
export {
  listRecordings,
  type RecordedCall,
  type Recording,
  Recordings,
  type StoredRecording,
} from './recordings.ts';
export { rowId } from './row-id.ts';
export { type ListedTool, ToolOutputObserver } from './tool-output-observer.ts';
