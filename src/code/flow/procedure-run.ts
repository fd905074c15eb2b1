import type { FlowForm } from './print-form.ts';

/** A procedure as it was run. */
export interface ProcedureRun {
  readonly forms: readonly FlowForm[];
  /** The value of each argument in this run, as canonical JSON; a secret has none. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Finds the form in which this run matches a known procedure. Where the procedure fills several holes with one
 * argument, the run must have had the same value in all of them.
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
