/** Runs programs that leave promises to reject unseen, as guests may, which would otherwise fail the test. */
export async function ignoreRejections<T>(act: () => Promise<T>): Promise<T> {
  const before = process.listeners('unhandledRejection');
  const ignore = () => {};
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', ignore).on('rejectionHandled', ignore);
  try {
    return await act();
  } finally {
    // Node reports a rejection after the turn in which it came.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', ignore).off('rejectionHandled', ignore);
    for (const listener of before) process.on('unhandledRejection', listener);
  }
}
