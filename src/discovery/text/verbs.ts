/** The effect of an action on its object. A tool that deletes does not answer a request to list. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

const VERBS: Readonly<Record<Effect, string>> = {
  read: `get list show read fetch retrieve find search view display query describe check lookup see browse return inspect
    explore compare tell provide give know curious what which who where when how is are`,
  create:
    'create add insert make generate deploy provision register build write upload publish book buy order',
  update: 'update set edit modify change patch rename configure enable disable adjust replace upsert',
  delete: 'delete remove drop clear purge destroy erase cancel unregister',
};

/** Verbs that say nothing about reading or writing, and begin a task nonetheless. */
const OTHER_VERBS = new Set(
  `send post email mail notify share call run execute start stop open close move copy convert calculate compute translate
  summarize summarise analyze analyse compress download install parse sort filter merge test count sum save store import
  export extract transform validate verify schedule assign reply forward print render plot click navigate`.split(
    /\s+/,
  ),
);

// `new` is no verb: "news" asks for nothing to be created.
const EFFECTS = new Map<string, Effect>([['new', 'create']]);
for (const effect of Object.keys(VERBS) as Effect[]) {
  for (const verb of VERBS[effect].split(/\s+/)) {
    EFFECTS.set(verb, effect);
    // The third person, in which descriptions are written: "Lists …", "Fetches …", "Queries …".
    EFFECTS.set(thirdPerson(verb), effect);
  }
}

/** Tells what a verb does, if it is a well-known one. */
export function effectOf(word: string): Effect | undefined {
  return EFFECTS.get(word);
}

export function isVerb(word: string): boolean {
  return EFFECTS.has(word) || OTHER_VERBS.has(word);
}

/** Tells whether an entry with this effect may answer an intent that asks for these: 1 yes, 0 no, 0.5 perhaps. */
export function effectsAgree(asked: ReadonlySet<Effect>, effect: Effect | undefined): number {
  if (asked.size === 0 || effect === undefined) return 0.5;
  if (asked.has(effect)) return 1;
  // "Create or update" is often one tool.
  const isWrite = effect === 'create' || effect === 'update';
  return isWrite && (asked.has('create') || asked.has('update')) ? 0.5 : 0;
}

function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x)$/.test(verb) ? `${verb}es` : `${verb}s`;
}
