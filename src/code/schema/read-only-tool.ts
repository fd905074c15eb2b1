import { isJsonObject, isJsonSchema, type JsonSchema } from '../../json.ts';

/** The part of a tool's listing that tells whether it changes anything. */
export interface ToolFacts {
  /** As the server names it, with or without `server:`. */
  readonly name: string;
  readonly annotations?: unknown;
  readonly inputSchema?: unknown;
}

/**
 * The verbs of tools' names. The first verb of a name decides: `get_post` reads, `post_message` writes. A verb that can
 * only mean a change decides wherever it stands: `get_or_create_user`, `search_and_replace`.
 */
// biome-ignore format: a table
const VERBS = {
  reads: `get list read search find fetch describe show query lookup look view browse count check inspect preview explain
    compare calculate compute convert validate verify estimate retrieve resolve summarize summarise analyze analyse
    display detect diff cat ls pwd grep head tail wc du tree stat whoami ping status info echo translate extract`,
  writes: `post put set move add book pay mark reply share schedule make start stop
    open close lock unlock press activate fill turn touch cd mv cp mkdir rename copy upload import export login logout
    follow unfollow like invite join leave accept decline approve reject assign connect disconnect enable disable
    change adjust edit modify place buy sell trade withdraw transfer deposit retweet tweet
    click navigate select drag hover fork merge commit push pull checkout deploy publish
    compress print call run invoke apply submit sync refresh trigger save store`,
  alwaysWrites: `create update delete remove send write insert upsert replace drop destroy erase truncate append patch
    purchase cancel execute exec rm rmdir register unregister subscribe unsubscribe reset revoke grant archive restore`,
} as const;

const READS = new Set(VERBS.reads.split(/\s+/));
const WRITES = new Set(VERBS.writes.split(/\s+/));
const ALWAYS_WRITES = new Set(VERBS.alwaysWrites.split(/\s+/));

/** Parameters of tools that write: a program may do anything, and `force` or `dry_run` announces a change. */
const WRITING_KEYS = new Set(
  'sql statement command cmd script mutation overwrite dryrun force confirm newcontent newtext'.split(' '),
);
/** A tool that takes both a file and its content writes the one into the other. */
const FILE_KEYS = new Set('path file filename filepath key uri'.split(' '));
const CONTENT_KEYS = new Set('content contents body data'.split(' '));
const MAX_WORDS = 20;
const MAX_KEYS = 200;

/** True if a tool changes nothing: its own hint decides, then its schema and name. An unknown tool may change something. */
export function isReadOnlyTool({ name, annotations, inputSchema }: ToolFacts): boolean {
  if (isJsonObject(annotations)) {
    if (typeof annotations.readOnlyHint === 'boolean') return annotations.readOnlyHint;
    if (annotations.destructiveHint === true) return false;
  }
  if (isJsonSchema(inputSchema) && asksForChange(inputSchema)) return false;
  const words = nameWords(name.slice(name.lastIndexOf(':') + 1)).slice(0, MAX_WORDS);
  if (words.some((word) => ALWAYS_WRITES.has(word))) return false;
  const verb = words.find(isVerb);
  return verb !== undefined && READS.has(verb);
}

function asksForChange({ properties }: JsonSchema): boolean {
  if (!isJsonSchema(properties)) return false;
  const keys = Object.keys(properties)
    .slice(0, MAX_KEYS)
    .map((key) => key.toLowerCase().replace(/[_-]/g, ''));
  if (keys.some((key) => WRITING_KEYS.has(key))) return true;
  return keys.some((key) => FILE_KEYS.has(key)) && keys.some((key) => CONTENT_KEYS.has(key));
}

/** True for a word that says what a tool does, such as `get` in `get_file`. */
export function isVerb(word: string): boolean {
  return READS.has(word) || WRITES.has(word) || ALWAYS_WRITES.has(word);
}

/** Splits a name at its separators and where a capital follows: `readFile`, `read-file` and `read_file` have the same words. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}
