export { Journal, type Usage } from './journal.ts';
export { type Figures, type Statistics, type Subject, sinceWhen, statistics } from './statistics.ts';
