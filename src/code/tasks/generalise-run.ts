import type { Json } from '../../json.ts';
import type { Link } from '../links/find-links.ts';
import { type Generalised, type GeneraliseOptions, generalise } from '../parameters/generalise.ts';
import { linkableCalls, linkLiterals, returnedLiterals } from '../parameters/link-literals.ts';
import type { Parameter } from '../parameters/parameter-names.ts';
import type { Program } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';

interface RunOptions extends GeneraliseOptions {
  /** The links between the calls of the run, which made those of `linkableCalls`. */
  readonly links?: readonly Link[] | undefined;
}

/** A program that ran, with its data made parameters. */
interface GeneralisedRun extends Pick<Generalised, 'unsafe' | 'parameters' | 'secretTexts' | 'verdicts'> {
  readonly program: Program;
  /** The values of the secret and linked parameters, for a replay alone: they must never be stored. */
  readonly hiddenValues: Readonly<Record<string, Json>>;
  /** The calls, in order, of a program in which links may be found; empty for all others. */
  readonly linkableCalls: readonly string[];
}

/** Generalises a program that ran. Literals that earlier calls returned become links. */
export function generaliseRun(program: Program, { links = [], ...options }: RunOptions): GeneralisedRun {
  const calls = links.length === 0 || options.isPlain ? [] : linkableCalls(program, options);
  let returned = calls.length === 0 ? new Set<Json>() : returnedLiterals(program, links, options);
  // A literal that cannot be linked after all is the program's own, like any other.
  while (returned.size > 0) {
    const lifted = generalise(program, { ...options, returned });
    if (lifted.unsafe !== undefined) break;
    const values = valuesOf(lifted);
    const linked = linkLiterals({ program: parse(lifted.code), ...lifted, values }, links, options);
    const names = linked.parameters.flatMap(({ name, linkedTo }) => (linkedTo === undefined ? [] : name));
    const found = new Set(names.map((name) => values[name] as Json).filter((one) => returned.has(one)));
    if (found.size === returned.size)
      return {
        ...lifted,
        parameters: linked.parameters,
        program: parse(linked.code),
        hiddenValues: hiddenOf(values, linked.parameters),
        linkableCalls: calls,
      };
    returned = found;
  }
  const lifted = generalise(program, options);
  return {
    ...lifted,
    program: parse(lifted.code),
    hiddenValues: lifted.secretValues,
    linkableCalls: options.isPlain ? [] : linkableCalls(program, options),
  };
}

function valuesOf({ parameters, secretValues }: Generalised): Record<string, Json> {
  const literals = parameters.flatMap((one) => {
    const value = one.default ?? one.example;
    return value === undefined ? [] : [[one.name, value] as const];
  });
  return { ...Object.fromEntries(literals), ...secretValues };
}

/** The values that are stored nowhere. */
function hiddenOf(values: Readonly<Record<string, Json>>, parameters: readonly Parameter[]) {
  const hidden = parameters.filter(({ secret, linkedTo }) => secret || linkedTo !== undefined);
  const names = new Set(hidden.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
