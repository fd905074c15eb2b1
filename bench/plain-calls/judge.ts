import type { Json } from '../../src/json.ts';
import { type Item, mutate, type RecordedCall } from './data.ts';

/** A proposal as PML stored it. */
export interface StoredProposal {
  tools: string[];
  code: string;
  occurrences: number;
  differences: string[] | null;
}

/** The worth of a proposal, judged on data that PML has not seen. */
export interface Judgement {
  /** It makes the calls of an item from its first to its last. */
  isWhole: boolean;
  /** Its calls follow each other in no item: they belong to two of them. */
  isCrossing: boolean;
  /** Why a proposal that replays exactly is wrong on unseen data; undefined if it is not. */
  wrong: string | undefined;
  /** Arguments that come from earlier calls, by links and as parameters. */
  links: number;
  parameters: number;
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parameters: string[]
) => (...given: unknown[]) => Promise<unknown>;

/** Runs a proposal on items with data it was not made of. Each argument that is no parameter must be what the item passes. */
export async function judge(
  proposal: StoredProposal,
  items: readonly Item[],
  unseenTurn: number,
): Promise<Judgement> {
  const names = proposal.tools.join();
  const same = items.filter(({ calls }) => namesOf(calls).join() === names);
  const runs = await Promise.all(same.map((item) => run(proposal.code, mutate(item, unseenTurn).calls)));
  const parameters = proposal.code.match(/\bargs\./g)?.length ?? 0;
  const links = proposal.code.match(/: step\d/g)?.length ?? 0;
  const isExact = proposal.differences?.length === 0;
  // Items of the same tools may differ in keys and links, and the proposal fits only some of them.
  const isWrong = isExact && runs.length > 0 && runs.every((problem) => problem !== undefined);
  const wrong = isWrong ? runs[0] : undefined;
  const isPart = items.some(({ calls }) => `,${namesOf(calls)},`.includes(`,${names},`));
  return { isWhole: same.length > 0, isCrossing: !isPart, wrong, links, parameters };
}

function namesOf(calls: readonly RecordedCall[]): string[] {
  return calls.map(({ server, tool }) => `${server}:${tool}`);
}

/** Makes the calls of a program against a recording; returns the first argument that differs. */
async function run(code: string, calls: readonly RecordedCall[]): Promise<string | undefined> {
  let at = 0;
  const call = (name: string) => async (args: Json) => {
    const expected = calls[at++] as RecordedCall;
    if (`${expected.server}:${expected.tool}` !== name) throw new Error(`calls ${name}`);
    compare(args, expected.args, name);
    return expected.result;
  };
  const server = (name: string) => new Proxy({}, { get: (_, tool) => call(`${name}:${String(tool)}`) });
  const mcp = new Proxy({}, { get: (_, name) => server(String(name)) });
  const args = new Proxy({}, { get: () => PARAMETER });
  try {
    await new AsyncFunction('mcp', 'args', code)(mcp, args);
    return at === calls.length ? undefined : 'makes fewer calls';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Stands for a value that the caller gives. */
const PARAMETER = Symbol('parameter');

function compare(given: unknown, expected: unknown, where: string): void {
  if (given === PARAMETER) return;
  if (typeof given !== 'object' || typeof expected !== 'object' || given === null || expected === null) {
    if (given !== expected)
      throw new Error(`${where} is ${JSON.stringify(given)}, not ${JSON.stringify(expected)}`);
    return;
  }
  const keys = new Set([...Object.keys(given), ...Object.keys(expected)]);
  for (const key of keys)
    compare(
      (given as Record<string, unknown>)[key],
      (expected as Record<string, unknown>)[key],
      `${where}.${key}`,
    );
}
