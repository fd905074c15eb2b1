/** How many values an intent gives that a tool may ask for. */
export interface GivenValues {
  numbers: number;
  /** Ids, keys and the like; a quoted text may be one. */
  ids: number;
}

const NUMBER =
  /\d[\d.,]{0,20}|\b(?:two|three|four|five|six|seven|eight|nine|ten|half|hundred|thousand|million|once|twice|first|second|third)\b/gi;
const ID = /'[^'\n]{1,80}'|"[^"\n]{1,200}"|<[^<>\n]{1,80}>|\b[\w-]{0,80}\d[\w-]{0,80}/g;
const MIN_ID = 3;

export function givenValues(intent: string): GivenValues {
  const numbers = intent.match(NUMBER)?.length ?? 0;
  const ids = intent.match(ID)?.filter(({ length }) => length >= MIN_ID).length ?? 0;
  return { numbers, ids };
}

/** The values that a tool demands: how many in all, and how many that an intent would write out. */
export interface Demands extends GivenValues {
  required: number;
}

/** Returns the share of what a tool demands that an intent does not give. */
export function missingShare({ required, numbers, ids }: Demands, given: GivenValues): number {
  if (required === 0) return 0;
  return (Math.max(0, numbers - given.numbers) + Math.max(0, ids - given.ids)) / required;
}
