import { Choices } from '../choices.ts';
import type { Answer, RunConditions } from '../run-program.ts';
import { showValue } from '../show-value.ts';

export interface AnswerOptions {
  /** Some calls fail. */
  readonly failures?: boolean;
  /** Some answers are no objects, or lack fields that the programs read. */
  readonly gaps?: boolean;
}

/** Answers that a seed decides, the same for the same call whenever it is made. */
export function randomAnswers(
  seed: number,
  { failures = true, gaps = true }: AnswerOptions = {},
): RunConditions['answer'] {
  return ({ name, args, occurrence }) => {
    const choices = Choices.seeded(`${seed} ${name} ${showValue(args)} ${occurrence}`);
    if (choices.below(100) < 8 && failures) return { error: `failed ${choices.below(1000)}` };
    return gaps ? oddAnswer(choices) : { value: fields(choices, 0) };
  };
}

function oddAnswer(choices: Choices): Answer {
  const drawn = choices.below(100);
  if (drawn < 5) return { value: null };
  if (drawn < 8) return { value: word(choices) };
  if (drawn < 10) return { value: choices.below(9) };
  if (drawn < 13) return { value: [word(choices), word(choices)] };
  return { value: fields(choices, 8) };
}

/** The fields that the programs read; `missing` percent of them are left out. */
function fields(choices: Choices, missing: number): Record<string, unknown> {
  const all = {
    id: choices.one([`id-${choices.below(9)}`, choices.below(9)]),
    name: word(choices),
    ok: choices.maybe(70),
    count: choices.below(4),
    items: Array.from({ length: 1 + choices.below(3) }, () => word(choices)),
    nested: { id: choices.below(9), name: word(choices) },
    a: word(choices),
  };
  return Object.fromEntries(Object.entries(all).filter(() => !choices.maybe(missing)));
}

function word(choices: Choices): string {
  return choices.one(['red', 'green', 'blue', 'a.txt', '', 'report']);
}
