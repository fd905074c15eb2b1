import { PmlError } from '../../errors.ts';
import type { Callable } from '../../registry/index.ts';
import { MAX_DEPTH, MAX_NESTED_RUNS, type Run } from './run.ts';

/** Refuses a capability that is among its own callers. */
export function refuseCycle(callers: readonly Callable[], { fqdn, version, name }: Callable): void {
  // Another version of a capability is other code, so calling it is no cycle.
  const start = callers.findIndex((caller) => caller.fqdn === fqdn && caller.version === version);
  if (start === -1) return;
  const names = [...callers.slice(start).map((caller) => caller.name), name];
  throw new PmlError('capability_cycle', `Capabilities call each other in a circle: ${names.join(' → ')}`);
}

/** Limits how deep capabilities call each other. */
export function refuseDeepChain(callChain: readonly Callable[]): void {
  if (callChain.length <= MAX_DEPTH) return;
  const names = callChain.map(({ name }) => name).join(' → ');
  throw new PmlError('code_limit', `Capabilities may call each other ${MAX_DEPTH} deep: ${names}`);
}

/** Counts a nested run, and limits them for the whole run. */
export function refuseManyRuns({ nestedRuns }: Run): void {
  nestedRuns.remaining -= 1;
  if (nestedRuns.remaining >= 0) return;
  throw new PmlError(
    'code_limit',
    `One run may call capabilities ${MAX_NESTED_RUNS} times, at all depths together.`,
    { hint: 'Call fewer of them, or hand each more of the work.' },
  );
}
