import { apiPath, get } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { Capability as Data, Events } from '../../api/types.ts';
import { type Resource, useResource } from '../../api/use-resource.ts';
import { StateBadge } from '../../components/badges.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { place } from '../../router/router.ts';
import type { ViewProps } from '../../shell/views.tsx';
import { bounded } from '../../text/format.ts';
import { Acts } from './actions.tsx';
import { Details } from './details.tsx';
import { Neighbours } from './neighbours.tsx';
import { Recordings } from './recordings.tsx';
import { RunIt } from './run-it.tsx';
import { Usage } from './usage.tsx';
import { Versions } from './versions.tsx';
import './capability.css';

const TABS = [
  ['', 'Code and facts'],
  ['run', 'Run it'],
  ['versions', 'Versions'],
  ['recordings', 'Recordings'],
  ['usage', 'Usage'],
  ['graph', 'Graph'],
] as const;

/** All that is known of one capability, and all that can be done with it. */
export function Capability({ parts: [id = ''] }: ViewProps) {
  const record = useResource(`capability ${id}`, (signal) =>
    get<Data>(apiPath('capabilities', id), {}, signal),
  );
  useLive(['capability'], (data) => {
    if (data === null || (data as Events['capability']).id === id) record.reload();
  });
  const { data } = record;
  return (
    <PageFrame
      title={data ? bounded(data.name, 100) : 'Capability'}
      above={
        <>
          <a href="/capabilities">Capabilities</a> /
        </>
      }
      beside={data && <StateBadge state={data.state} reason={data.reason} />}
      acts={data && <Acts record={data} onChanged={record.set} onGone={record.reload} />}
    >
      <Loaded of={record} lines={12}>
        {(loaded) => <Content record={loaded} resource={record} />}
      </Loaded>
    </PageFrame>
  );
}

function Content({ record, resource }: { record: Data; resource: Resource<Data> }) {
  const tab = TABS.find(([key]) => key === (place.value.query.get('tab') ?? ''))?.[0] ?? '';
  return (
    <>
      <Warnings record={record} />
      <p class="description wrap-anywhere pre-line">
        {bounded(record.description || 'No description yet.', 4000)}
      </p>
      <div class="row signature-row">
        <code class="signature">{bounded(record.signature, 4000)}</code>
        <CopyButton text={record.signature} label="Copy the signature" />
      </div>
      <Tabs tabs={TABS} current={tab} label="Parts of the capability" />
      {tab === '' && <Details record={record} />}
      {tab === 'run' && <RunIt record={record} />}
      {tab === 'versions' && <Versions record={record} onChanged={resource.reload} />}
      {tab === 'recordings' && <Recordings record={record} onChanged={resource.reload} />}
      {tab === 'usage' && <Usage id={record.id} />}
      {tab === 'graph' && <Neighbours record={record} />}
    </>
  );
}

/** Says what keeps agents from using it. */
function Warnings({ record }: { record: Data }) {
  const reasons = [
    record.state === 'retired' &&
      'Retired: agents neither find nor call it. Restore brings it back, with all its names.',
    record.drift && `Stale: ${record.drift.reason}`,
    record.state === 'failing' && (record.reason ?? 'Failing: most of its recent calls failed.'),
    !record.trust.signed && 'Its signature does not hold, so it does not run.',
  ].filter((reason) => typeof reason === 'string');
  return (
    <>
      {reasons.map((reason) => (
        <div class="warning" role="note" key={reason}>
          <Icon name="warning" />
          <span class="wrap-anywhere">{bounded(reason, 2000)}</span>
        </div>
      ))}
    </>
  );
}
