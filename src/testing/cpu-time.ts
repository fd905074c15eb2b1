/** Measures the processor time of this thread, in milliseconds: on a busy machine the time by the clock says nothing. */
export async function cpuOf(act: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** The least processor time of up to five tries, until one is below the limit: garbage collection counts, too. */
export async function leastCpuOf(act: () => unknown, limit: number): Promise<number> {
  let least = await cpuOf(act);
  for (let tries = 1; least >= limit && tries < 5; tries++) least = Math.min(least, await cpuOf(act));
  return least;
}
