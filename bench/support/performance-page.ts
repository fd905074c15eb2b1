import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { short } from './stats.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const GB = 1024 ** 3;

/** Where and when a bench ran. */
export interface Machine {
  cpus: number;
  node: string;
  loadBefore: number;
  loadAfter: number;
}

/** Replaces a part of docs/performance.md, which stands between two comments, by a table and what it was measured on. */
export function writeToPage(part: string, machine: Machine, rows: readonly (readonly string[])[]): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [`<!-- begin ${part} -->`, `<!-- end ${part} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no part ${part}`);
  const text = `${start}\n${describeMachine(machine)}\n\n${markdownTable(rows)}\n`;
  writeFileSync(PAGE, page.slice(0, from) + text + page.slice(to));
}

/** Notes the load before a bench, and returns what describes the machine after it. */
export function observeMachine(): () => Machine {
  const loadBefore = loadavg()[0] ?? 0;
  return () => ({
    cpus: cpus().length,
    node: process.version,
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
  });
}

function describeMachine({ cpus: cores, node, loadBefore, loadAfter }: Machine): string {
  const day = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = `${Math.round(totalmem() / GB)} GB`;
  return `${day}, ${cores} cores of ${model}, ${memory}, Node ${node}, load ${short(loadBefore)} before and ${short(loadAfter)} after.`;
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column === 0 ? '---|' : '--:|')).join('')}`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
