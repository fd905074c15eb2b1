import { PmlError } from '../../errors.ts';
import { REGISTRY_READS } from '../../sandbox/index.ts';
import type { Run } from '../run/run.ts';

/**
 * Answers `pml.lookup(…)` in code. A read is no call of the procedure: it is not among the tools that the code uses. A
 * recording holds it, since what the code does next may depend on it, and a replay answers it from there.
 */
export async function readRegistry(run: Run, name: string, given: unknown): Promise<unknown> {
  const read = REGISTRY_READS.find((one) => one === name);
  // A change of the registry invalidates no cached result, so the result of a run that reads it is not cached.
  run.dependencies?.markUncacheable();
  const { readRegistry: answer, interceptor, redactor } = run;
  if (!read) throw unavailable(name);
  const input = typeof given === 'string' ? { name: given } : given;
  const act = async () => {
    if (!answer) throw unavailable(name);
    return answer(read, input);
  };
  const result = await (interceptor ? interceptor.call(`pml.${read}`, input, act) : act());
  redactor.learnGiven(result, `pml.${read}`);
  return result;
}

function unavailable(name: string): PmlError {
  return new PmlError('tool_not_found', `pml.${name} is not available here.`);
}
