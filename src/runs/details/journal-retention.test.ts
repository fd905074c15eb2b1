import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { onBothEngines } from '../../store/testing.ts';
import { pruneJournal } from './journal-retention.ts';

onBothEngines('rows of the scope that are too old go, and no others', async ({ db }) => {
  const insert = (project: string, days: number) =>
    db.query(
      `insert into tool_usage (id, server_id, tool, org, project, user_id, success, duration_ms, called_at)
       values ($1, 's', 't', 'local', $2, 'ana', true, 1, now() - $3 * interval '1 day')`,
      [randomUUID(), project, days],
    );
  for (const days of [1, 89, 91, 400]) await insert('default', days);
  await insert('other', 400);
  assert.equal(await pruneJournal(db, { org: 'local', project: 'default' }, 90), 2);
  const { rows } = await db.query<{ project: string }>('select project from tool_usage order by project');
  assert.deepEqual(
    rows.map(({ project }) => project),
    ['default', 'default', 'other'],
  );
});
