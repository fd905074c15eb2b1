/** The number of random cases of a property test. `PML_EFFORT=50 npm test` tries more. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: Math.ceil(count * Number(process.env.PML_EFFORT ?? 1)) };
}
