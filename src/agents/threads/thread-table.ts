import { randomUUID } from 'node:crypto';
import type { ThreadManifest } from '../../access/agents/index.ts';
import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Redactor } from '../../secrets/index.ts';
import type { Db, Queryable } from '../../store/index.ts';
import type { ThreadMessage, Usage } from './message.ts';
import { redactMessage } from './redact-message.ts';

/** Limits of a thread, far above what a model can read at once. */
const MAX_MESSAGES = 10_000;
const MAX_CHARACTERS = 20_000_000;
/** Messages are read in pages of about this many characters, so that no page blocks the event loop. */
const PAGE_CHARACTERS = 500_000;
const PAGE_MESSAGES = 100;

const OWNED = 'id = $1 and org = $2 and project = $3 and user_id = $4';

interface ThreadRow {
  id: string;
  agent: string;
  created_at: Date;
}

/** Begins a thread of an agent. */
export async function beginThread(db: Queryable, who: Principal, agent: string): Promise<ThreadManifest> {
  const { rows } = await db.query<ThreadRow>(
    `insert into agent_threads (id, org, project, user_id, agent) values ($1, $2, $3, $4, $5)
     returning id, agent, created_at`,
    [randomUUID(), who.org, who.project, who.user, agent],
  );
  return manifestOf(rows[0] as ThreadRow);
}

/** Finds a thread of the principal by its id. */
export async function findThread(db: Queryable, who: Principal, id: string): Promise<ThreadManifest> {
  const { rows } = isUuid(id)
    ? await db.query<ThreadRow>(
        `select id, agent, created_at from agent_threads where ${OWNED}`,
        ownedBy(who, id),
      )
    : { rows: [] };
  if (!rows[0]) throw threadNotFound(id);
  return manifestOf(rows[0]);
}

/** Reads a page of a thread's messages, in their order. */
export async function readMessages(
  db: Queryable,
  who: Principal,
  id: string,
  from: number,
): Promise<ThreadMessage[]> {
  const thread = await findThread(db, who, id);
  const { rows } = await db.query<{ content: string }>(
    `select content from (
       select content, position, sum(length(content)) over (order by position) - length(content) as before
       from (select * from agent_messages where thread_id = $1 and position >= $2 order by position limit $3) page
     ) sized where before < $4 order by position`,
    [thread.id, from, PAGE_MESSAGES, PAGE_CHARACTERS],
  );
  return rows.map(({ content }) => JSON.parse(content) as ThreadMessage);
}

/**
 * Adds messages to a thread that has exactly `after` messages, and counts what they cost. So if two runs continue one
 * thread at the same time, only the first succeeds.
 */
export async function appendMessages(
  db: Db,
  who: Principal,
  id: string,
  {
    after,
    messages,
    usage,
  }: { after: number; messages: readonly ThreadMessage[]; usage?: Usage | undefined },
  redactor: Redactor,
): Promise<void> {
  if (!isUuid(id)) throw threadNotFound(id);
  const redacted = await Promise.all(messages.map((message) => redactMessage(message, redactor)));
  const contents = redacted.map((message) => JSON.stringify(message));
  const characters = contents.reduce((sum, { length }) => sum + length, 0);
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ messages: number; characters: number }>(
      `update agent_threads set messages = messages + $6, characters = characters + $7, updated_at = now(),
         input_tokens = input_tokens + $8, output_tokens = output_tokens + $9, cost_usd = cost_usd + $10
       where ${OWNED} and messages = $5 returning messages, characters`,
      [
        ...ownedBy(who, id),
        after,
        messages.length,
        characters,
        usage?.inputTokens ?? 0,
        usage?.outputTokens ?? 0,
        usage?.costUsd ?? 0,
      ],
    );
    const [thread] = rows;
    if (!thread) throw await whyNotAppended(tx, who, id);
    if (thread.messages > MAX_MESSAGES || thread.characters > MAX_CHARACTERS) throw threadFull(id);
    await tx.query(
      `insert into agent_messages (thread_id, position, role, content)
       select $1, $2 + at - 1, role, content from unnest($3::text[], $4::text[]) with ordinality as m (role, content, at)`,
      [id, after, messages.map(({ role }) => role), contents],
    );
  });
}

async function whyNotAppended(tx: Queryable, who: Principal, id: string): Promise<PmlError> {
  await findThread(tx, who, id);
  return new PmlError('thread_changed', `Another run went on with thread ${id} meanwhile.`, {
    hint: 'What it said was kept. Wait for it to end, then run the agent again with --thread.',
  });
}

function threadNotFound(id: string): PmlError {
  return new PmlError('thread_not_found', `There is no thread "${id.slice(0, 100)}".`, {
    hint: 'Leave --thread out to begin a new one.',
  });
}

function threadFull(id: string): PmlError {
  return new PmlError('not_allowed', `Thread ${id} is full.`, {
    hint: 'Leave --thread out to begin a new one.',
  });
}

function manifestOf({ id, agent, created_at: createdAt }: ThreadRow): ThreadManifest {
  return { id, agent, createdAt };
}

function ownedBy({ org, project, user }: Principal, id: string): string[] {
  return [id, org, project, user];
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
