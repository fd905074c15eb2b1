import type { CallContext } from '../../upstream/index.ts';

/** Lets a question to the user say which server asks: the client knows only that PML runs code, which may call many. */
export function nameAskingServer(call: CallContext, server: string): CallContext {
  const { ask } = call;
  if (!ask) return call;
  return {
    ...call,
    ask: (request) => {
      const { method, params } = request;
      if (method !== 'elicitation/create' || typeof params?.message !== 'string') return ask(request);
      return ask({ method, params: { ...params, message: `Server "${server}" asks: ${params.message}` } });
    },
  };
}
