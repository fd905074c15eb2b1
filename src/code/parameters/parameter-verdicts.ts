import type { Classification } from '../literals/classify-literal.ts';
import type { Step } from '../schema/tool-schema.ts';

/** The kind of value that a tool's parameter takes. */
export type Verdict = 'data' | 'program';

/** A verdict based on the shape of values, kept for later values of the parameter. */
export interface ParameterVerdict {
  /** The canonical name of the tool or capability. */
  readonly tool: string;
  /** The path to the value in its argument: `edits[].text`. */
  readonly path: string;
  readonly kind: Verdict;
  /** The rule that decided. */
  readonly rule: string;
}

/** Verdicts of earlier runs, by `<tool> <path>`. */
export type KnownVerdicts = ReadonlyMap<string, Verdict>;

/** The parameter that a value is passed to. */
export interface ToolParameter {
  /** The canonical name of the tool, or the folded spelling of an unknown one. */
  readonly tool: string;
  readonly path: readonly Step[];
  /** False for an unknown tool, and for a key that its schema does not have: the key may be data, such as a header. */
  readonly isDeclared: boolean;
}

/** Parameters with longer names are judged anew in each run. */
const MAX_TOOL = 400;
const MAX_PATH = 200;
const MAX_KEPT = 100;

/**
 * Judges all values of one parameter alike. Its name and schema come first; they say the same of every value. Otherwise the
 * first run whose values were judged by their shape decides, and in one program a single value that is a program makes
 * the parameter one. Secrets are judged one by one.
 */
export class ParameterVerdicts {
  readonly #known: KnownVerdicts;
  readonly #shapes = new Map<string, ParameterVerdict & { isDeclared: boolean }>();
  /** Parameters with a value that cannot be stored as a default. */
  readonly #unstorable = new Set<string>();

  constructor(known: KnownVerdicts = new Map()) {
    this.#known = known;
  }

  /** Takes note of one value. All values of a program are noted before the first is judged. */
  note(parameter: ToolParameter, value: string, { kind, rule, by }: Classification): void {
    const place = placeOf(parameter);
    if (kind === 'secret') return;
    if (by === 'value' && kind === 'program') this.#unstorable.add(place);
    // An empty text says nothing.
    if (by !== 'shape' || value.trim() === '') return;
    if (this.#shapes.get(place)?.kind === 'program') return;
    const { tool, isDeclared } = parameter;
    this.#shapes.set(place, { tool, path: pathText(parameter.path), kind, rule, isDeclared });
  }

  /** Applies the verdict on the parameter to one of its values. */
  judge(parameter: ToolParameter, value: string | number | boolean, own: Classification): Classification {
    if (own.kind === 'secret' || typeof value !== 'string') return own;
    const place = placeOf(parameter);
    if (this.#unstorable.has(place))
      return { kind: 'program', rule: 'beside an unstorable value', by: 'value' };
    if (own.by !== 'shape') return own;
    const known = this.#known.get(place);
    if (known) return { kind: known, rule: 'judged before', by: 'shape' };
    const { kind, rule } = this.#shapes.get(place) ?? own;
    return { kind, rule, by: 'shape' };
  }

  /** Lists the verdicts that are new, and worth keeping. */
  found(): ParameterVerdict[] {
    return [...this.#shapes]
      .filter(([place, { tool, path, isDeclared }]) => {
        return isDeclared && tool.length <= MAX_TOOL && path.length <= MAX_PATH && !this.#known.has(place);
      })
      .slice(0, MAX_KEPT)
      .map(([, { tool, path, kind, rule }]) => ({ tool, path, kind, rule }));
  }
}

function placeOf({ tool, path }: ToolParameter): string {
  return `${tool} ${pathText(path)}`;
}

/** Prints `[{ property: 'edits' }, 'item', { property: 'text' }]` as `edits[].text`. */
function pathText(path: readonly Step[]): string {
  let text = '';
  for (const step of path) {
    if (step === 'item') text += '[]';
    else
      text += `${text === '' ? '' : '.'}${/^[\w-]+$/.test(step.property) ? step.property : JSON.stringify(step.property)}`;
  }
  return text;
}
