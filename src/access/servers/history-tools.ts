import { z } from 'zod';
import { PmlError } from '../../errors.ts';
import { type PastCall, type PastCallsOwner, readPastCall, searchPastCalls } from '../../runs/index.ts';
import type { Db } from '../../store/index.ts';
import { defineServerTool, type ServerTool } from './tool-server.ts';

/** The calls of one agent and user, which its tools name runs. */
export interface AgentHistory {
  readonly db: Db;
  readonly owner: PastCallsOwner;
}

const MAX_RUNS = 100;
const runId = z.guid().describe('The id of a run, as search_runs shows it.');

/** The tools by which an agent reads what it did before. */
export const HISTORY_TOOLS: readonly ServerTool<AgentHistory>[] = [
  defineServerTool({
    key: 'search_runs',
    name: 'Search your past runs',
    description:
      'Finds the tools and capabilities that you called before, the latest first: by a part of the name or of the error, by outcome, by time.',
    input: z.strictObject({
      query: z.string().max(200).optional().describe('A part of server:tool or of the error.'),
      success: z.boolean().optional().describe('Only runs that succeeded, or only runs that failed.'),
      since: z.iso.datetime({ offset: true }).optional(),
      before: runId.optional().describe('Only runs before this one, to read on.'),
      limit: z.int().min(1).max(MAX_RUNS).default(20),
    }),
    does: 'reads',
    run: async ({ query, since, ...rest }, { db, owner }) => {
      const text = query === undefined || query === '' ? undefined : query.replaceAll('\0', '');
      const from = since === undefined ? undefined : new Date(since);
      const calls = await searchPastCalls(db, owner, { ...rest, text, since: from });
      return { runs: calls.map(shown) };
    },
  }),
  defineServerTool({
    key: 'read_run',
    name: 'Read a past run',
    description: 'Shows one of your past runs, and the calls that you made while it went on.',
    input: z.strictObject({ id: runId }),
    does: 'reads',
    run: async ({ id }, { db, owner }) => {
      const found = await readPastCall(db, owner, id, MAX_RUNS);
      if (!found) throw new PmlError('invalid_arguments', `You have no run ${id}. search_runs finds yours.`);
      return { run: shown(found.call), during: found.during.map(shown) };
    },
  }),
];

function shown({ called_at, duration_ms, error, ...call }: PastCall): object {
  const ms = Math.round(duration_ms * 10) / 10;
  return { ...call, called_at: called_at.toISOString(), duration_ms: ms, ...(error !== null && { error }) };
}
