import { PmlError } from '../../errors.ts';
import { jsonFits } from '../../json-size.ts';
import { sourceFile } from '../../package-files.js';
import { type KnownSecrets, Redactor } from '../../secrets/index.ts';
import { TaskThread } from '../../task-thread.ts';
import { MAX_INPUT, MAX_MESSAGE, MAX_RESULT, type ThreadMessage } from './message.ts';

/** Larger messages are read in a thread: 200,000 characters may take some tens of milliseconds. */
const SMALL = 8 * 1024;
const DEADLINE_MS = 30_000;

export const TASKS = { redactByKnown };

const thread = new TaskThread<typeof TASKS>({
  program: sourceFile('agents/threads/redact-worker.ts'),
  deadlineMs: DEADLINE_MS,
  overrun: () => new PmlError('code_limit', 'It takes too long to look for secrets in the message.'),
});

/** Hides what is secret in the texts and arguments of a message. */
export async function redactMessage(message: ThreadMessage, redactor: Redactor): Promise<ThreadMessage> {
  if (jsonFits(message, SMALL)) return redact(message, redactor);
  return thread.run('redactByKnown', message, redactor.known, redactor.recent);
}

function redactByKnown(
  message: ThreadMessage,
  known: KnownSecrets,
  recent: readonly string[],
): ThreadMessage {
  const redactor = Redactor.of(known);
  redactor.hideRecent(recent);
  return redact(message, redactor);
}

function redact(message: ThreadMessage, redactor: Redactor): ThreadMessage {
  if (message.role === 'tool') return { ...message, text: redactor.text(message.text, MAX_RESULT) };
  const text = redactor.text(message.text, MAX_MESSAGE);
  if (message.role === 'user') return { ...message, text };
  const calls = message.calls.map((call) => ({ ...call, input: redactor.json(call.input) }));
  return { ...message, text, calls: jsonFits(calls, 6 * MAX_INPUT) ? calls : calls.map(withoutInput) };
}

function withoutInput<T extends { input?: unknown }>(call: T): T {
  return { ...call, input: {} };
}
