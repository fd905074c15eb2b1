import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { PROGRAMS, type Program, SUM_SIZES_SORTED } from './programs.ts';

export interface Filled {
  /** The id of the capability that is shown in detail. */
  capability: string;
}

const HOUR = 3_600_000;
const STEPS = 90;
/** Programs are learned this many steps apart. */
const APART = 6;

/** Works through a day as an agent would: programs are written once and called often, some fail. */
export async function fillDay(
  client: Client,
  files: string,
  setClock: (ms: number) => void,
): Promise<Filled> {
  writeFiles(files);
  const learned: Program[] = [];
  const draw = drawNumbers();
  for (let step = 0; step <= STEPS; step++) {
    setClock(-23 * HOUR * (1 - step / STEPS));
    const fresh = step % APART === 0 ? PROGRAMS[step / APART] : undefined;
    if (fresh) await learn(client, fresh, files);
    if (fresh?.name) learned.push(fresh);
    // More happens in the middle of the day.
    const calls = Math.round(1 + 7 * Math.sin((Math.PI * step) / STEPS) ** 2 * draw());
    for (let call = 0; call < calls; call++) await reuse(client, learned, files, draw);
  }
  setClock(0);
  await ask(client, 'cap_update', {
    name: 'shop:folder_size',
    code: SUM_SIZES_SORTED,
    change_summary: 'List the largest files first',
    args: { folder: files },
  });
  await ask(client, 'cap_rename', { name: 'shop:folder_size', tags: ['files', 'report'] });
  const { capabilityId } = await ask(client, 'pml_execute', {
    intent: 'how large are the files of the shop',
    capability: 'shop:folder_size',
    args: { folder: files },
  });
  return { capability: String(capabilityId) };
}

async function learn(
  client: Client,
  { intent, name, code, args, isCached }: Program,
  files: string,
): Promise<void> {
  await ask(client, 'pml_execute', { intent, name, code, args: args(files) });
  if (isCached) await ask(client, 'cap_rename', { name, cache_policy: 'memoize', ttl: 7200, force: true });
}

/** Calls a capability or a tool, as agents do once they know it. */
async function reuse(
  client: Client,
  learned: readonly Program[],
  files: string,
  draw: () => number,
): Promise<void> {
  const program = learned[Math.floor(draw() * learned.length)];
  const kind = draw();
  if (kind < 0.06) await ask(client, 'filesystem:read_text_file', { path: path.join(files, 'missing.txt') });
  else if (kind < 0.25 || !program) await ask(client, 'everything:echo', { message: 'order received' });
  else await ask(client, program.name as string, program.args(files));
}

/** Numbers from 0 to 1 that are the same each time, so that the pictures change only when the page does. */
function drawNumbers(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

async function ask(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const answer = await client.callTool({ name, arguments: args });
  return (answer.structuredContent ?? {}) as Record<string, unknown>;
}

function writeFiles(files: string): void {
  const products = ['lamp', 'chair', 'desk', 'shelf', 'rug', 'mirror', 'clock', 'vase'];
  for (const [index, product] of products.entries()) {
    const orders = Array.from(
      { length: 20 + index * 17 },
      (_, n) => `${n + 1},${(n * 37 + index * 11) % 90},${(n % 4) + 1}`,
    );
    writeFileSync(path.join(files, `${product}.csv`), `id,price,amount\n${orders.join('\n')}\n`);
  }
  writeFileSync(
    path.join(files, 'staff.json'),
    JSON.stringify([
      { name: 'Ana', role: 'buyer' },
      { name: 'Bo', role: 'clerk' },
    ]),
  );
  writeFileSync(
    path.join(files, 'notes.md'),
    '# Notes\n\nThe rugs come on Thursday.\nAsk Bo about the vases.\n',
  );
}
