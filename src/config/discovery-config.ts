import { addSecret } from './expand-variables.ts';
import type { ParsedFile } from './file-schema.ts';
import { type BuildContext, expandAt, urlOf } from './server-config.ts';

/** Expands the variables of an embedding endpoint. Its key is a secret. */
export function buildDiscovery(
  { embeddings }: ParsedFile['discovery'],
  build: BuildContext,
): ParsedFile['discovery'] {
  if (typeof embeddings === 'string') return { embeddings };
  const at = ['discovery', 'embeddings'];
  const url = urlOf(embeddings.url, [...at, 'url'], build);
  const parsed = URL.parse(url);
  if (parsed?.username || parsed?.password)
    build.problems.push({ path: [...at, 'url'], text: 'must hold no user or password; use "apiKey"' });
  const model = expandAt(embeddings.model, [...at, 'model'], build).text;
  if (embeddings.apiKey === undefined) return { embeddings: { url, model } };
  const apiKey = expandAt(embeddings.apiKey, [...at, 'apiKey'], build).text;
  addSecret(apiKey, build.secrets);
  if (!isHeaderText(apiKey))
    build.problems.push({ path: [...at, 'apiKey'], text: 'cannot be sent in an HTTP header' });
  return { embeddings: { url, model, apiKey } };
}

function isHeaderText(text: string): boolean {
  try {
    new Headers([['authorization', text]]);
    return true;
  } catch {
    return false;
  }
}
