import { loadConfig, openTrustStore } from '../config/index.ts';
import { PmlError } from '../errors.ts';
import { firstInstructions } from '../gateway/session/write-instructions.ts';
import { type Env, homeOf } from '../home.js';
import type { JsonObject } from '../json.ts';

export interface FirstStart {
  cwd: string;
  env: Env;
  /** The config file that was named by a flag. */
  config?: string | undefined;
}

/**
 * Returns the answers to the first requests of a client whose home knows nothing yet: those that were recorded when PML
 * was built, with the instructions for this config. Undefined if only the daemon can answer: the config cannot be used, or
 * it makes an agent of the client. It runs within `pml serve`, so it loads the config and nothing of the daemon.
 */
export function firstAnswers(
  recorded: Record<string, JsonObject>,
  { cwd, env, config: named }: FirstStart,
): Record<string, JsonObject> | undefined {
  try {
    const flags = named === undefined ? {} : { config: named };
    const config = loadConfig({ cwd, env, flags, trust: openTrustStore(homeOf(env)) });
    if (config.defaultAgent !== null) return undefined;
    const instructions = firstInstructions(config);
    const answers = Object.entries(recorded).map(([key, answer]) => [
      key,
      'instructions' in answer ? { ...answer, instructions } : answer,
    ]);
    return Object.fromEntries(answers);
  } catch (error) {
    if (error instanceof PmlError) return undefined;
    throw error;
  }
}
