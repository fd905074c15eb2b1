/** How many random cases a property is tried on. `PML_EFFORT=50 npm test` looks longer. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: Math.ceil(count * Number(process.env.PML_EFFORT ?? 1)) };
}
