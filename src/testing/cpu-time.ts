/** Measures the processor time of this thread, in milliseconds: on a busy machine the time by the clock says nothing. */
export async function cpuOf(act: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
