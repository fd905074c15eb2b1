/** The most that waits in memory for a client that does not read: twice the largest message of a server. */
export const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

/**
 * Returns the same response with its body watched. `onEnd` is called once, when the body has been sent or the client has
 * gone. A client that does not read is cut off before its messages pile up in memory.
 */
export function watchBody(response: Response, onEnd: () => void, maxUnread = MAX_UNREAD_BYTES): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const pump = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value);
      if ((controller.desiredSize ?? 0) > 0) continue;
      controller.error(new Error('The client does not read what it is sent.'));
      return reader.cancel();
    }
  };
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        pump(controller)
          .catch((error) => isCancelled || controller.error(error))
          .finally(onEnd);
      },
      cancel: (reason) => {
        isCancelled = true;
        return reader.cancel(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnread }),
  );
  return new Response(body, response);
}
