/** The reads and changes of curation: capabilities without a good name, duplicates, the descriptions of parameters. */
export { describeParameters, widenParameters } from '../acts/describe-parameters.ts';
export { fold, parameterDifference } from '../acts/fold.ts';
export { MAY_SEE, principalParameters } from '../record/visibility.ts';
export { listNameable, type NameableRecord, OFTEN, usesOf } from '../views/list-nameable.ts';
