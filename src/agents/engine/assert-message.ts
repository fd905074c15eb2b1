import { PmlError } from '../../errors.ts';
import { MAX_MESSAGE } from '../threads/index.ts';

/** Throws if a message is empty, or longer than a thread keeps. */
export function assertMessage(message: string): void {
  if (message.trim() === '') throw new PmlError('bad_request', 'The message is empty.');
  if (message.length <= MAX_MESSAGE) return;
  throw new PmlError(
    'bad_request',
    `The message is too long: ${message.length} characters, at most ${MAX_MESSAGE}.`,
    { hint: 'Put the text into a file that the agent may read.' },
  );
}
