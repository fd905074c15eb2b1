import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, PmlError } from '../../errors.ts';
import type { Callable } from '../../registry/index.ts';
import { isEvidence } from './failure-evidence.ts';

const by = (createdBy: string) => ({ createdBy }) as Callable;
const who = (user: string) => ({ user, org: 'acme', project: 'web' });

interface Case {
  caller?: string;
  chain?: string[];
  hasLoweredLimits?: boolean;
  code?: ErrorCode;
  counts: boolean;
}

const CASES: Record<string, Case> = {
  'of its creator': { counts: true },
  'of its creator, by another capability of the creator': { chain: ['ana', 'ana'], counts: true },
  'of somebody else': { caller: 'ben', counts: false },
  "of its creator, in somebody else's code": { chain: ['ana', 'ben'], counts: false },
  'by wrong arguments': { code: 'invalid_arguments', counts: false },
  'by being cancelled': { code: 'cancelled', counts: false },
  'by its time': { code: 'code_timeout', counts: true },
  'by a time that its caller shortened': { code: 'code_timeout', hasLoweredLimits: true, counts: false },
  'by a result larger than its caller wanted': { code: 'code_limit', hasLoweredLimits: true, counts: false },
  'by the time that another run had left': { code: 'code_timeout', chain: ['ana'], counts: false },
  'by its code, with little time': { code: 'code_exception', hasLoweredLimits: true, counts: true },
};
for (const [what, { caller = 'ana', chain = [], hasLoweredLimits = false, code, counts }] of Object.entries(
  CASES,
)) {
  test(`a failure ${what} ${counts ? 'counts' : 'does not count'} against a capability`, () => {
    const run = { who: who(caller), callChain: chain.map(by), hasLoweredLimits };
    assert.equal(isEvidence(run, by('ana'), new PmlError(code ?? 'code_exception', 'failed')), counts);
  });
}
