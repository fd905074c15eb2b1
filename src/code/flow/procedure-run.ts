import type { FlowForm } from './print-form.ts';

/** A procedure as it was run. */
export interface ProcedureRun {
  readonly forms: readonly FlowForm[];
  /** The value of each argument in this run, as canonical JSON; a secret has none. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Finds the form by which this run is a run of a known procedure: where the procedure has one argument for several holes, the
 * run had one value.
 */
export function formOfRun(known: FlowForm, { forms, values }: ProcedureRun): FlowForm | undefined {
  return forms.find(({ hash, holes }) => hash === known.hash && isFilled(known.holes, holes, values));
}

function isFilled(
  known: readonly string[],
  holes: readonly string[],
  values: ReadonlyMap<string, string>,
): boolean {
  const first = new Map<string, string>();
  return (
    known.length === holes.length &&
    known.every((argument, at) => {
      const own = holes[at] as string;
      const other = first.get(argument) ?? own;
      first.set(argument, other);
      const value = values.get(own);
      return other === own || (value !== undefined && value === values.get(other));
    })
  );
}
