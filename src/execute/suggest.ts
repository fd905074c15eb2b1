import { Budget } from '../budget.ts';
import { excerptSchema, printSignature } from '../code/index.ts';
import type { JsonSchema } from '../json.ts';
import { listNamed, shownDescription } from '../registry/index.ts';
import type { Redactor } from '../secrets/index.ts';
import { storedText } from '../texts.ts';
import type { Reach } from './resolve-names.ts';

/** A tool or capability that may serve an intent. */
export interface Suggestion {
  kind: 'tool' | 'capability';
  name: string;
  description: string;
  score: number;
  signature: string;
  parameters: unknown;
  usage_count?: number;
  success_rate?: number;
}

const LIMIT = 10;
const CONSIDERED = 1000;
/** For the schemas of all suggestions together, in bytes; of those that find no room, an excerpt is shown. */
const MAX_PARAMETERS = 256 * 1024;
const MAX_EXCERPT = 16 * 1024;

/** Ranks tools and capabilities by the words they share with the intent. */
export async function suggestFor(
  { db, who, tools, redactor }: Reach & { redactor: Redactor },
  intent: string,
): Promise<Suggestion[]> {
  const wanted = wordsOf(intent);
  const scored: Ranked[] = tools.entries.map(({ listed, upstream, own }) =>
    suggestion(
      'tool',
      String(listed.name),
      `${upstream.name} ${own}`,
      String(listed.description ?? ''),
      listed.inputSchema,
      wanted,
    ),
  );
  for (const one of await listNamed(db, who, '', CONSIDERED)) {
    const rated = suggestion(
      'capability',
      one.name,
      one.name,
      shownDescription(one),
      one.parametersSchema,
      wanted,
    );
    const success_rate = one.usageCount > 0 ? one.successCount / one.usageCount : 0;
    scored.push({ ...rated, usage_count: one.usageCount, success_rate });
  }
  const best = scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, LIMIT);
  const budget = new Budget({ bytes: MAX_PARAMETERS });
  return best.map((one) => withoutSecrets(shown(one, budget), redactor));
}

/** A server may quote its secrets, and does not know who is shown them. */
function withoutSecrets(one: Suggestion, redactor: Redactor): Suggestion {
  return {
    ...one,
    description: storedText('description', one.description, redactor),
    signature: redactor.text(one.signature),
    parameters: redactor.schema(one.parameters),
  };
}

/** A suggestion without what takes time to write. */
type Ranked = Omit<Suggestion, 'signature'>;

function shown({ kind, name, description, score, parameters, ...usage }: Ranked, budget: Budget): Suggestion {
  const schema = parameters as JsonSchema;
  const signature = printSignature(name, schema);
  const isKept = budget.keep(schema);
  const excerpt = isKept ? schema : excerptSchema(schema, schema, budget.part(MAX_EXCERPT));
  return { kind, name, description, score, signature, parameters: excerpt, ...usage };
}

function suggestion(
  kind: Suggestion['kind'],
  name: string,
  words: string,
  description: string,
  parameters: unknown,
  wanted: ReadonlySet<string>,
): Ranked {
  const inName = wordsOf(words);
  const inText = wordsOf(description);
  let hits = 0;
  for (const word of wanted) hits += inName.has(word) ? 2 : inText.has(word) ? 1 : 0;
  const score = wanted.size === 0 ? 0 : Math.round((hits / (2 * wanted.size)) * 1000) / 1000;
  return { kind, name, description, score, parameters };
}

function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return new Set(words.filter((word) => word.length > 2).map((word) => word.replace(/s$/, '')));
}
