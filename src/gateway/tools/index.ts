import { curateTool } from './curate.ts';
import { executeTool } from './execute.ts';
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

export type { PmlTool } from './define-tool.ts';
export { errorAnswer, structuredAnswer } from './tool-answer.ts';

/** PML's own tools. */
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
  curateTool,
  retireTool,
  restoreTool,
];
