export { confidenceOf } from './names/confidence.ts';
export type { IsTaken, Nameable, NamingStyle, Suggestion } from './names/nameable.ts';
export { namingStyleOf } from './names/style.ts';
export { suggestNames } from './names/suggest.ts';
