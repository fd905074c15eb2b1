import { messageOf, PmlError } from '../../errors.ts';
import type { Callable } from '../../registry/index.ts';
import type { Answer } from '../cache/result-cache.ts';
import { runCapability } from '../calls/run-code.ts';
import type { Run } from '../run/run.ts';

/** Runs a capability that a client asked for, and keeps the details of the run. */
export async function runForClient(
  run: Run,
  capability: Callable,
  args: unknown,
  intent?: string,
): Promise<Answer> {
  const { place, who, logs, redactor, details } = run;
  const asked = { id: place.id, who, kind: 'capability', intent, capability, args, logs, redactor } as const;
  try {
    const result = await runCapability(run, capability, args);
    details.note({ ...asked, result });
    return result;
  } catch (error) {
    details.note({ ...asked, error: describeError(error) });
    throw error;
  }
}

/** The message of a failure, and where in the code it happened. */
export function describeError(error: unknown): {
  message: string;
  line?: number;
  column?: number | undefined;
} {
  return { message: messageOf(error), ...(error instanceof PmlError && error.at) };
}
