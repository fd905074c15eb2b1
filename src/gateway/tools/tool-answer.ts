import type { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { fitAnswer } from './fit-answer.ts';

/** Returns a tool result: the answer as structured content, and as text for clients that read only that. */
export function structuredAnswer(answer: object): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** Like `structuredAnswer`, with everything bounded but `result`: the results of code have a limit of their own. */
export function boundedAnswer(answer: object): JsonObject {
  if (!('result' in answer)) return structuredAnswer(fitAnswer(answer));
  const { result, ...rest } = answer;
  return structuredAnswer({ ...fitAnswer(rest), result });
}

/** Returns a failure as a tool result, so that the model reads what went wrong and what to do. */
export function errorAnswer({ code, message, hint }: PmlError): JsonObject {
  return {
    isError: true,
    ...boundedAnswer({ status: 'error', error: { code, message, ...(hint && { hint }) } }),
  };
}
