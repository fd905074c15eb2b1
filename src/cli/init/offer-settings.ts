import type { Prompts } from './prompts.ts';

/** So many servers usually have more tools than a model needs at once. */
const MANY_SERVERS = 5;

/** Settings that a new pml.json may get, which differ from the defaults. */
export interface OfferedSettings {
  names?: { listed: 'short' };
  expose?: 'auto';
}

interface Conversation {
  /** Take everything without asking. */
  yes: boolean;
  /** A person is there to ask. */
  interactive: boolean;
  prompts: Prompts;
  print(line: string): void;
}

const SHORT = {
  value: 'short',
  label: 'short names: fs__read instead of mcp__fs__read',
  hint: 'every spelling stays callable',
} as const;
const AUTO = {
  value: 'auto',
  label: 'list tools up to 20,000 tokens',
  hint: 'agents find those of the largest servers with pml_discover',
} as const;

/** Offers settings that save context of the model: asks if a person is there, else prints how to set them. */
export async function offerSettings(
  servers: number,
  { yes, interactive, prompts, print }: Conversation,
): Promise<OfferedSettings> {
  if (servers === 0) return {};
  const isLarge = servers >= MANY_SERVERS;
  if (yes || !interactive) {
    print(
      `To spare context, add ${isLarge ? '"expose": "auto" and ' : ''}"names": { "listed": "short" } to pml.json.`,
    );
    return {};
  }
  const choices = isLarge ? [SHORT, AUTO] : [SHORT];
  const picked = await prompts.pick<'short' | 'auto'>(
    "Spare the model's context?",
    { Settings: choices },
    choices.map(({ value }) => value),
  );
  return {
    ...(picked.includes('short') && { names: { listed: 'short' } }),
    ...(picked.includes('auto') && { expose: 'auto' }),
  };
}
