import { printSignature } from '../../code/index.ts';
import { jsonBytes } from '../../json-size.ts';
import {
  browseAny,
  findShown,
  listVersions,
  neighboursOf,
  type ShownCapability,
} from '../../registry/browse/index.ts';
import { describe } from '../../registry/index.ts';
import { renameHistory } from '../../registry/names/index.ts';
import { listRecordings } from '../../runs/index.ts';
import { highlight } from './highlight/highlight.ts';
import type { Capability } from './schemas/capabilities.ts';
import type { View } from './view.ts';

const SIGNATURE = { limit: 2000, returnsLimit: 500 };
/** Larger recorded values are not shown. */
const MAX_RECORDED_BYTES = 20_000;

/** Reads all about a capability, even if it is retired. */
export async function readCapability(view: View, id: string): Promise<Capability> {
  const { db, keys, journal } = view.gateway.resources;
  const { who } = view;
  await journal.flush();
  const found = await findShown(db, who, id);
  const { fqdn, version } = found;
  const [item] = await browseAny(db, who, [fqdn], view.gateway.workspace.config.lifecycle);
  const whole = await describe({ db, keys }, who, found);
  const [versions, renames, { uses, usesTotal, usedBy, usedByTotal }] = await Promise.all([
    listVersions(db, fqdn),
    renameHistory(db, found),
    neighboursOf(db, who, found),
  ]);
  const code = whole.code ?? '';
  const { fqdn: _, parameters, ...shown } = item as NonNullable<typeof item>;
  return {
    ...shown,
    fqdn,
    named: whole.named,
    org: whole.org,
    project: whole.project,
    intent: whole.intent,
    version_tag: whole.version_tag,
    signature: printSignature(shown.name, whole.parameters_schema, {
      ...SIGNATURE,
      returns: whole.output_schema,
    }),
    parameters_schema: whole.parameters_schema,
    ...(whole.output_schema && { output_schema: whole.output_schema }),
    code,
    code_html: await highlight(code),
    versions: versions.map((one) => ({ ...one, current: one.version === version })),
    aliases: whole.aliases,
    updated_at: whole.updated_at,
    updated_by: whole.updated_by,
    success_count: whole.success_count,
    cached_count: whole.cached_count ?? 0,
    average_latency_ms: shown.usage_count > 0 ? whole.average_latency_ms : null,
    provenance: {
      created_by: whole.created_by,
      created_at: whole.created_at,
      forked_from: whole.forked_from,
      parent: whole.parent_id,
      renames: renames.map(({ from, to, user, renamed_at }) => ({ from, to, by: user, at: renamed_at })),
    },
    trust: { signed: whole.signature_valid === true, verified: whole.verified },
    ...(found.stale !== null && { drift: { reason: found.stale } }),
    recordings: await recordingsOf(view, found),
    uses,
    uses_total: usesTotal,
    used_by: usedBy,
    used_by_total: usedByTotal,
    ...(whole.feedback && { feedback: whole.feedback }),
    cache: { policy: whole.cache_policy, ttl: whole.ttl },
    can_change: found.canChange,
    can_undo_rename: found.canChange && renames.some(({ undo }) => !undo),
    revision: found.revision,
  };
}

/** Recordings show the arguments of runs, so only those who may change the capability see them. */
async function recordingsOf({ gateway }: View, found: ShownCapability): Promise<Capability['recordings']> {
  if (!found.canChange) return [];
  const recordings = await listRecordings(gateway.resources.db, found);
  return recordings.map(({ id, at, args, calls, result }) => ({
    ...{ id, at: at.toISOString(), calls: calls.length },
    args: bounded(args),
    result: bounded(result),
  }));
}

function bounded(value: unknown): unknown {
  return jsonBytes(value, MAX_RECORDED_BYTES) === Infinity ? '(too large to be shown)' : value;
}
