import { canonicalJson } from '../../../canonical-json.ts';
import { PmlError } from '../../../errors.ts';
import type { Json } from '../../../json.ts';
import { codeOfVersions, findShown, idsOf } from '../../../registry/browse/index.ts';
import { sinceWhen } from '../../../registry/usage/index.ts';
import { listRecordings, type ReadRun, readJournal, readRun } from '../../../runs/index.ts';
import { highlight } from '../highlight/highlight.ts';
import { defineRoute } from '../route.ts';
import { NoInput, type Verification } from '../schemas/capabilities.ts';
import { JournalPage, Replayed, Run, RunCallQuery, RunQuery } from '../schemas/runs.ts';
import type { View } from '../view.ts';

export const listRunsRoute = defineRoute({
  method: 'get',
  path: '/runs',
  summary: 'The journal of calls and runs, newest first',
  query: RunQuery,
  answer: JournalPage,
  run: async ({ query }, { gateway, who }) => {
    const { db, journal } = gateway.resources;
    const { capability, since, until, limit, cursor, ...rest } = query;
    await journal.flush();
    const fqdn = capability === undefined ? undefined : (await findShown(db, who, capability)).fqdn;
    const span = { since: since && sinceWhen(since), until: until && sinceWhen(until) };
    return readJournal(db, who, { ...rest, fqdn, ...(span as object) }, { limit, cursor });
  },
});

export const runRoute = defineRoute({
  method: 'get',
  path: '/runs/:id',
  summary: 'One run with its calls',
  query: RunCallQuery,
  answer: Run,
  run: async ({ params: { id }, query }, view) => {
    const found = await readStored(view, id, { limit: query.calls_limit, cursor: query.calls_cursor });
    const { entry, startedAt, details, calls, callsTotal, next } = found;
    const { at: _, server, tool, error, ...shown } = entry;
    const code = await codeOf(view, found);
    return {
      ...shown,
      at: startedAt.toISOString(),
      ...(details?.intent && { intent: details.intent }),
      ...(details?.version && { version: details.version }),
      ...(code !== undefined && { code, code_html: await highlight(code) }),
      ...errorOf(error, details),
      ...(details?.args && { args: JSON.parse(details.args) }),
      ...(details?.result && { result: JSON.parse(details.result) }),
      ...(details?.result_bytes && { truncated: { bytes: details.result_bytes } }),
      logs: details?.logs ? JSON.parse(details.logs) : [],
      calls,
      calls_total: callsTotal,
      ...(next !== null && { calls_next: next }),
      ...(!details && { gone: true }),
    };
  },
});

async function readStored(
  { gateway, who }: View,
  id: string,
  page: { limit: number; cursor?: string | undefined },
) {
  const { db, journal, details } = gateway.resources;
  await journal.flush();
  await details.flush();
  return readRun(db, who, id, page);
}

function errorOf(error: string | undefined, details: ReadRun['details']) {
  const message = details?.error ?? error;
  if (message === undefined) return {};
  const place = { line: details?.line ?? undefined, column: details?.col ?? undefined };
  return { error: { message, ...place } };
}

/** The code as it was sent, or that of the capability's version with today's names. */
async function codeOf({ gateway, who }: View, { details }: ReadRun): Promise<string | undefined> {
  if (details?.code) return details.code;
  const { fqdn, version } = details ?? {};
  if (!fqdn || !version) return undefined;
  const { db } = gateway.resources;
  // Somebody may have made the capability private meanwhile.
  if (!(await idsOf(db, who, [fqdn])).has(fqdn)) return undefined;
  const [code] = await codeOfVersions(db, who, { fqdn, name: fqdn }, [version]);
  return code;
}

export const replayRoute = defineRoute({
  method: 'post',
  path: '/runs/:id/replay',
  summary: 'Run the code of a recorded run again without calling anything, and compare',
  body: NoInput,
  answer: Replayed,
  run: async ({ params: { id } }, view) => {
    const { details } = await readStored(view, id, { limit: 1 });
    const { fqdn, version, args } = details ?? {};
    if (!fqdn || !version || !args) throw notReplayable('Its code was not remembered.');
    const key = canonicalJson(JSON.parse(args) as Json);
    const recordings = await listRecordings(view.gateway.resources.db, { fqdn, version });
    const recording = recordings.find((one) => canonicalJson(one.args) === key);
    if (!recording)
      throw notReplayable('Only the first runs of a version, with different arguments, are recorded.');
    const verified = (await view.client.callOwn(
      'cap_verify',
      { name: `${fqdn}@${version}` },
      view,
    )) as Verification;
    const replayed = verified.runs.find(({ run }) => run === recording.id);
    if (!replayed) throw notReplayable('Its recording may not be replayed.');
    return { passed: replayed.passed, differences: replayed.differences };
  },
});

function notReplayable(why: string): PmlError {
  return new PmlError('not_replayable', `This run cannot be replayed. ${why}`);
}
