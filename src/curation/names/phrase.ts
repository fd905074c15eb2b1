/** The words of an action: a verb, if it needs one, and its target. */
export interface Phrase {
  readonly verb: string | undefined;
  readonly target: readonly string[];
}
