import { type CallError, type Limits, type Post, READ_PATH } from '../protocol.ts';
import { bare, captureStackTrace, indexOf, parse, put, slice, stringify, weakAdd } from './intrinsics.ts';
import { toText } from './serialize.ts';

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  /** The stack where the call was made: an error must point there, not to where the answer arrived. */
  site: { stack?: unknown };
  tool: string;
  path: string;
  args: string;
  next: PendingCall | undefined;
}

/** The guest's calls out: sends them as the limits allow, and settles them as answers come. */
export function makeCalls(post: Post, limits: Limits, denied: WeakSet<object>) {
  const sentCalls = bare<PendingCall>();
  let requested = 0;
  let sentCount = 0;
  let open = 0;
  let openSize = 0;
  let first: PendingCall | undefined;
  let last: PendingCall | undefined;

  function sendWaiting(): void {
    while (
      first &&
      open < limits.inFlight &&
      (open === 0 || openSize + first.args.length <= limits.resultBytes)
    ) {
      const next = first;
      first = next.next;
      open += 1;
      openSize += next.args.length;
      sentCount += 1;
      sentCalls[sentCount] = next;
      post('call', sentCount, next.path, next.args);
    }
  }

  function call(path: string[], given: unknown[], entry: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const tool = path.length === 1 ? `${path[0]}` : `${path[0]}.${path[1]}`;
      const written = path[0] === READ_PATH ? `pml.${path[1]}` : `mcp.${tool}`;
      requested += 1;
      if (requested > limits.calls) {
        const message = `The run made more than ${limits.calls} calls.`;
        if (requested === limits.calls + 1) post('limit', message);
        throw new RangeError(message);
      }
      if (given.length > 1) {
        throw new TypeError(`${written} takes one object with named arguments; ${given.length} were given`);
      }
      const args = toText(given[0], `argument of ${written}`, limits.resultBytes);
      const site = bare<unknown>();
      // Cheaper than an Error, for which V8 would also look up positions in PML's functions, in a millisecond.
      captureStackTrace(site, entry as () => void);
      const pending = { resolve, reject, site, tool, path: stringify(path), args, next: undefined };
      if (first && last) last.next = pending;
      else first = pending;
      last = pending;
      sendWaiting();
    });
  }

  function answer(id: number, ok: boolean, text: string): void {
    const pending = sentCalls[id];
    if (!pending) return;
    delete sentCalls[id];
    open -= 1;
    openSize -= pending.args.length;
    sendWaiting();
    if (ok) pending.resolve(text === '' ? undefined : parse(text));
    else pending.reject(errorOf(pending, parse(text), denied));
  }

  return { call, answer };
}

/** Makes the error of a failed call, with the host's message and the stack of the call. */
function errorOf({ site, tool }: PendingCall, error: CallError, denied: WeakSet<object>): Error {
  const thrown = new Error(error.message);
  const frames = `${site.stack}`;
  const start = indexOf(frames, '\n');
  put(thrown, 'name', 'ToolError', false);
  put(thrown, 'stack', `ToolError: ${error.message}${start < 0 ? '' : slice(frames, start)}`, false);
  put(thrown, 'tool', tool);
  if (error.code !== undefined) put(thrown, 'code', error.code);
  if (error.denied) weakAdd(denied, thrown);
  return thrown;
}
