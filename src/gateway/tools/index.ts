import { curateTool } from './curate.ts';
import { discoverTool } from './discover.ts';
import { executeTool } from './execute.ts';
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
export { errorAnswer, structuredAnswer } from './tool-answer.ts';

/** PML's own tools. */
export const PML_TOOLS = [
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

/** The tools that answer `pml.lookup(…)` and the other reads of code. */
export const READ_TOOLS = { lookup: lookupTool, query: listTool, history: historyTool, whois: whoisTool };
