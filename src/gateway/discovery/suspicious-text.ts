/** Phrases that give orders to the model that reads them. The patterns have no repetition, so matching is linear. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override) (?:all |any |the |your |every |my )?(?:other |previous |prior |earlier |above |preceding )?(?:instruction|prompt|rule|tool|message|guideline)/,
  /\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|warn|ask|notify) (?:this |it |that |anything )?(?:to )?(?:the |your )?(?:user|human|person|anyone)/,
  /\b(?:you must|you should|you have to|always|first,?) (?:always |first |also |now |immediately )?(?:call|use|invoke|run|read|send|include|pass|execute) (?:this|the|all|any|every|my|your|it|~|\/)/,
  /\b(?:system prompt|developer message|as an ai|you are now|new instructions|jailbreak)\b/,
  /\bwithout (?:asking|telling|informing|notifying) (?:the |your )?(?:user|human|person)/,
  /<\/?(?:system|important|instructions?|assistant|user|secret|tool_call)\b/,
  /\b(?:important|attention|note to|instructions? (?:for|to))(?: the)?:? (?:ai|llm|model|assistant|agent)\b/,
  /\bbefore (?:using|calling|you use|you call) (?:this|any|other)(?: other)? tools?\b/,
];

const MAX_LOOKED_AT = 8000;
/** Invisible characters, which may hide words from a person: zero width, direction marks, tags. */
const INVISIBLE =
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** True if third-party text gives orders to the model. Such text is shown as data, and flagged. */
export function givesOrders(text: string): boolean {
  const seen = plainLine(text).toLowerCase();
  return hidesText(text) || ORDERS.some((order) => order.test(seen));
}

/** True if a text spells letters in Unicode tags, which are not displayed. */
function hidesText(text: string): boolean {
  return /[\u{e0020}-\u{e007e}]/u.test(text.slice(0, MAX_LOOKED_AT));
}

/** Puts a text on one line of at most `max` characters, without characters that are not displayed. */
export function plainLine(text: string, max = Infinity): string {
  const line = text
    .slice(0, MAX_LOOKED_AT)
    .replace(INVISIBLE, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return line.length <= max
    ? line
    : `${line
        .slice(0, max - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
