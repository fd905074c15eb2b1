import { canonicalJson } from '../../canonical-json.ts';
import { PmlError } from '../../errors.ts';
import { jsonFits } from '../../json-size.ts';
import { sourceFile } from '../../package-files.js';
import { type KnownSecrets, Redactor } from '../../secrets/index.ts';
import { TaskThread } from '../../task-thread.ts';

/** Larger data is scanned in a thread: 256 KiB take some tens of milliseconds. */
const SMALL = 4 * 1024;
const DEADLINE_MS = 30_000;

export const TASKS = { holdsSecret };

const thread = new TaskThread<typeof TASKS>({
  // The built package holds .js where the source holds .ts.
  program: sourceFile('execute/cache/secret-scan-worker.ts'),
  deadlineMs: DEADLINE_MS,
  overrun: () => new PmlError('code_limit', 'It takes too long to look for secrets in the result.'),
});

/** Tells whether data holds a secret, by key, shape or value. In doubt it does. */
export async function scanForSecret({ known }: Redactor, data: unknown): Promise<boolean> {
  return jsonFits(data, SMALL) ? holdsSecret(known, data) : thread.run('holdsSecret', known, data);
}

function holdsSecret(known: KnownSecrets, data: unknown): boolean {
  const redactor = Redactor.of(known);
  redactor.learnThoroughly(data);
  return redactor.isFull || canonicalJson(redactor.json(data)) !== canonicalJson(data);
}
