/** Far above the longest answer of any model. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** A `fetch` whose responses end with an error when they are longer than any model's answer. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_RESPONSE_BYTES)
        controller.error(new Error('the provider sent more than an answer can hold'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
};
