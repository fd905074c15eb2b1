import type { CallError, Limits, Post } from '../protocol.ts';
import { bare, captureStackTrace, indexOf, parse, put, slice, stringify, weakAdd } from './intrinsics.ts';
import { toText } from './serialize.ts';

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  /** Where the call was made: its failure shall point into the caller's code, not to where the answer came. */
  site: { stack?: unknown };
  tool: string;
  path: string;
  args: string;
  next: Waiting | undefined;
}

/** The guest's calls out: sends them as the limits allow, and settles them as answers come. */
export function makeCalls(post: Post, limits: Limits, denied: WeakSet<object>) {
  const sent = bare<Waiting>();
  let asked = 0;
  let made = 0;
  let open = 0;
  let openSize = 0;
  let first: Waiting | undefined;
  let last: Waiting | undefined;

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
      made += 1;
      sent[made] = next;
      post('call', made, next.path, next.args);
    }
  }

  function call(path: string[], given: unknown[], entry: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const tool = path.length === 1 ? `${path[0]}` : `${path[0]}.${path[1]}`;
      asked += 1;
      if (asked > limits.calls) {
        const message = `The run made more than ${limits.calls} calls.`;
        if (asked === limits.calls + 1) post('limit', message);
        throw new RangeError(message);
      }
      if (given.length > 1) {
        throw new TypeError(`mcp.${tool} takes one object with named arguments; ${given.length} were given`);
      }
      const args = toText(given[0], `argument of mcp.${tool}`, limits.resultBytes);
      const site = bare<unknown>();
      // Not an Error: V8 would look up positions in our own functions too, which takes a millisecond.
      captureStackTrace(site, entry as () => void);
      const waiting = { resolve, reject, site, tool, path: stringify(path), args, next: undefined };
      if (first && last) last.next = waiting;
      else first = waiting;
      last = waiting;
      sendWaiting();
    });
  }

  function answer(id: number, ok: boolean, text: string): void {
    const waiting = sent[id];
    if (!waiting) return;
    delete sent[id];
    open -= 1;
    openSize -= waiting.args.length;
    sendWaiting();
    if (ok) waiting.resolve(text === '' ? undefined : parse(text));
    else waiting.reject(errorOf(waiting, parse(text), denied));
  }

  return { call, answer };
}

/** The error of a failed call: says what the host says, from where the call was made. */
function errorOf({ site, tool }: Waiting, told: CallError, denied: WeakSet<object>): Error {
  const error = new Error(told.message);
  const frames = `${site.stack}`;
  const start = indexOf(frames, '\n');
  put(error, 'name', 'ToolError', false);
  put(error, 'stack', `ToolError: ${told.message}${start < 0 ? '' : slice(frames, start)}`, false);
  put(error, 'tool', tool);
  if (told.code !== undefined) put(error, 'code', told.code);
  if (told.denied) weakAdd(denied, error);
  return error;
}
