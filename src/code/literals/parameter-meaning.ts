import type { JsonSchema } from '../../json.ts';

/** The meaning of parameters by their names, which are compared without case, `_` and `-`. */

/** An id, a place, a time, a choice: `queryId`, `script_path`, `template_name`, `cronExpression`. */
export const DESIGNATION =
  /(?:name|id|ids|uuid|guid|slug|path|paths|file|filename|folder|dir|directory|url|uri|link|email|phone|date|time|datetime|timestamp|timezone|address|location|language|locale|currency|version|branch|status|type|format)$|^(?:cron|cronexpression|schedule|from|to|tags?|labels?|keywords?|city|country|owner|repo|symbol|field|[a-z]+field)$|(?:label|field|function|node|date|color|dkim|bimi)selectors?$|(?:country|currency|zip|postal|area|region|state|language|lang|city|airport|iata|hotel|stock|coin|product|item|promo|coupon|referral|station|status)code$/;

/** Text in a language that the tool executes, evaluates, matches or expands, or that a model follows. */
export const PROGRAM_NAME: readonly RegExp[] = [
  /^(?:raw|native|read|write|select)?sql(?:query|text|statement|code|command)?$/,
  /^(?:kql|jql|cql|soql|esql|promql|logql|cypher|sparql|gql|graphql|mutation|jq|jmespath|jsonpath|xpath|odata|lucene|dsl)(?:query|expression|filter|string)?$/,
  /(?:command|commands|commandline|cmd)$|^(?:shell|bash|powershell)$/,
  /^(?:java|type|pre|post|start|build|run|shell|user|init|test|custom|inline|setup|install|python|bash|remediation|detection)?script(?:text|content|body|code)?$/,
  /^(?:source|python|py|js|javascript|typescript|inline|plantuml|mermaid|diagram|program)code$|^code(?:snippet|example|block)$/,
  /(?:prompt|prompts|instruction|instructions)$|^system(?:message)?$/,
  /(?:formula|equation|expression|expressions)$|^where(?:clause|condition)?$/,
  /(?:regex|regexp|regularexpression)$|^regexpattern$/,
  /(?:selector|selectors|locator|xpath)$|^(?:custom)?css$/,
  /^(?:message|text|url|body|html|email|sms|subject|content)templates?$|^template(?:text|body|string|content)$|^(?:url|route|uri)pattern$/,
  /^(?:old|new)(?:text|str|string)$|^(?:patch|diff)$|manifest$/,
];

/** Text for people, or the content of a document, whatever it holds. */
export const PAYLOAD_NAME =
  /(?:message|messages|comment|comments|note|notes|title|subject|description|summary|caption|content|contents|body|question|answer|reason|feedback|observation|observations|topic)$/;

/** Ambiguous names: `code: "ACME-01"` is an id, `code: "x + 1"` is none. */
export const PROGRAM_UNLESS_WORD = /^(?:code|template|filter|filterquery|detectionlogic|f|func|fn|function)$/;

/** Names of searches: words, or a query with operators. */
export const SEARCH_NAME = /^(?:q|query|search|searchquery|filter|filterquery|querystring|searchterm)$/;

/** The start of a description: `The name of the template`, `ID of the query`, `Path to the script`. */
const NAMES_A_THING =
  /^\W*(?:the |an? |your |optional |unique |new |full |display |file )*(?:name|id|identifier|uuid|guid|path|url)s?(?:\s+(?:of|to|for)\b|\W*$)/i;
const DESCRIBES_DATA =
  /^\W*(?:the |an? |your |optional |new |brief |short )*(?:title|description|number|type|date|language|address)s? (?:of|for)\b/i;

const SAYS_PROGRAM: readonly RegExp[] = [
  /\b(?:sql|kql|kusto|graphql|jql|cql|promql|logql|cypher|sparql|odata|lucene|xpath|jsonpath|jmespath|jq|css)\b.{0,25}\b(?:query|queries|statement|expression|filter|selectors?|clause|syntax)\b/i,
  /\bregular expression\b|\bregex\b|\b(?:query|search|filter) (?:language|syntax)\b|\bwhere clause\b|\b(?:by|element) selector\b/i,
  /\b(?:code|script|command|snippet|query|statement|expression)\b.{0,25}\bto (?:be )?(?:run|execute|executed|evaluate|evaluated)\b/i,
  /\b(?:python|javascript|typescript|bash|shell|powershell)\b.{0,15}\b(?:code|script|commands?|function|expression)\b/i,
  /\bprompts? (?:for|to|template)\b|\bfor the (?:prompt|model|llm)\b|\b(?:system|custom|extraction) (?:prompt|instructions?)\b|\binstructions? (?:for|to) the (?:model|llm|agent|ai)\b/i,
  /\b(?:filter|condition|value|math|mathematical|boolean|logical|arithmetic) expression\b|\b(?:math|mathematical|excel|spreadsheet) formula\b|\bformula (?:to|for|that)\b/i,
  /\btemplate (?:string|text|with|containing)\b|\btemplates?\W*$|\b(?:jinja2?|handlebars|mustache|liquid)\b/i,
  /\b(?:mermaid|plantuml|graphviz)\b.{0,20}\b(?:code|syntax|source|definition)\b/i,
];

/** Descriptions of a plain search for words, without a query language. */
const SAYS_WORDS =
  /\bnatural[- ]language\b|\bsemantic(?:ally)? search\b|\bfree[- ](?:text|form)\b|\bsearch (?:terms?|words?|keywords?|phrase)\b/i;

const FORMATS = new Set(['uri', 'url', 'email', 'date', 'time', 'date-time', 'uuid', 'duration', 'hostname']);

/** True for an enum, a known `format`, or a description that begins like `The name of`. */
export function namesAThing({ description, format, enum: choices }: JsonSchema): boolean {
  if (Array.isArray(choices) || FORMATS.has(String(format))) return true;
  return NAMES_A_THING.test(shortened(description));
}

export function describesData({ description }: JsonSchema): boolean {
  return DESCRIBES_DATA.test(shortened(description));
}

export function saysProgram({ description }: JsonSchema): boolean {
  const text = shortened(description);
  return SAYS_PROGRAM.some((pattern) => pattern.test(text));
}

export function saysWords({ description }: JsonSchema): boolean {
  return SAYS_WORDS.test(shortened(description));
}

function shortened(description: unknown): string {
  return String(description ?? '').slice(0, 300);
}
