/** A procedure as it was run. */
export interface ProcedureRun {
  /** The hash of its flow. */
  readonly hash: string;
  /** The argument that stands at each hole of the flow, in order. */
  readonly holes: readonly string[];
  /** The value of each argument in this run, as canonical JSON; a secret has none. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * True if this run is a run of the procedure of the same flow with these holes: where the procedure has one argument for
 * several holes, the run had one value.
 */
export function isRunOf(holes: readonly string[], run: ProcedureRun): boolean {
  if (run.holes.length !== holes.length) return false;
  const first = new Map<string, string>();
  return holes.every((argument, at) => {
    const own = run.holes[at] as string;
    const other = first.get(argument) ?? own;
    first.set(argument, other);
    const value = run.values.get(own);
    return other === own || (value !== undefined && value === run.values.get(other));
  });
}
