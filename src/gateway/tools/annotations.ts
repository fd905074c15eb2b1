/** The annotations of a tool that changes nothing. */
export const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** The annotations of a tool that changes the registry, in a way that can be undone. */
export const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
