import { z } from 'zod';
import { describeRecord, giveFeedback, resolve } from '../../registry/index.ts';
import { storedText } from '../../stored-texts.ts';
import { WRITES } from './annotations.ts';
import { defineTool } from './define-tool.ts';
import { spelling, text } from './input-fields.ts';

export const feedbackTool = defineTool({
  name: 'cap_feedback',
  title: 'Say whether a capability did its job',
  description: 'Say whether a capability did what you needed.',
  input: z.strictObject({
    name: spelling,
    success: z.boolean(),
    note: text(10_000).optional(),
  }),
  annotations: { ...WRITES, idempotentHint: false },
  run: async ({ name, success, note }, { db, keys, redactor, journal, caller }) => {
    // The feedback comes after the calls that it is about.
    await journal.flush();
    const given = { success, note: note && storedText('note', note, redactor) };
    const { fqdn } = await giveFeedback(db, caller.who, name, given);
    return describeRecord({ db, keys }, caller.who, await resolve(db, caller.who, fqdn));
  },
});
