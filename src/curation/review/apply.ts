import { PmlError } from '../../errors.ts';
import { describeParameters, fold } from '../../registry/curation/index.ts';
import { assertMayChange, type Capability, rename, resolve } from '../../registry/index.ts';
import { storedTags, storedText } from '../../stored-texts.ts';
import { type Curator, whyNotName } from './curator.ts';
import { decide, readSuggestions, type StoredSuggestion } from './suggestions.ts';

export interface Applied {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** How to undo it, where that is not a rename. */
  readonly undo?: string;
}

export interface Skipped {
  readonly id: string;
  readonly why: string;
}

/** Runs one act; a refusal becomes the reason why it was skipped. */
export async function attempt<T>(id: string, act: () => Promise<T>): Promise<T | Skipped> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PmlError) return { id, why: error.message };
    throw error;
  }
}

export function isSkipped(outcome: object): outcome is Skipped {
  return 'why' in outcome;
}

/** Gives a capability the name that a person or an agent chose, with the description and tags that were suggested for it. */
export async function applyRename(
  curator: Curator,
  { id, name }: { id: string; name: string },
): Promise<Applied | Skipped> {
  return attempt(id, async () => {
    const capability = await resolve(curator.db, curator.who, id);
    const suggestion = (await readSuggestions(curator.db, [capability.fqdn])).get(capability.fqdn);
    return giveName(curator, capability, name, suggestion);
  });
}

/** Applies a suggestion without asking, unless the capability got another name meanwhile. */
export async function applySuggestion(
  curator: Curator,
  record: { fqdn: string; id: string; name: string },
  suggestion: StoredSuggestion,
): Promise<Applied | Skipped> {
  return attempt(record.id, async () => {
    const capability = await resolve(curator.db, curator.who, record.fqdn);
    return giveName(curator, capability, suggestion.name, suggestion, record.name);
  });
}

/** Refuses the open suggestion for a capability, so that its name is not suggested again. */
export async function refuseSuggestion({ db, who }: Curator, id: string): Promise<Skipped> {
  const outcome = await attempt(id, async () => {
    const capability = await resolve(db, who, id);
    assertMayChange(who, capability);
    const isRefused = await decide(db, capability.fqdn, 'refused');
    return {
      id: capability.id,
      why: isRefused ? 'the suggestion was refused' : 'nothing was suggested for it',
    };
  });
  return outcome;
}

/** Folds a capability into another one. */
export async function applyFold(
  { db, keys, who }: Curator,
  keep: string,
  other: string,
): Promise<Applied | Skipped> {
  return attempt(other, async () => {
    const { kept, folded } = await fold({ db, keys }, who, { keep, fold: other });
    const undo = `cap_restore({"name": "${folded.id}"}) brings it back with its names`;
    return { id: folded.id, from: folded.name, to: kept.name, undo };
  });
}

async function giveName(
  curator: Curator,
  capability: Capability,
  name: string,
  suggestion: StoredSuggestion | undefined,
  /** Set if nobody was asked: the current name that the suggestion was made to replace. */
  expectedName?: string,
): Promise<Applied> {
  const { db, keys, who, redactor } = curator;
  const invalid = whyNotName(curator, name);
  if (invalid !== undefined) throw new PmlError('invalid_name', invalid);
  const renamed = await rename({ db, keys }, who, capability.fqdn, {
    newName: name,
    ...(expectedName !== undefined && { expectedName }),
    ...(suggestion && textsOf(capability, suggestion, curator)),
  });
  if (suggestion) {
    const accepted = expectedName === undefined ? 'accepted' : 'applied';
    await decide(db, capability.fqdn, suggestion.name === name ? accepted : 'edited');
    const texts = Object.entries(suggestion.parameterDescriptions).map(([key, text]) => [
      key,
      storedText('problem', text, redactor),
    ]);
    if (suggestion.version === renamed.version)
      await describeParameters({ db, keys }, who, capability.fqdn, Object.fromEntries(texts), {
        // Rules know no more about parameters than the tools' own descriptions say.
        replace: suggestion.madeBy !== 'heuristics',
      });
  }
  return { id: capability.id, from: capability.name, to: name };
}

/** The description and tags of a suggestion, where nobody has chosen others. */
function textsOf(
  { description, intent, tags }: Capability,
  suggestion: StoredSuggestion,
  { redactor }: Curator,
): { description?: string; tags?: string[] } {
  const isDescribed = description !== '' && description !== intent;
  return {
    ...(!isDescribed &&
      suggestion.description && { description: storedText('description', suggestion.description, redactor) }),
    ...(tags.length === 0 && suggestion.tags.length > 0 && { tags: storedTags(suggestion.tags, redactor) }),
  };
}
