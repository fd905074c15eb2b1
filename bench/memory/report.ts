import type { Report } from '../memory.ts';
import { median, short, table } from '../support/stats.ts';
import { type Measured, WAYS, type Way } from './measure.ts';
import type { Offer } from './offer.ts';

const ASKED = {
  otherWords: 'repeat, another user’s words',
  sameWords: 'repeat, the same words',
  toolNames: 'repeat, the tools’ names',
  nearMiss: 'near-miss',
} as const;

export function printReport({ machine, encoding, toolLists, sets }: Report, isShown: boolean): void {
  const { cpus, node, loadBefore, loadAfter } = machine;
  print(`${cpus} cores, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after`);
  const { servers, serverTools, lean, leanTools } = toolLists;
  print(
    `Tool lists, not counted below: ${servers} tokens for the ${serverTools} tools of the servers, ${lean} for PML's ${leanTools} with "expose": "lean" (${encoding}).`,
  );
  for (const { name, measured } of sets) {
    print(`${measured.length} ${name}; means for one, and the median of the milliseconds:`);
    print(table([COST_HEADS, ...WAYS.map((way) => costCells(way, measured, toolLists))]));
    print(`The remembered call did the same as the code: ${measured.filter(({ isSame }) => isSame).length}.`);
    print(table([OFFER_HEADS, ...Object.keys(ASKED).map((asked) => offerCells(asked as Asked, measured))]));
  }
  if (isShown) for (const { measured } of sets) print(measured.flatMap(shown).join('\n'));
}

const COST_HEADS = [
  'way',
  'tokens',
  'written',
  'read',
  'to direct calls',
  'with tool list',
  'cheaper up to',
  'round trips',
  'ms',
];

/** Code without memory needs the tools of the servers and `pml_execute`; a lean PML finds the former. */
function listOf(way: Way, { servers, lean }: Report['toolLists']): number {
  if (way === 'direct calls') return servers;
  return way === 'code, no memory' ? servers + lean : lean;
}

function costCells(way: Way, measured: readonly Measured[], lists: Report['toolLists']): string[] {
  const mean = (field: 'written' | 'read' | 'roundTrips', of: Way = way) =>
    measured.reduce((sum, { costs }) => sum + costs[of][field], 0) / measured.length;
  const total = (of: Way) => mean('written', of) + mean('read', of);
  const [list, tokens, direct] = [listOf(way, lists), total(way), total('direct calls')];
  // From this many tasks in one conversation on, listing all tools is cheaper.
  const tasks = (lists.servers - list) / (tokens - direct);
  return [
    way,
    tokens.toFixed(0),
    mean('written').toFixed(0),
    mean('read').toFixed(0),
    (tokens / direct).toFixed(2),
    (list + tokens).toFixed(0),
    way === 'direct calls' ? '' : tasks > 0 ? `${tasks.toFixed(0)} tasks` : 'never',
    mean('roundTrips').toFixed(1),
    short(median(measured.map(({ costs }) => costs[way].milliseconds))),
  ];
}

type Asked = keyof typeof ASKED;
const OFFER_HEADS = [
  'asked by',
  'right first',
  'right offered',
  'clear match',
  'wrong first',
  'wrong clear match',
  'tool first',
  'nothing fits',
];

function offerCells(asked: Asked, measured: readonly Measured[]): string[] {
  const offers = measured.map(({ offers: all }) => all[asked]);
  const count = (is: (offer: Offer) => boolean) => `${offers.filter(is).length}`;
  const isMiss = asked === 'nearMiss';
  return [
    ASKED[asked],
    isMiss ? '' : count(({ first }) => first === 'right'),
    isMiss ? '' : count(({ isOffered }) => isOffered),
    isMiss ? '' : count(({ clearMatch }) => clearMatch === 'right'),
    count(({ first }) => first === 'wrong') + (isMiss ? ` (its own: ${count((one) => one.isOwnFirst)})` : ''),
    count(({ clearMatch }) => clearMatch === 'wrong'),
    count(({ first }) => first === 'tool'),
    count(({ first }) => first === 'nothing'),
  ];
}

function shown({ id, isSame, difference, offers }: Measured): string[] {
  const asked = Object.entries(offers).map(
    ([name, { intent, first, score, clearMatch, description }]) =>
      `  ${name}: ${first} ${score}, clear match ${clearMatch}: ${JSON.stringify(intent)} → ${JSON.stringify(description)}`,
  );
  return [id, ...asked, ...(isSame ? [] : [`  differs: ${JSON.stringify(difference)}`])];
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
