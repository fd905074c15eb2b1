import { bare, type Dictionary } from './intrinsics.ts';

/** `entry` is the function that the guest's code called. */
export type Call = (path: string[], given: unknown[], entry: unknown) => Promise<unknown>;

/**
 * `mcp.server.tool(args)` and `mcp["server:tool"](args)`. Every string is a name, but for two that the language itself
 * looks up: with `then` an `await mcp.fs` would call out, with `toJSON` a JSON.stringify would.
 */
export function makeMcp(call: Call): object {
  const servers = bare<unknown>();
  return new Proxy(
    bare<unknown>(),
    traps('mcp', servers, (name) => makeServer(name, call)),
  );
}

/** A server to take tools from, which can be called itself: `mcp["server:tool"]` is one name. */
function makeServer(server: string, call: Call): unknown {
  const tools = bare<unknown>();
  const handler = traps(`mcp.${server}`, tools, (tool) => makeTool([server, tool], call));
  const enter = (_target: unknown, _self: unknown, given: unknown[]): unknown => call([server], given, enter);
  handler.apply = enter;
  return new Proxy(() => {}, handler as ProxyHandler<() => void>);
}

function makeTool(path: string[], call: Call): unknown {
  const tool = (...given: unknown[]): unknown => call(path, given, tool);
  return tool;
}

/** Without a prototype: else a polluted Object.prototype could add traps. */
type Traps = ProxyHandler<Dictionary<unknown>> & { apply?: unknown };

function traps(label: string, made: Dictionary<unknown>, make: (name: string) => unknown): Traps {
  const isName = (key: string | symbol): key is string =>
    typeof key === 'string' && key !== 'then' && key !== 'toJSON';
  return {
    __proto__: null,
    get(_target: unknown, key: string | symbol) {
      if (key === Symbol.toPrimitive) return () => `[${label}]`;
      if (!isName(key)) return undefined;
      made[key] ??= make(key);
      return made[key];
    },
    has: (_target: unknown, key: string | symbol) => isName(key),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  } as Traps;
}
