export { confidenceOf } from './names/confidence.ts';
export type { IsTaken, Nameable, NamingStyle, Suggestion } from './names/nameable.ts';
export { namingStyleOf } from './names/style.ts';
export { suggestNames } from './names/suggest.ts';
export { BackgroundCuration } from './review/background.ts';
export {
  applyDecisions,
  type CurationAnswer,
  curateAutomatically,
  dryRun,
  suggest,
} from './review/curate.ts';
export type { Curator } from './review/curator.ts';
export { dismiss, dismissedOf, undismiss } from './review/dismissals.ts';
export { countInbox, type InboxCounts, openTwins, type TwinPair } from './review/inbox.ts';
export { namingModel } from './review/make-suggestions.ts';
export { countSuggestions } from './review/suggestions.ts';
