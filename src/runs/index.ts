export { Journal } from './journal.ts';
export { journaledCall } from './journaled-call.ts';
export { type RecordedCall, type Recording, Recordings, type StoredRecording } from './recordings.ts';
