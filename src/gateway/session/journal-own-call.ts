import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { OWN_SERVER } from '../../registry/usage/index.ts';
import type { Journal } from '../../runs/index.ts';

/** Runs one of PML's own tools, and journals the call: a failure only by its code, as its message may quote secrets. */
export async function journalOwnCall<T>(
  journal: Journal,
  who: Principal,
  tool: string,
  act: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const record = (success: boolean, error?: string) => {
    const durationMs = performance.now() - started;
    journal.record({ server: OWN_SERVER, tool, who, success, durationMs, ...(error && { error }) });
  };
  try {
    const answer = await act();
    record(true);
    return answer;
  } catch (error) {
    record(false, error instanceof PmlError ? error.code : 'internal');
    throw error;
  }
}
