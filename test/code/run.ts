import vm from 'node:vm';
import { foldName } from '../../src/code/index.ts';
import { parse, toFunctionBody } from '../../src/code/testing.ts';

export interface Outcome {
  /** Every call out, in order: the name that was meant and the argument. */
  readonly calls: readonly (readonly [name: string, argument: unknown])[];
  readonly result: unknown;
  readonly error: string | undefined;
}

export interface RunOptions {
  readonly args?: Record<string, unknown>;
  /** The display name of each FQDN, so that both count as one. */
  readonly meaning?: ReadonlyMap<string, string>;
}

/** Runs code with a fake `mcp`, whose answers depend on the request alone, and returns what the code did. */
export function run(source: string, options: RunOptions = {}): Promise<Outcome> {
  const { before, code, after } = toFunctionBody(parse(source));
  return runJavaScript(`${before}${code}${after}`, options);
}

export async function runJavaScript(body: string, { args = {}, meaning }: RunOptions = {}): Promise<Outcome> {
  const calls: [string, unknown][] = [];
  const call = async (name: string, argument: unknown): Promise<unknown> => {
    const passed = argument === undefined ? null : JSON.parse(JSON.stringify(argument));
    const meant = foldName(meaning?.get(name) ?? name);
    calls.push([meant, passed]);
    await undefined;
    const size = JSON.stringify([meant, passed]).length;
    if (size % 11 === 0) throw new Error(`refused ${meant}`);
    return {
      n: size,
      s: meant,
      ok: size % 2 === 0,
      items: [size, meant],
      deep: size % 3 ? { s: `${size}` } : {},
    };
  };
  const tools = new Map<string, unknown>();
  // A tool is one function, however the code refers to it.
  const toolOf = (name: string): unknown => {
    const meant = foldName(meaning?.get(name) ?? name);
    if (!tools.has(meant)) tools.set(meant, fakeTool(meant, call));
    return tools.get(meant);
  };
  const context = vm.createContext({
    mcp: fakeMcp(toolOf),
    args: structuredClone(args),
    log: [],
    structuredClone,
  });
  try {
    const made = vm.runInContext(
      `(async () => { 'use strict'; ${body}\n})`,
      context,
    ) as () => Promise<unknown>;
    const result = await made();
    return { calls, result: plain([result, context.log]), error: undefined };
  } catch (thrown) {
    return { calls, result: plain(context.log), error: String((thrown as Error).message) };
  }
}

type Call = (name: string, argument: unknown) => Promise<unknown>;

function fakeTool(name: string, call: Call): unknown {
  return (argument: unknown) => {
    const answer = call(name, argument);
    // Not every program awaits its calls.
    answer.catch(() => {});
    return answer;
  };
}

/** Allows `mcp.fs.read` and `mcp["fs:read"]`. */
function fakeMcp(toolOf: (name: string) => unknown): unknown {
  const reach = (step: (key: string) => unknown): unknown =>
    new Proxy({}, { get: (_, key) => (typeof key === 'symbol' || NO_TOOL.has(key) ? undefined : step(key)) });
  return reach((key) => (/[:.]/.test(key) ? toolOf(key) : reach((tool) => toolOf(`${key}:${tool}`))));
}

const NO_TOOL = new Set(['then', 'toJSON', 'toString', 'valueOf']);

function plain(value: unknown): unknown {
  const json = JSON.stringify(value, (_, each) => (typeof each === 'function' ? `function` : each));
  return json === undefined ? undefined : JSON.parse(json);
}
