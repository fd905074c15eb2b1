import { mayChangeWith, type Principal, usesCapabilities } from '../../principal.ts';
import { curateTool } from './curate.ts';
import type { PmlTool } from './define-tool.ts';
import { discoverTool } from './discover.ts';
import { executeTool, executeWithoutCapabilities } from './execute.ts';
import { feedbackTool } from './feedback.ts';
import { forkTool } from './fork.ts';
import { historyTool } from './history.ts';
import { listTool } from './list.ts';
import { lookupTool } from './lookup.ts';
import { mergeTool } from './merge.ts';
import { renameTool } from './rename.ts';
import { restoreTool } from './restore.ts';
import { retireTool } from './retire.ts';
import { statsTool } from './stats.ts';
import { updateTool } from './update.ts';
import { verifyTool } from './verify.ts';
import { whoisTool } from './whois.ts';

export type { PmlTool, ToolContext } from './define-tool.ts';
export { discoverTool } from './discover.ts';
export { executeTool } from './execute.ts';
export { errorAnswer, structuredAnswer } from './tool-answer.ts';

/** PML's own tools. */
export const PML_TOOLS: readonly PmlTool[] = [
  executeTool,
  discoverTool,
  lookupTool,
  listTool,
  whoisTool,
  renameTool,
  updateTool,
  verifyTool,
  historyTool,
  statsTool,
  forkTool,
  mergeTool,
  curateTool,
  retireTool,
  restoreTool,
  feedbackTool,
];

/** The tools that every agent has, within its rights. The others change records. */
const FOR_EVERYONE: ReadonlySet<PmlTool> = new Set([
  executeTool,
  discoverTool,
  lookupTool,
  listTool,
  whoisTool,
  historyTool,
  statsTool,
]);

/** PML's own tools that a principal may call. */
export function ownToolsOf(who: Principal): PmlTool[] {
  const own = PML_TOOLS.filter((tool) => FOR_EVERYONE.has(tool) || mayChangeWith(who, tool.name));
  return usesCapabilities(who)
    ? own
    : own.map((tool) => (tool === executeTool ? executeWithoutCapabilities : tool));
}

/** The tools that answer `pml.lookup(…)` and the other reads of code. */
export const READ_TOOLS = { lookup: lookupTool, query: listTool, history: historyTool, whois: whoisTool };
