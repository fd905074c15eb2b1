export { LOG_LEVELS } from './log-levels.ts';
export type { ListName, Member } from './member.ts';
export { Workspace } from './workspace.ts';
