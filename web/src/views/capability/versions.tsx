import { useState } from 'preact/hooks';
import { apiPath, get, post } from '../../api/client.ts';
import type { Capability, DiffRow, VersionDiff } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Card } from '../../components/page.tsx';
import { Empty, Loaded, ShownOf } from '../../components/states.tsx';
import { attempt, notify } from '../../shell/toasts.tsx';
import { bounded } from '../../text/format.ts';
import { Time } from '../../text/time.tsx';

/** All versions, two of them side by side, and the way back to one of them. */
export function Versions({ record, onChanged }: { record: Capability; onChanged: () => void }) {
  const { versions } = record;
  const current = versions.find((one) => one.current) ?? versions[0];
  const [chosen, setChosen] = useState(() => versions.find((one) => one !== current)?.version);
  const rollBack = (version: number) =>
    attempt(async () => {
      await post(apiPath('capabilities', record.id, 'rollback'), { version });
      notify(`Version ${version} is the current one again, as a new version.`, async () => {
        await post(apiPath('capabilities', record.id, 'rollback'), { version: record.version });
        onChanged();
      });
      onChanged();
    });
  return (
    <div class="stack">
      <Card title="Versions" flush>
        <div class="table-wrap bare">
          <table class="table auto">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Change</th>
                <th scope="col">By</th>
                <th scope="col">When</th>
                <th scope="col">
                  <span class="visually-hidden">Acts</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.map((one) => (
                <tr key={one.version} class={one.version === chosen ? 'data active' : 'data'}>
                  <td class="nowrap">
                    {one.version} {one.tag && <span class="tag">{one.tag}</span>}{' '}
                    {one.current && <span class="badge good">current</span>}
                  </td>
                  <td>{bounded(one.summary, 300) || <span class="muted">no summary</span>}</td>
                  <td>{bounded(one.by, 60)}</td>
                  <td class="nowrap">
                    <Time at={one.at} />
                  </td>
                  <td>
                    {!one.current && (
                      <div class="row end">
                        <button type="button" class="button small" onClick={() => setChosen(one.version)}>
                          Compare
                        </button>
                        {record.can_change && (
                          <button
                            type="button"
                            class="button small"
                            onClick={() => void rollBack(one.version)}
                          >
                            Roll back
                          </button>
                        )}
                      </div>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <ShownOf shown={versions.length} total={versions[0]?.version ?? 0} />
      </Card>
      {chosen !== undefined && current ? (
        <Diff id={record.id} from={chosen} to={current.version} />
      ) : (
        <Empty compact icon="copy" title="One version so far">
          <p>New code for it becomes a version here; the former ones stay callable, as `name@1`.</p>
        </Empty>
      )}
    </div>
  );
}

function Diff({ id, from, to }: { id: string; from: number; to: number }) {
  const diff = useResource(`diff ${id} ${from} ${to}`, (signal) =>
    get<VersionDiff>(apiPath('capabilities', id, 'versions', from, 'diff', to), {}, signal),
  );
  return (
    <Card title={`Version ${from} and version ${to}`} flush>
      <Loaded of={diff}>
        {({ rows }) => <DiffTable rows={rows} names={[`Version ${from}`, `Version ${to}`]} />}
      </Loaded>
    </Card>
  );
}

const MARKS = { same: [' ', ' '], add: [' ', '+'], del: ['−', ' '], change: ['−', '+'] } as const;
const MAX_ROWS = 3000;

function DiffTable({ rows, names }: { rows: readonly DiffRow[]; names: [string, string] }) {
  return (
    <div class="diff-wrap" tabIndex={0} role="region" aria-label="Differences">
      <table class="diff">
        <colgroup>
          <col class="diff-number" />
          <col class="diff-mark" />
          <col />
          <col class="diff-number" />
          <col class="diff-mark" />
          <col />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col" colSpan={3}>
              {names[0]}
            </th>
            <th scope="col" colSpan={3}>
              {names[1]}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map(({ kind, left, right }, index) => (
            <tr key={index}>
              <Side line={left} mark={MARKS[kind][0]} tone={kind === 'same' ? '' : left ? 'del' : 'none'} />
              <Side line={right} mark={MARKS[kind][1]} tone={kind === 'same' ? '' : right ? 'add' : 'none'} />
            </tr>
          ))}
        </tbody>
      </table>
      <ShownOf shown={MAX_ROWS} total={rows.length} />
    </div>
  );
}

function Side({ line, mark, tone }: { line?: { n: number; text: string }; mark: string; tone: string }) {
  return (
    <>
      <td class="diff-number">{line?.n}</td>
      <td class={`diff-mark ${tone}`}>{mark}</td>
      <td class={`diff-text ${tone}`}>{bounded(line?.text ?? '', 2000)}</td>
    </>
  );
}
