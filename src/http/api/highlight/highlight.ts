import { createHash } from 'node:crypto';
import { PmlError } from '../../../errors.ts';
import { sourceFile } from '../../../package-files.js';
import { TaskThread } from '../../../task-thread.ts';
import { plainSpans } from './spans.ts';

/** Longer code is shown without colours. */
const MAX_LENGTH = 50_000;
/** The first task also loads the highlighter. */
const DEADLINE_MS = 10_000;
const REMEMBERED = 200;

/** The highlighter runs in a thread of its own: it is slow to load, and crafted code can make it very slow. */
const thread = new TaskThread<{ highlight: (code: string) => string }>({
  program: sourceFile('http/api/highlight/worker.ts'),
  deadlineMs: DEADLINE_MS,
  overrun: () => new PmlError('code_limit', 'This code takes too long to highlight.'),
});
const known = new Map<string, string>();

/** Highlights TypeScript as HTML in which all text is escaped. Code that cannot be highlighted is shown plain. */
export async function highlight(code: string): Promise<string> {
  if (code.length > MAX_LENGTH) return plainSpans(code);
  const key = createHash('sha256').update(code).digest('base64');
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = await thread.run('highlight', code).catch(() => plainSpans(code));
  if (known.size >= REMEMBERED) known.delete(known.keys().next().value as string);
  known.set(key, made);
  return made;
}
