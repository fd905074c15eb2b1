import { APICallError, RetryError } from 'ai';
import { messageOf, PmlError } from '../../errors.ts';
import { type ModelChoice, modelName } from '../../models/index.ts';
import { Redactor } from '../../secrets/index.ts';
import { ModelSilent, ModelTooLong } from './model-step.ts';

const MAX_QUOTE = 300;

/** Says why the model did not answer, and what to do about it. */
export function explainFailure(failure: unknown, choice: ModelChoice, timeoutMs: number): PmlError {
  const model = modelName(choice);
  const last = RetryError.isInstance(failure) ? failure.lastError : failure;
  if (last instanceof ModelSilent)
    return failed(
      `The model ${model} sent nothing for ${timeoutMs / 1000} s.`,
      'Try again, or use another model.',
    );
  if (last instanceof ModelTooLong)
    return failed(`The model ${model} did not end its answer.`, 'Try again, or use another model.');
  // Providers may quote the key that they refuse.
  const redactor = new Redactor(choice.key === undefined ? [] : [choice.key]);
  const quote = (text: string) => redactor.text(text, MAX_QUOTE);
  // A connection that is lost at the start of an answer is reported with status 200.
  if (APICallError.isInstance(last) && last.statusCode !== 200) return refusedBy(last, choice, quote);
  const { message } = (last ?? {}) as { message?: unknown };
  return failed(
    `The answer of the model ${model} broke off: ${quote(typeof message === 'string' ? message : messageOf(last))}`,
    'Try again. If it happens again, the provider or a proxy before it sends broken streams.',
  );
}

function refusedBy(error: APICallError, choice: ModelChoice, quote: (text: string) => string): PmlError {
  const { statusCode: status, message, responseHeaders = {} } = error;
  const [model, said] = [modelName(choice), quote(message)];
  if (status === undefined)
    return failed(
      `The provider of ${model} could not be reached at ${quote(choice.baseUrl)}: ${said}`,
      REACH,
    );
  const answered = `The provider of ${model} answered ${status}: ${said}`;
  if (status === 401 || status === 403) return failed(answered, keyHint(choice));
  if (status === 404) return failed(answered, 'Check the name of the model and the address of its provider.');
  if (status === 400 || status === 413 || status === 422)
    return failed(
      answered,
      'If the conversation is too long for the model, begin a new one without --thread.',
    );
  if (status === 429) return failed(answered, waitHint(responseHeaders['retry-after']));
  return failed(
    answered,
    'The problem is on the side of the provider. Try again later, or use another model.',
  );
}

const REACH = 'Check the address, the network and the proxy, or whether the local model runs.';

function keyHint({ provider, key }: ModelChoice): string {
  const variable = provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY';
  return key === undefined
    ? `No key was sent. Set ${variable}; for an address in "model" also OPENAI_BASE_URL, so that the key may go there.`
    : `Check the key in ${variable}, and what it may use.`;
}

function waitHint(retryAfter: string | undefined): string {
  const seconds = Number(retryAfter);
  const wait = retryAfter && Number.isFinite(seconds) ? `in ${Math.ceil(seconds)} s` : 'later';
  return `The provider limits your requests. Try again ${wait}, or use another model.`;
}

function failed(message: string, hint: string): PmlError {
  return new PmlError('model_failed', message, { hint });
}
