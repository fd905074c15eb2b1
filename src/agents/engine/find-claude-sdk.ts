import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PmlError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

const PACKAGE = '@anthropic-ai/claude-agent-sdk';

/** The part of the package that PML uses. */
export interface ClaudeSdk {
  query(input: { prompt: string; options: JsonObject }): AsyncIterable<JsonObject>;
}

/** Loads the optional package: beside PML, or from the `node_modules` of its home. */
export async function loadClaudeSdk(home: string): Promise<ClaudeSdk> {
  const file = findInstalled(home);
  if (file === undefined)
    throw new PmlError('config_invalid', `The engine "claude" needs the package ${PACKAGE}.`, {
      hint: `Install it with: npm install --prefix ${home} ${PACKAGE}`,
    });
  return import(pathToFileURL(file).href);
}

function findInstalled(home: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    // Looked up by its path: Node would also search the folders above, which others may be able to write to.
    const file = join(home, 'node_modules', PACKAGE, 'sdk.mjs');
    return existsSync(file) ? file : undefined;
  }
}
