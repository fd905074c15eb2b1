import { setting } from './environment.ts';
import type { Env } from './expand-variables.ts';

/** The keys and addresses of model providers, by the providers' own variables. */
export interface ModelAccess {
  readonly anthropicKey?: string;
  readonly anthropicUrl?: string;
  readonly openaiKey?: string;
  readonly openaiUrl?: string;
}

const VARIABLES = {
  anthropicKey: 'ANTHROPIC_API_KEY',
  anthropicUrl: 'ANTHROPIC_BASE_URL',
  openaiKey: 'OPENAI_API_KEY',
  openaiUrl: 'OPENAI_BASE_URL',
} as const;

/** Reads how models can be reached. */
export function readModelAccess(env: Env): ModelAccess {
  const given = Object.entries(VARIABLES).flatMap(([field, variable]) => {
    const value = setting(env, variable);
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(given);
}

/** The values that must appear neither in logs nor in what is stored. */
export function modelKeys({ anthropicKey, openaiKey }: ModelAccess): string[] {
  return [anthropicKey, openaiKey].filter((key) => key !== undefined);
}
