/** MCP's log levels, the least severe first. */
export const LOG_LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Returns the least severe of these levels; undefined if there are none. */
export function leastSevere(levels: readonly string[]): string | undefined {
  return LOG_LEVELS[Math.min(...levels.map((level) => LOG_LEVELS.indexOf(level)))];
}
