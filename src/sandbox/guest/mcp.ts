import { READ_PATH, REGISTRY_READS, RESULT_READ, type ToolNames } from '../protocol.ts';
import { bare, type Dictionary, keys, put } from './intrinsics.ts';

/** `entry` is the function that the guest's code called: the stack of an error begins above it. */
export type Call = (path: string[], args: unknown[], entry: unknown) => Promise<unknown>;

/**
 * `mcp.server.tool(args)`, `mcp["server:tool"](args)` and `mcp.call("server:tool", args)`. Every string is a name but
 * two that the language itself looks up: with `then`, `await mcp.fs` would call out; with `toJSON`, JSON.stringify.
 */
export function makeMcp(call: Call): { mcp: object; setNames: (names: ToolNames) => void } {
  const servers = bare<unknown>();
  let known: Dictionary<readonly string[]> = bare();
  const toolsOf = (server: string): readonly string[] => known[server] ?? [];
  const handler = traps('mcp', servers, (name) => makeServer(name, call, () => toolsOf(name)));
  listKeys(handler, () => keys(known));
  return {
    mcp: new Proxy(bare<unknown>(), handler),
    setNames: (names) => {
      known = bare();
      const given = keys(names);
      for (let i = 0; i < given.length; i++) put(known, given[i] as string, names[given[i] as string]);
    },
  };
}

/** A server, whose members are its tools. It can be called itself, since `mcp["server:tool"]` is one name. */
function makeServer(server: string, call: Call, names: () => readonly string[]): unknown {
  const tools = bare<unknown>();
  const handler = traps(`mcp.${server}`, tools, (tool) => makeTool([server, tool], call));
  listKeys(handler, names);
  const enter = (_target: unknown, _self: unknown, args: unknown[]): unknown =>
    server === 'call' && typeof args[0] === 'string'
      ? call([args[0]], withoutFirst(args), enter)
      : call([server], args, enter);
  handler.apply = enter;
  return new Proxy(() => {}, handler as ProxyHandler<() => void>);
}

/** `pml.lookup(name)`, `pml.query(filter)` and so on: reads of the registry, and of kept results. */
export function makePml(call: Call): object {
  const pml = {};
  for (let i = 0; i < REGISTRY_READS.length; i++) {
    const read = REGISTRY_READS[i] as string;
    put(pml, read, makeTool([READ_PATH, read], call));
  }
  put(pml, RESULT_READ, makeTool([READ_PATH, RESULT_READ], call));
  return pml;
}

function withoutFirst(args: unknown[]): unknown[] {
  const rest: unknown[] = [];
  for (let i = 1; i < args.length; i++) put(rest, i - 1, args[i]);
  return rest;
}

function makeTool(path: string[], call: Call): unknown {
  const tool = (...args: unknown[]): unknown => call(path, args, tool);
  return tool;
}

/** Makes `Object.keys` list these names. The traps' result must be a new list of the guest's own. */
function listKeys(handler: Traps, names: () => readonly string[]): void {
  const get = handler.get as (target: unknown, key: string | symbol) => unknown;
  handler.ownKeys = () => {
    const listed: string[] = [];
    const all = names();
    for (let i = 0; i < all.length; i++) put(listed, i, all[i]);
    return listed;
  };
  handler.getOwnPropertyDescriptor = (target, key) => {
    const all = names();
    for (let i = 0; i < all.length; i++) {
      if (all[i] !== key) continue;
      const value = get(target, key);
      return {
        __proto__: null,
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      } as PropertyDescriptor;
    }
    return undefined;
  };
}

/** Has no prototype, since a polluted Object.prototype could add traps. */
type Traps = ProxyHandler<Dictionary<unknown>> & { apply?: unknown };

function traps(label: string, cache: Dictionary<unknown>, make: (name: string) => unknown): Traps {
  const isName = (key: string | symbol): key is string =>
    typeof key === 'string' && key !== 'then' && key !== 'toJSON';
  return {
    __proto__: null,
    get(_target: unknown, key: string | symbol) {
      if (key === Symbol.toPrimitive) return () => `[${label}]`;
      if (!isName(key)) return undefined;
      cache[key] ??= make(key);
      return cache[key];
    },
    has: (_target: unknown, key: string | symbol) => isName(key),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  } as Traps;
}
