/** A larger message is a fault of the server, not something to hold in memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
