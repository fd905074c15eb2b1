/** Stands between a run and the calls that it makes. */
export interface CallInterceptor {
  /** `act` makes the call; an interceptor may answer without it. */
  call(name: string, args: unknown, act: () => Promise<unknown>): Promise<unknown>;
}
