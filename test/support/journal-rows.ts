import { openDb } from '../../src/store/index.ts';

export interface UsageRow {
  server_id: string;
  tool: string;
  success: boolean;
  error: string | null;
}

/** Returns the journal's rows of a home. The daemon must be stopped, because one process owns the database. */
export async function usageOf(home: string): Promise<UsageRow[]> {
  const db = await openDb({ home });
  try {
    return (await db.query<UsageRow>('select server_id, tool, success, error from tool_usage')).rows;
  } finally {
    await db.close();
  }
}
