import { openDb } from '../../src/store/index.ts';

export interface UsageRow {
  server_id: string;
  tool: string;
  success: boolean;
  error: string | null;
}

/** Returns the journal's rows. The daemon of a home on PGlite must be stopped, because one process owns the database. */
export async function usageOf(home: string, databaseUrl?: string): Promise<UsageRow[]> {
  const db = await openDb({ home, ...(databaseUrl && { databaseUrl }) });
  try {
    return (await db.query<UsageRow>('select server_id, tool, success, error from tool_usage')).rows;
  } finally {
    await db.close();
  }
}
