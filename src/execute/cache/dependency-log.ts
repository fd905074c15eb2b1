/** A tool or capability that a run called, in the state that it had. */
export interface Dependency {
  /** The name by which code called it. */
  readonly spelling: string;
  /** `server:tool`, or the FQDN of a capability with its version. */
  readonly callee: string;
  /** Changes with every change of the callee. */
  readonly state: string;
  /** False for a tool that may change something. */
  readonly isReadOnly: boolean;
}

/** Runs with more callees are not cached: each hit looks at all of them. */
const MOST_DEPENDENCIES = 64;
const MAX_SPELLING = 500;

/** Collects the callees of a run, at all depths, and whether its result may be given to another call. */
export class DependencyLog {
  readonly #parent: DependencyLog | undefined;
  readonly #bySpelling = new Map<string, Dependency>();
  #isSpoiled = false;

  /** `parent` is the log of the enclosing run, which depends on all that this run depends on. */
  constructor(parent?: DependencyLog) {
    this.#parent = parent;
  }

  note(dependency: Dependency): void {
    this.#parent?.note(dependency);
    const { spelling, callee, state } = dependency;
    const known = this.#bySpelling.get(spelling);
    if (known && (known.callee !== callee || known.state !== state)) this.#isSpoiled = true;
    if (known) return;
    if (this.#bySpelling.size >= MOST_DEPENDENCIES || spelling.length > MAX_SPELLING) this.#isSpoiled = true;
    else this.#bySpelling.set(spelling, dependency);
  }

  /** Notes that the result depends on something that another call need not see, such as a failure or a person's answer. */
  markUncacheable(): void {
    this.#parent?.markUncacheable();
    this.#isSpoiled = true;
  }

  /** The dependencies; undefined if the result is valid for this call alone. */
  get complete(): readonly Dependency[] | undefined {
    return this.#isSpoiled ? undefined : [...this.#bySpelling.values()];
  }
}
