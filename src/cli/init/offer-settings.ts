/** So many servers usually have more tools than a model needs at once. */
const MANY_SERVERS = 5;

/** Settings of a new pml.json that have another default. */
export interface OfferedSettings {
  names?: { listed: 'short' };
  expose?: 'auto';
}

interface Conversation {
  /** Take everything without asking. */
  yes: boolean;
  /** A person is there to ask. */
  interactive: boolean;
  ask(question: string, choices: readonly ('yes' | 'no')[]): Promise<string>;
  print(line: string): void;
}

const SHORT =
  'List tools under short names, fs__read instead of mcp__fs__read? Every spelling stays callable.';
const AUTO =
  'List tools only up to 20,000 tokens, and let agents find those of the largest servers with pml_discover?';

/** Offers settings that spare the context of the model: asks a person, and tells everyone else of them. */
export async function offerSettings(
  servers: number,
  { yes, interactive, ask, print }: Conversation,
): Promise<OfferedSettings> {
  if (servers === 0) return {};
  const isLarge = servers >= MANY_SERVERS;
  if (yes || !interactive) {
    print(
      `To spare context, add ${isLarge ? '"expose": "auto" and ' : ''}"names": { "listed": "short" } to pml.json.`,
    );
    return {};
  }
  const isShort = (await ask(SHORT, ['yes', 'no'])) === 'yes';
  const isAuto = isLarge && (await ask(AUTO, ['yes', 'no'])) === 'yes';
  return { ...(isShort && { names: { listed: 'short' } }), ...(isAuto && { expose: 'auto' }) };
}
