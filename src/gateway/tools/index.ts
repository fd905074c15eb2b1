import { executeTool } from './execute.ts';

export { answerWith, errorAnswer, type PmlTool } from './define.ts';

/** The tools of PML's own, by name. */
export const PML_TOOLS = [executeTool];
