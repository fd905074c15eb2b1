import { setImmediate as yieldOnce } from 'node:timers/promises';
import { chooseModel, modelName } from '../../models/index.ts';
import type { NameableRecord } from '../../registry/curation/index.ts';
import { displayCode, displayNames, intentFor, withoutExamples } from '../../registry/index.ts';
import { someNames } from '../../registry/names/index.ts';
import { ModelNamer } from '../model/name-by-model.ts';
import { BATCH, type Prompt, promptFor } from '../model/prompt.ts';
import type { ModelWords } from '../model/read-answer.ts';
import { confidenceOf } from '../names/confidence.ts';
import type { Nameable, NamingStyle, Suggestion } from '../names/nameable.ts';
import { namingStyleOf } from '../names/style.ts';
import { suggestNames } from '../names/suggest.ts';
import { type Curator, TakenNames, whyNotName } from './curator.ts';
import { refusedNames, type StoredSuggestion } from './suggestions.ts';

/** How many existing names are looked at for their style. */
const NEIGHBOURS = 200;
/** How often a name that turns out to be taken is varied. */
const MAX_VARIANTS = 6;

export interface Made {
  readonly suggestions: StoredSuggestion[];
  /** Why the answers of a model were not used. */
  readonly notes: string[];
}

/** The name of the model that is asked for names; undefined if none can be asked. */
export function namingModel({ config, models }: Pick<Curator, 'config' | 'models'>): string | undefined {
  const choice = chooseModel(config.curation.model, models);
  return 'why' in choice ? undefined : modelName(choice);
}

/** Makes suggestions for capabilities that have none, in batches: by a model where one can be asked, else by rules. */
export async function makeSuggestions(curator: Curator, records: readonly NameableRecord[]): Promise<Made> {
  const { config, models, redactor, signal, onProgress } = curator;
  const made: Made = { suggestions: [], notes: [] };
  const total = records.length;
  if (total === 0) return made;
  const choice = chooseModel(config.curation.model, models);
  const namer = 'why' in choice ? undefined : new ModelNamer(choice, config.curation, redactor.fork());
  const model = 'why' in choice || !namer ? undefined : { namer, madeBy: modelName(choice) };
  const context = await openBatches(curator, records);
  try {
    for (const batch of batchesOf(records)) {
      if (signal?.aborted) break;
      await nameBatch(context, batch, model, made);
      const done = made.suggestions.length;
      onProgress?.(done, total, `${done} of ${total} named`);
      // Let other work run in between.
      await yieldOnce();
    }
  } finally {
    await namer?.close();
  }
  return made;
}

async function nameBatch(
  context: BatchContext,
  batch: readonly NameableRecord[],
  model: { namer: ModelNamer; madeBy: string } | undefined,
  made: Made,
): Promise<void> {
  const nameables = await nameablesOf(context.curator, batch);
  const byRules = await suggestByRules(context, nameables, batch);
  const asked = await model?.namer.name(nameables, context.existing, context.curator.signal);
  if (asked && 'why' in asked) {
    const note = `Some names are made by rules: ${asked.why}.`;
    if (!made.notes.includes(note)) made.notes.push(note);
  }
  const words = asked && !('why' in asked) ? asked : undefined;
  for (const [at, record] of batch.entries()) {
    const { fqdn, version, id, name: replaces } = record;
    const plain = byRules[at] as Suggestion;
    const said = words?.get(id);
    const chosen = said ? await useWords(context, nameables[at] as Nameable, said, plain, record) : plain;
    context.taken.add(chosen.name);
    const { id: _, ...suggestion } = chosen;
    const madeBy = (said && model?.madeBy) ?? 'heuristics';
    made.suggestions.push({ ...suggestion, fqdn, version, replaces, madeBy });
  }
}

/** Writes the requests that would be sent to a model, without sending them. */
export async function writePrompts(
  curator: Curator,
  records: readonly NameableRecord[],
): Promise<{ to: string; model: string; prompts: Prompt[] } | { why: string }> {
  const choice = chooseModel(curator.config.curation.model, curator.models);
  if ('why' in choice) return choice;
  const { existing } = await openBatches(curator, records);
  const prompts: Prompt[] = [];
  for (const batch of batchesOf(records))
    prompts.push(promptFor(await nameablesOf(curator, batch), existing, curator.redactor.fork()));
  return { to: choice.baseUrl, model: choice.model, prompts };
}

interface BatchContext {
  readonly curator: Curator;
  readonly taken: TakenNames;
  readonly refused: ReadonlyMap<string, ReadonlySet<string>>;
  readonly existing: readonly string[];
  readonly style: NamingStyle;
}

async function openBatches(curator: Curator, records: readonly NameableRecord[]): Promise<BatchContext> {
  const { db, who } = curator;
  const existing = await someNames(db, who, NEIGHBOURS);
  const refused = await refusedNames(
    db,
    records.map(({ fqdn }) => fqdn),
  );
  return { curator, taken: new TakenNames(curator), refused, existing, style: namingStyleOf(existing) };
}

function batchesOf(records: readonly NameableRecord[]): NameableRecord[][] {
  const count = Math.ceil(records.length / BATCH);
  return Array.from({ length: count }, (_, at) => records.slice(at * BATCH, (at + 1) * BATCH));
}

/** Names capabilities by rules. A name that turns out to be taken is varied. */
async function suggestByRules(
  { taken, refused, style }: BatchContext,
  nameables: readonly Nameable[],
  records: readonly NameableRecord[],
): Promise<Suggestion[]> {
  const never = new Set(records.flatMap(({ fqdn }) => [...(refused.get(fqdn) ?? [])]));
  // A name that one of them has already may stay its own.
  const own = new Set(records.map(({ name }) => name));
  const isTaken = (name: string) => never.has(name) || (taken.has(name) && !own.has(name));
  for (let round = 0; ; round++) {
    const made = suggestNames(nameables, isTaken, style);
    const names = made.map(({ name }) => name).filter((name) => !own.has(name));
    const found = await taken.check(names);
    if (found.length === 0 || round === MAX_VARIANTS) return made;
  }
}

/** Takes what a model said, if its name can be given; else its words under the name that the rules found. */
async function useWords(
  { curator, taken, refused }: BatchContext,
  nameable: Nameable,
  { name, ...said }: ModelWords,
  plain: Suggestion,
  { fqdn }: NameableRecord,
): Promise<Suggestion> {
  const description = said.description || plain.description;
  const tags = said.tags.length > 0 ? said.tags : plain.tags;
  const parameterDescriptions = { ...plain.parameterDescriptions, ...said.parameterDescriptions };
  const words = { id: plain.id, description, tags, parameterDescriptions };
  const invalid = whyNotName(curator, name);
  if (invalid === undefined) await taken.check([name]);
  const isFree = invalid === undefined && !taken.has(name) && !refused.get(fqdn)?.has(name);
  if (isFree) return { ...words, name, ...confidenceOf(name, nameable, taken.has) };
  const why = invalid === undefined ? `"${name}" is taken or was refused` : 'that name is not allowed';
  const reasoning = `${plain.reasoning} The model's name was not used: ${why}.`.trim();
  return { ...words, name: plain.name, confidence: plain.confidence, reasoning };
}

/** Reads what names are made of, with today's names in the code and without data of other users' runs. */
async function nameablesOf(curator: Curator, records: readonly NameableRecord[]): Promise<Nameable[]> {
  const { db, who } = curator;
  const nameables: Nameable[] = [];
  for (const record of records) {
    nameables.push({
      id: record.id,
      currentName: record.name,
      intent: intentFor(who, record),
      code: await shownCode(curator, record.code),
      toolsUsed: await displayNames(db, who, record.toolsUsed),
      parameters: withoutExamples(record.parametersSchema),
      ...(record.outputSchema && { outputSchema: record.outputSchema }),
    });
  }
  return nameables;
}

/** Code that cannot be read, since it was cut, is left out: it may name what the principal may not see. */
async function shownCode({ db, who }: Curator, code: string): Promise<string> {
  try {
    return (await displayCode(db, who, [code]))[0] ?? '';
  } catch {
    return '';
  }
}
