export { Journal, type Usage } from './journal.ts';
