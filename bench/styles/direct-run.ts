import { type Node, parseSync } from 'oxc-parser';
import { transformSync } from 'oxc-transform';
import { type AnyWorld, WORLDS } from './answers.ts';
import { WorldRun } from './backend.ts';
import { behaviourOf } from './behaviour.ts';
import type { Loose } from './tools.ts';

type Program = (mcp: object, console: object) => Promise<unknown>;

const compiled = new Map<string, Program>();
const SILENT = { log() {}, error() {}, warn() {}, info() {} };

/** Runs a program in this process, without PML, and returns its behaviour. */
export async function behaviourIn(world: AnyWorld, code: string): Promise<string> {
  const program = compiled.get(code) ?? compile(code);
  compiled.set(code, program);
  const run = new WorldRun(world);
  try {
    const result = await program(toolsOf(run), SILENT);
    return behaviourOf({ calls: run.calls, result: copy(result) });
  } catch (error) {
    return behaviourOf({ calls: run.calls, failure: String(error) });
  }
}

/** The behaviour in several worlds as one text. */
export async function behaviourInAll(code: string, worlds: readonly AnyWorld[] = WORLDS): Promise<string> {
  const all: string[] = [];
  for (const world of worlds) all.push(await behaviourIn(world, code));
  return all.join('\n---\n');
}

function compile(code: string): Program {
  const wrapped = `export default async function (mcp, console) {\n${code}\n}`;
  const at = lastExpression(wrapped);
  const returning = at === undefined ? wrapped : `${wrapped.slice(0, at)}return ${wrapped.slice(at)}`;
  const { code: script, errors } = transformSync('program.ts', returning);
  if (errors.length > 0) throw new Error(`${errors[0]?.message}\n${code}`);
  return new Function(`${script.replace('export default', 'return')}`)() as Program;
}

/** Where the body's last statement begins, if it is an expression: PML returns its value. */
function lastExpression(wrapped: string): number | undefined {
  const [main] = parseSync('program.ts', wrapped).program.body as Node[];
  const last = (main as Loose)?.declaration?.body?.body?.at(-1);
  return last?.type === 'ExpressionStatement' ? last.start : undefined;
}

function toolsOf(run: WorldRun): object {
  const server = (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_, tool) =>
          async (args: unknown = {}) =>
            call(run, `${name}:${String(tool)}`, args),
      },
    );
  return new Proxy({}, { get: (_, name) => server(String(name)) });
}

/** Arguments and answers pass as JSON, as they do between PML and a server. */
function call(run: WorldRun, name: string, args: unknown): unknown {
  return copy(run.answer(name, copy(args)));
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
