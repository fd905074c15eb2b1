import type { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { fitAnswer } from './fit-answer.ts';

/** An answer with content blocks beside it, such as images. */
export class AnswerWithContent {
  readonly answer: object;
  readonly content: readonly JsonObject[];

  constructor(answer: object, content: readonly JsonObject[]) {
    this.answer = answer;
    this.content = content;
  }
}

/** Returns a tool result: the answer as structured content, and as text for clients that read only that. */
export function structuredAnswer(answer: object, content: readonly JsonObject[] = []): JsonObject {
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }, ...content],
    structuredContent: answer,
  };
}

/** Like `structuredAnswer`, with everything bounded but `result`: the results of code have a limit of their own. */
export function boundedAnswer(given: object): JsonObject {
  const { answer, content } = given instanceof AnswerWithContent ? given : { answer: given, content: [] };
  if (!('result' in answer)) return structuredAnswer(fitAnswer(answer), content);
  const { result } = answer;
  // The result keeps its place: the members before it, such as warnings, are to be read first.
  const rest = Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, key === 'result' ? null : value]),
  );
  return structuredAnswer({ ...fitAnswer(rest), result }, content);
}

/** Returns a failure as a tool result, so that the model reads what went wrong and what to do. */
export function errorAnswer({ code, message, hint }: PmlError): JsonObject {
  return {
    isError: true,
    ...boundedAnswer({ status: 'error', error: { code, message, ...(hint && { hint }) } }),
  };
}
