import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { messageOf, PmlError } from '../errors.ts';

/** Reads a source file; `-` is standard input. */
export async function readCode(file: string): Promise<string> {
  try {
    // A synchronous read of an empty pipe fails with EAGAIN, so standard input is awaited.
    return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    const isCode = /[\s();]/.test(file);
    throw new PmlError('bad_request', `${file} cannot be read: ${messageOf(error)}`, {
      ...(isCode && { hint: "Code itself comes through a pipe: echo 'return 1' | pml exec --intent TEXT -" }),
    });
  }
}
