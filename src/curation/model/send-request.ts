import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output } from 'ai';
import { messageOf } from '../../errors.ts';
import type { ModelChoice } from '../../models/index.ts';
import { openModel } from '../../models/open-model.ts';
import type { Prompt } from './prompt.ts';
import { ANSWER_SCHEMA } from './read-answer.ts';

export interface ModelRequest extends Prompt {
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  /** If false, the request asks for JSON without a schema, which more servers understand. */
  readonly isStrict: boolean;
}

export type ModelAnswer =
  | { readonly answer: unknown; readonly tokens: number }
  | { readonly problem: string; readonly isFinal: boolean; readonly tokens: number };

/** Sends one request to a model. Never throws. */
export async function ask(choice: ModelChoice, request: ModelRequest): Promise<ModelAnswer> {
  const { system, user, maxOutputTokens, timeoutMs, isStrict } = request;
  try {
    const { output, usage } = await generateText({
      model: openModel(choice, { supportsStructuredOutputs: isStrict }),
      system,
      prompt: user,
      output: Output.object({ schema: jsonSchema(ANSWER_SCHEMA as never) }),
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.timeout(timeoutMs),
    });
    return { answer: output, tokens: usage.totalTokens ?? 0 };
  } catch (error) {
    return { ...problemOf(error, timeoutMs), tokens: usedBy(error) };
  }
}

/** Says what went wrong, and whether asking again would be useless. */
function problemOf(error: unknown, timeoutMs: number): { problem: string; isFinal: boolean } {
  if (NoObjectGeneratedError.isInstance(error))
    return { problem: 'the model did not answer with the requested JSON', isFinal: false };
  const name = (error as Error)?.name;
  if (name === 'TimeoutError' || name === 'AbortError')
    return { problem: `the model did not answer within ${timeoutMs} ms`, isFinal: true };
  if (APICallError.isInstance(error)) {
    const { statusCode } = error;
    const isFinal = statusCode === 401 || statusCode === 403 || statusCode === 404;
    return {
      problem: `the provider answered ${statusCode ?? 'nothing'}: ${error.message.slice(0, 200)}`,
      isFinal,
    };
  }
  return { problem: messageOf(error).slice(0, 200), isFinal: false };
}

function usedBy(error: unknown): number {
  return (NoObjectGeneratedError.isInstance(error) && error.usage?.totalTokens) || 0;
}
