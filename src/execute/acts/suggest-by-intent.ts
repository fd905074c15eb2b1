import { Budget } from '../../budget.ts';
import { excerptSchema, printSignature } from '../../code/index.ts';
import type { JsonSchema } from '../../json.ts';
import { listNamed, shownDescription } from '../../registry/index.ts';
import type { Redactor } from '../../secrets/index.ts';
import { storedText } from '../../texts.ts';
import type { ResolveContext } from '../run/resolve-names.ts';

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

const MAX_SUGGESTIONS = 10;
const MAX_CAPABILITIES_RANKED = 1000;
/** For the schemas of all suggestions together; a schema beyond it is shown as an excerpt. */
const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_EXCERPT_BYTES = 16 * 1024;

/** Ranks tools and capabilities by the words they share with the intent. */
export async function suggestByIntent(
  { db, who, tools, redactor }: ResolveContext & { redactor: Redactor },
  intent: string,
): Promise<Suggestion[]> {
  const intentWords = wordsOf(intent);
  const ranked: Ranked[] = tools.entries.map(({ listed, upstream, own }) =>
    rank(
      'tool',
      String(listed.name),
      `${upstream.name} ${own}`,
      String(listed.description ?? ''),
      listed.inputSchema,
      intentWords,
    ),
  );
  for (const one of await listNamed(db, who, '', MAX_CAPABILITIES_RANKED)) {
    const suggestion = rank(
      'capability',
      one.name,
      one.name,
      shownDescription(one),
      one.parametersSchema,
      intentWords,
    );
    const success_rate = one.usageCount > 0 ? one.successCount / one.usageCount : 0;
    const isComputation = one.callees?.length === 0;
    ranked.push({
      ...suggestion,
      isComputation,
      returns: one.outputSchema,
      usage_count: one.usageCount,
      success_rate,
    });
  }
  const best = ranked
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || computationsLast(a, b) || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
  const budget = new Budget({ bytes: MAX_SCHEMA_BYTES });
  return best.map((one) => redact(withSignature(one, budget), redactor));
}

/** A server may quote its secrets, and does not know who sees them. */
function redact(one: Suggestion, redactor: Redactor): Suggestion {
  return {
    ...one,
    description: storedText('description', one.description, redactor),
    signature: redactor.text(one.signature),
    parameters: redactor.schema(one.parameters),
  };
}

function computationsLast(a: Ranked, b: Ranked): number {
  return Number(a.isComputation ?? false) - Number(b.isComputation ?? false);
}

/** A suggestion without its signature, which takes time to print. */
type Ranked = Omit<Suggestion, 'signature'> & {
  returns?: JsonSchema | null;
  /** It uses no tool. */
  isComputation?: boolean;
};

function withSignature(
  { kind, name, description, score, parameters, returns, isComputation: _, ...usage }: Ranked,
  budget: Budget,
): Suggestion {
  const schema = parameters as JsonSchema;
  const signature = printSignature(name, schema, { returns: returns ?? undefined });
  const isWhole = budget.keep(schema);
  const shown = isWhole ? schema : excerptSchema(schema, schema, budget.part(MAX_EXCERPT_BYTES));
  return { kind, name, description, score, signature, parameters: shown, ...usage };
}

function rank(
  kind: Suggestion['kind'],
  name: string,
  nameText: string,
  description: string,
  parameters: unknown,
  intentWords: ReadonlySet<string>,
): Ranked {
  const inName = wordsOf(nameText);
  const inDescription = wordsOf(description);
  let hits = 0;
  for (const word of intentWords) hits += inName.has(word) ? 2 : inDescription.has(word) ? 1 : 0;
  const score = intentWords.size === 0 ? 0 : Math.round((hits / (2 * intentWords.size)) * 1000) / 1000;
  return { kind, name, description, score, parameters };
}

function wordsOf(text: string): Set<string> {
  const words = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return new Set(words.filter((word) => word.length > 2).map((word) => word.replace(/s$/, '')));
}
