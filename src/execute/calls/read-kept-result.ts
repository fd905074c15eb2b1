import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import { JsonText } from '../../sandbox/index.ts';
import { KEPT_MS } from '../results/kept-results.ts';
import type { Run } from '../run/run.ts';

const MINUTES = KEPT_MS / 60_000;
const MAX_SHOWN = 80;
const RUN_AGAIN = 'Run that code again, and return the part of its result that you need.';

/** Answers `pml.result("<run>")` in code that was sent. A capability must not depend on what is gone in minutes. */
export function readKeptResult(run: Run, given: unknown): JsonText {
  run.dependencies?.markUncacheable();
  run.resultReads.count += 1;
  if (run.callChain.length > 0)
    throw new PmlError(
      'code_denied',
      `A capability cannot read kept results: they are gone after ${MINUTES} minutes.`,
      {
        hint: 'Pass it the data as an argument.',
      },
    );
  const id = idOf(given);
  const found = run.kept.find(run.who, id);
  if (!found) throw notKept(run, id);
  // The result may hold secrets that only the run which made it could recognise.
  run.redactor.learnFrom(found.redactor);
  return new JsonText(found.text);
}

/** Takes `pml.result("<run>")` and `pml.result({ run: "<run>" })`. */
function idOf(given: unknown): string {
  const id = isJsonObject(given) ? given.run : given;
  if (typeof id === 'string') return id;
  throw new PmlError('invalid_arguments', 'pml.result takes the run of a truncated result, as a text.', {
    hint: 'It stands in the answer: truncated.run.',
  });
}

function notKept({ kept }: Run, id: string): PmlError {
  const shown = JSON.stringify(id.slice(0, MAX_SHOWN));
  const message = kept.isOwn(id)
    ? `The result ${shown} is not kept any more: results are kept for ${MINUTES} minutes, and the oldest go first.`
    : `The result ${shown} is not kept here: another process of PML may keep it, or kept it until it ended.`;
  return new PmlError('result_not_found', message, { hint: RUN_AGAIN });
}
