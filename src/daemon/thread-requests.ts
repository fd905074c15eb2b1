import { z } from 'zod';
import { StoredThreads, threadMessage, usageCount } from '../agents/threads/index.ts';
import type { Principal } from '../principal.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';

const thread = z.string().max(100);

/** The requests by which a run of an agent reads its thread and adds to it. */
export const THREAD_REQUESTS = [
  z.strictObject({
    do: z.literal('open_thread'),
    agent: z.string().min(1).max(64),
    thread: thread.optional(),
  }),
  z.strictObject({ do: z.literal('read_thread'), thread, from: z.int().min(0) }),
  z.strictObject({
    do: z.literal('append_to_thread'),
    thread,
    after: z.int().min(0),
    messages: z.array(threadMessage).max(10),
    usage: usageCount.optional(),
  }),
] as const;
export type ThreadRequest = z.infer<(typeof THREAD_REQUESTS)[number]>;

interface ThreadContext {
  db: Db;
  who: Principal;
  redactor: Redactor;
}

export function isThreadRequest(request: { do: string }): request is ThreadRequest {
  return THREAD_REQUESTS.some(({ shape }) => shape.do.value === request.do);
}

export async function answerThreadRequest(
  request: ThreadRequest,
  { db, who, redactor }: ThreadContext,
): Promise<object> {
  const threads = new StoredThreads(db, who, redactor);
  if (request.do === 'open_thread') return threads.open(request.agent, request.thread);
  if (request.do === 'read_thread') return threads.readPage(request.thread, request.from);
  await threads.append(request.thread, request.after, request.messages, request.usage);
  return {};
}
