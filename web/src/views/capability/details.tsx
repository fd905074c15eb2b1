import type { Capability } from '../../api/types.ts';
import { Rate, Tags } from '../../components/badges.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Card } from '../../components/page.tsx';
import { ShownOf } from '../../components/states.tsx';
import { to } from '../../router/router.ts';
import { bounded, count, duration } from '../../text/format.ts';
import { HighlightedCode } from '../../text/highlighted-code.tsx';
import { Time } from '../../text/time.tsx';

export function Details({ record }: { record: Capability }) {
  return (
    <div class="grid side-by-side">
      <div class="stack">
        <Card title="Code" acts={<CopyButton text={record.code} label="Copy the code" />} flush>
          <HighlightedCode html={record.code_html} code={record.code} />
        </Card>
        <References record={record} />
      </div>
      <div class="stack">
        <Facts record={record} />
        <Provenance record={record} />
      </div>
    </div>
  );
}

function Facts({ record }: { record: Capability }) {
  return (
    <Card title="Facts">
      <dl class="facts">
        <dt>Uses</dt>
        <dd>
          {count(record.usage_count)} <span class="muted">({count(record.cached_count)} from cache)</span>
        </dd>
        <dt>Success</dt>
        <dd>
          <Rate value={record.success_rate} />
        </dd>
        <dt>Latency</dt>
        <dd>
          {duration(record.p50_ms)} <span class="muted">p50</span>
        </dd>
        <dt>Last used</dt>
        <dd>
          <Time at={record.last_used} />
        </dd>
        <dt>Version</dt>
        <dd>
          {record.version} {record.version_tag && <span class="tag">{record.version_tag}</span>}
        </dd>
        <dt>Visibility</dt>
        <dd>
          {record.visibility} <span class="muted">in {`${record.org}.${record.project}`}</span>
        </dd>
        <dt>Routing</dt>
        <dd>{record.routing}</dd>
        <dt>Cache</dt>
        <dd>
          {record.cache.policy}
          {record.cache.ttl !== null && `, ${record.cache.ttl} s`}
        </dd>
        {record.tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd>
              <Tags tags={record.tags} />
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

function Provenance({ record }: { record: Capability }) {
  const { provenance, trust } = record;
  return (
    <Card title="Provenance and trust">
      <dl class="facts">
        <dt>Signature</dt>
        <dd>{trust.signed ? <span class="good">holds</span> : <span class="bad">does not hold</span>}</dd>
        <dt>Replay</dt>
        <dd>
          {trust.verified ? <span class="good">verified</span> : <span class="muted">not verified</span>}
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={provenance.created_at} />{' '}
          <span class="muted">by {bounded(provenance.created_by, 100)}</span>
        </dd>
        {record.intent && (
          <>
            <dt>Intent</dt>
            <dd>{bounded(record.intent, 500)}</dd>
          </>
        )}
        {provenance.forked_from && (
          <>
            <dt>Forked from</dt>
            <dd>
              {provenance.parent ? (
                <a class="link" href={to('capabilities', provenance.parent)}>
                  {bounded(provenance.forked_from, 100)}
                </a>
              ) : (
                bounded(provenance.forked_from, 100)
              )}
            </dd>
          </>
        )}
        {record.aliases.length > 0 && (
          <>
            <dt>Former names</dt>
            <dd>{bounded(record.aliases.join(', '), 500)}</dd>
          </>
        )}
        <dt>FQDN</dt>
        <dd class="mono small">{record.fqdn}</dd>
      </dl>
    </Card>
  );
}

const MOST_SHOWN = 50;

function References({ record }: { record: Capability }) {
  return (
    <div class="grid two">
      <Card title="Calls" flush>
        {record.uses.length === 0 && <p class="card-body muted">It calls nothing.</p>}
        {record.uses.slice(0, MOST_SHOWN).map(({ name, kind, id }) => (
          <a class="list-item" key={name} href={hrefOf(name, id)}>
            <span class="truncate mono">{name}</span>
            <span class="spacer" />
            <span class="muted small">{kind}</span>
          </a>
        ))}
        <ShownOf shown={MOST_SHOWN} total={record.uses_total} />
      </Card>
      <Card title="Called by" flush>
        {record.used_by.length === 0 && <p class="card-body muted">No other capability calls it.</p>}
        {record.used_by.slice(0, MOST_SHOWN).map(({ id, name }) => (
          <a class="list-item" key={id} href={to('capabilities', id)}>
            <span class="truncate mono">{name}</span>
          </a>
        ))}
        <ShownOf shown={MOST_SHOWN} total={record.used_by_total} />
      </Card>
    </div>
  );
}

/** A tool is `server:tool`. */
export function hrefOf(name: string, id: string | undefined): string {
  if (id) return to('capabilities', id);
  const at = name.indexOf(':');
  return to('tools', name.slice(0, at), name.slice(at + 1));
}
