import { executeTool } from './execute.ts';
import { forkTool } from './fork.ts';
import { historyTool } from './history.ts';
import { listTool } from './list.ts';
import { lookupTool } from './lookup.ts';
import { mergeTool } from './merge.ts';
import { renameTool } from './rename.ts';
import { restoreTool, retireTool } from './retire.ts';
import { statsTool } from './stats.ts';
import { updateTool } from './update.ts';
import { verifyTool } from './verify.ts';
import { whoisTool } from './whois.ts';

export { answerWith, errorAnswer, type PmlTool } from './define.ts';

/** The tools of PML's own, by name. */
export const PML_TOOLS = [
  executeTool,
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
  retireTool,
  restoreTool,
];
