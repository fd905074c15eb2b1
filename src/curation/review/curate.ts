import { chooseModel } from '../../models/index.ts';
import { listNameable, type NameableRecord } from '../../registry/curation/index.ts';
import type { Prompt } from '../model/prompt.ts';
import {
  type Applied,
  applyFold,
  applyRename,
  applySuggestion,
  isSkipped,
  refuseSuggestion,
  type Skipped,
} from './apply.ts';
import { type CurationFilter, type Curator, TakenNames } from './curator.ts';
import { makeSuggestions, writePrompts } from './make-suggestions.ts';
import { type FoldProposal, proposeFolds } from './propose-folds.ts';
import {
  markShown,
  readSuggestions,
  type StoredSuggestion,
  storeSuggestion,
  withdraw,
} from './suggestions.ts';

/** How many capabilities one curation looks at, the most used first. */
const MAX_CURATED = 100;

/** A suggestion as it is shown. */
export interface ShownSuggestion {
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameterDescriptions: Readonly<Record<string, string>>;
  readonly confidence: number;
  readonly reasoning: string;
  /** `heuristics`, or the model that was asked. */
  readonly source: string;
}

export interface CurationAnswer {
  suggestions: ShownSuggestion[];
  applied: Applied[];
  skipped: Skipped[];
  /** Proposals to fold twins into one, in the form that `apply` takes. */
  merges?: FoldProposal[];
  notes?: string[];
}

/** The decisions of a person or an agent. */
export interface Decisions {
  readonly renames?: readonly { id: string; name: string }[] | undefined;
  readonly merges?: readonly { keep: string; fold: readonly string[] }[] | undefined;
  readonly refuse?: readonly string[] | undefined;
}

/** Suggests names for the capabilities that fit the filter, and proposes to fold twins. Suggestions are kept. */
export async function suggest(
  curator: Curator,
  filter: CurationFilter,
  { isShown = true } = {},
): Promise<CurationAnswer> {
  const { db } = curator;
  const { records, suggestions, notes } = await currentSuggestions(curator, filter);
  const shown = records.flatMap((record) => {
    const suggestion = suggestions.get(record.fqdn);
    return suggestion && suggestion.name !== record.name ? [shownSuggestion(record, suggestion)] : [];
  });
  if (isShown) await markShown(db, [...suggestions.keys()]);
  const named = records.filter((record) => suggestions.get(record.fqdn)?.name === record.name);
  const skipped = named.map(({ id }) => ({ id, why: 'its name fits' }));
  // Nobody reads them in the background, and they take a look at all capabilities.
  const merges = isShown ? await proposeFolds(curator) : [];
  return {
    suggestions: shown,
    applied: [],
    skipped,
    ...(merges.length > 0 && { merges }),
    ...withNotes(notes),
  };
}

/** Applies the suggestions whose confidence is above the setting, and says why it leaves the others. */
export async function curateAutomatically(
  curator: Curator,
  filter: CurationFilter,
  { isShown = true } = {},
): Promise<CurationAnswer> {
  const { minConfidence } = curator.config.curation;
  const { records, suggestions, notes } = await currentSuggestions(curator, filter);
  const answer: CurationAnswer = { suggestions: [], applied: [], skipped: [], ...withNotes(notes) };
  for (const record of records) {
    const suggestion = suggestions.get(record.fqdn);
    if (!suggestion || suggestion.name === record.name) {
      answer.skipped.push({
        id: record.id,
        why: suggestion ? 'its name fits' : 'nothing could be suggested',
      });
      continue;
    }
    answer.suggestions.push(shownSuggestion(record, suggestion));
    if (suggestion.confidence <= minConfidence) {
      const why = `its confidence of ${suggestion.confidence} is not above ${minConfidence}: ${suggestion.reasoning}`;
      answer.skipped.push({ id: record.id, why });
      continue;
    }
    sortOut(answer, await applySuggestion(curator, record, suggestion));
  }
  if (isShown) await markShown(curator.db, [...suggestions.keys()]);
  return answer;
}

/** Applies decisions one after the other. One that fails does not stop the rest. */
export async function applyDecisions(
  curator: Curator,
  { renames = [], merges = [], refuse = [] }: Decisions,
): Promise<CurationAnswer> {
  const answer: CurationAnswer = { suggestions: [], applied: [], skipped: [] };
  for (const one of renames) sortOut(answer, await applyRename(curator, one));
  for (const { keep, fold } of merges)
    for (const other of fold) sortOut(answer, await applyFold(curator, keep, other));
  for (const id of refuse) sortOut(answer, await refuseSuggestion(curator, id));
  return answer;
}

/** Shows the requests that a curation would send to a model. Sends, stores and applies nothing. */
export async function dryRun(
  curator: Curator,
  filter: CurationFilter,
): Promise<CurationAnswer & { would_send: { to: string; model: string; prompts: Prompt[] } | null }> {
  const records = await listNameable(curator.db, curator.who, { ...filter, limit: MAX_CURATED });
  const { kept } = await stillFitting(curator, records);
  const open = records.filter(({ fqdn }) => !kept.has(fqdn));
  const written = await writePrompts(curator, open);
  const empty = { suggestions: [], applied: [], skipped: [] };
  if ('why' in written)
    return { ...empty, would_send: null, notes: [`Nothing would be sent. ${written.why}`] };
  return { ...empty, would_send: written };
}

interface Current {
  readonly records: readonly NameableRecord[];
  readonly suggestions: ReadonlyMap<string, StoredSuggestion>;
  readonly notes: string[];
}

/** Reads the suggestions that were made before and still fit, and makes those that are missing. */
async function currentSuggestions(curator: Curator, filter: CurationFilter): Promise<Current> {
  const { db, who } = curator;
  const found = await listNameable(db, who, { ...filter, limit: MAX_CURATED + 1 });
  const records = found.slice(0, MAX_CURATED);
  const { kept, outdated } = await stillFitting(curator, records);
  if (outdated.length > 0) await withdraw(db, outdated);
  const missing = records.filter(({ fqdn }) => !kept.has(fqdn));
  const { suggestions, notes } = await makeSuggestions(curator, missing);
  for (const made of suggestions) kept.set(made.fqdn, await storeSuggestion(db, made));
  const choice = chooseModel(curator.config.curation.model, curator.models);
  if ('why' in choice && [...kept.values()].some(({ madeBy }) => madeBy === 'heuristics'))
    notes.push(`Names are made by rules. ${choice.why}`);
  if (found.length > MAX_CURATED)
    notes.push(`Only the ${MAX_CURATED} most used are shown. Apply or refuse these, then curate again.`);
  return { records, suggestions: kept, notes };
}

/** Sorts the stored suggestions into those that can still be applied and those that cannot. */
async function stillFitting(
  curator: Curator,
  records: readonly NameableRecord[],
): Promise<{ kept: Map<string, StoredSuggestion>; outdated: string[] }> {
  const stored = await readSuggestions(
    curator.db,
    records.map(({ fqdn }) => fqdn),
  );
  const { config, models } = curator;
  // Names that were made by rules are made anew once a model can be asked.
  const isByRules = 'why' in chooseModel(config.curation.model, models);
  const taken = new TakenNames(curator);
  await taken.check([...stored.values()].map(({ name }) => name));
  const kept = new Map<string, StoredSuggestion>();
  const outdated: string[] = [];
  for (const { fqdn, version, name } of records) {
    const suggestion = stored.get(fqdn);
    if (!suggestion) continue;
    const isFree = suggestion.name === name || !taken.has(suggestion.name);
    const isBest = isByRules || suggestion.madeBy !== 'heuristics';
    const isForThis = suggestion.version === version && suggestion.replaces === name;
    if (isFree && isBest && isForThis) kept.set(fqdn, suggestion);
    else outdated.push(fqdn);
  }
  return { kept, outdated };
}

function sortOut(answer: CurationAnswer, outcome: Applied | Skipped): void {
  if (isSkipped(outcome)) answer.skipped.push(outcome);
  else answer.applied.push(outcome);
}

function withNotes(notes: string[]): { notes?: string[] } {
  return notes.length > 0 ? { notes } : {};
}

function shownSuggestion({ id, name }: NameableRecord, suggestion: StoredSuggestion): ShownSuggestion {
  const { description, tags, parameterDescriptions, confidence, reasoning, madeBy } = suggestion;
  const shown = { id, currentName: name, suggestedName: suggestion.name, description, tags };
  return { ...shown, parameterDescriptions, confidence, reasoning, source: madeBy };
}
