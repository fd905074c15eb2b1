export { Journal, type Usage } from './journal.ts';
export {
  type RecordedCall,
  type Recording,
  Recordings,
  type StoredRecording,
} from './recordings.ts';
export { type Figures, type Statistics, type Subject, sinceWhen, statistics } from './statistics.ts';
