// Plain JavaScript: see connect-daemon.js.

/** The version of the protocol on the socket. Raised when older clients can no longer talk to a newer daemon. */
export const PROTOCOL_VERSION = 1;

/**
 * Reads one line and leaves what follows it in the stream.
 * @param {import('node:net').Socket} socket
 * @param {number} maxBytes
 * @returns {Promise<string | undefined>} undefined when the stream ended first
 */
export function readLine(socket, maxBytes) {
  return new Promise((done) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let held = 0;
    /** @param {string | undefined} line */
    const finish = (line) => {
      socket.pause();
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
      done(line);
    };
    const onEnd = () => finish(undefined);
    /** @param {Buffer} chunk */
    const onData = (chunk) => {
      const end = chunk.indexOf(10);
      chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
      held += chunk.length;
      if (end !== -1) {
        finish(Buffer.concat(chunks).toString('utf8'));
        if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
      } else if (held > maxBytes) finish(undefined);
    };
    // Reading the line before left the stream paused.
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
  });
}
