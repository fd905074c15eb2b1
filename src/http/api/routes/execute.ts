import { defineRoute } from '../route.ts';
import { executeForPage } from '../run-answer.ts';
import { ExecuteAnswer, ExecuteInput } from '../schemas/execute.ts';

export const executeRoute = defineRoute({
  method: 'post',
  path: '/execute',
  summary: 'Run code over all tools',
  body: ExecuteInput,
  answer: ExecuteAnswer,
  run: ({ body: { remember, ...input } }, view) =>
    executeForPage(view, { ...input, ...(remember !== undefined && { options: { remember } }) }),
});
