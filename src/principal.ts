/** Who is calling. Travels as an argument of every call; never kept on an object that callers share. */
export interface Principal {
  readonly user: string;
  readonly agent?: string;
  readonly org: string;
  readonly project: string;
  /** True if it may change what others made in its scope. */
  readonly admin?: boolean;
}
