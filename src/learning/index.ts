export { PlainCalls } from './plain-calls.ts';
export { listProposals, type Proposal } from './proposals.ts';
export { acceptProposal } from './propose.ts';
export type { SessionCalls } from './session-calls.ts';
