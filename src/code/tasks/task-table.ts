import { readCalls } from '../parameters/is-read-call.ts';
import { accept, originalPosition } from './accept.ts';
import { adapt, rewrite } from './adapt.ts';
import { examine } from './examine.ts';
import { findOmissions } from './find-omissions.ts';
import { learn } from './learn.ts';
import { functionBody, prepareRun, referencedNames, undeclaredUse, valueOrigin } from './prepare-run.ts';
import { repair } from './repair.ts';
import { repeatedCalls } from './repeated-calls.ts';
import { secretLiterals } from './secret-literals.ts';
import { strangeLiterals } from './strange-literals.ts';
import { widen } from './widen.ts';
import { writtenValues } from './written-values.ts';

/** The tasks that parse foreign code. Each takes the source first, and plain data after it. */
export const CODE_TASKS = {
  accept,
  originalPosition,
  prepareRun,
  functionBody,
  referencedNames,
  undeclaredUse,
  valueOrigin,
  learn,
  examine,
  adapt,
  rewrite,
  findOmissions,
  repair,
  repeatedCalls,
  secretLiterals,
  strangeLiterals,
  widen,
  writtenValues,
  readCalls,
};
