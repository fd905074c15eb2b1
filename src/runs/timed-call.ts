import { messageOf, PmlError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Principal } from '../principal.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Journal } from './index.ts';

export interface Callee {
  server: string;
  tool: string;
  /** Of a capability. */
  fqdn?: string;
}

/** Who calls, and what is known of the secrets around it. */
export interface CallOrigin {
  journal: Journal;
  who: Principal;
  redactor: Redactor;
  /** The arguments, if the redactor does not know them: an error may quote them. */
  given?: unknown;
}

/** The one way out: every call of a tool or a capability, by a client or by code, is timed and journalled here. */
export async function callOut<T>(
  { journal, who, redactor, given }: CallOrigin,
  callee: Callee,
  act: () => Promise<T>,
  succeeded: (result: T) => boolean | 'unfinished',
  isByCaller: (error: unknown) => boolean = () => false,
): Promise<T> {
  const started = performance.now();
  const record = (success: boolean, error?: unknown) =>
    journal.record({
      ...callee,
      ...{ who, success, durationMs: performance.now() - started },
      ...(error !== undefined && {
        error: messageOf(error),
        redactor: knowing(redactor, given),
        byCaller: isByCaller(error),
      }),
    });
  try {
    const result = await act();
    const success = succeeded(result);
    if (success !== 'unfinished') record(success);
    return result;
  } catch (error) {
    record(false, error);
    throw error;
  }
}

function knowing(redactor: Redactor, given: unknown): Redactor {
  if (given === undefined) return redactor;
  const own = redactor.fork();
  own.learn(given);
  return own;
}

/** What code gets of a tool's answer: the structured content, else its text, as JSON where it is JSON. */
export function plainValueOf(result: JsonObject): unknown {
  const content = Array.isArray(result.content) ? (result.content as JsonObject[]) : [];
  const texts = content.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  if (result.isError)
    throw new PmlError('tool_failed', texts.join('\n') || 'The tool failed and did not say why.');
  if (result.structuredContent !== undefined) return result.structuredContent;
  // Pictures, sound and resources have no plain value; code gets them as they came.
  if (texts.length !== content.length) return content;
  const text = texts.join('\n');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
