/** A larger message is a fault of the server, and is not held in memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
