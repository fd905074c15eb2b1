import { adapt, rewrite } from './adapt.ts';
import { examine } from './examine.ts';
import { learn } from './learn.ts';
import { body, names, read } from './prepare-run.ts';

/** What is done with code that others wrote. Each takes the source first, and plain data after it. */
export const TASKS = { read, body, names, learn, examine, adapt, rewrite };
