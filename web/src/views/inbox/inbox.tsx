import { useState } from 'preact/hooks';
import { apiPath, get, post } from '../../api/client.ts';
import { useLive } from '../../api/live-events.ts';
import type { InboxItem, InboxKind, InboxPage } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded, ShownOf } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { place } from '../../router/router.ts';
import { showCounts } from '../../shell/inbox-count.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { attempt, notify } from '../../shell/toasts.tsx';
import { bounded, plural } from '../../text/format.ts';
import { EditSuggestion } from './edit-suggestion.tsx';
import { ItemDetails } from './item-details.tsx';
import './inbox.css';

const KINDS = [
  ['', 'All'],
  ['unnamed', 'Unnamed'],
  ['twins', 'Near-duplicates'],
  ['stale', 'Stale'],
  ['failing', 'Failing'],
  ['unused', 'Unused'],
] as const;
const DONE = { name: 'Named', fold: 'Folded', retire: 'Retired' } as const;
const PAGE = 100;

/** Asks a person for decisions, one after the other, by keyboard too. Every decision can be taken back. */
export function Inbox() {
  const kind = (KINDS.find(([key]) => key === place.value.query.get('kind'))?.[0] ?? '') as InboxKind | '';
  const page = useResource(`inbox ${kind}`, async (signal) => {
    const answer = await get<InboxPage>('/inbox', { kind, limit: PAGE }, signal);
    showCounts(answer.counts);
    return answer;
  });
  useLive(['inbox', 'capability'], page.reload);
  const counts = page.data?.counts;
  const all = counts && Object.values(counts).reduce((sum, one) => sum + one, 0);
  return (
    <PageFrame
      title="Inbox"
      layout="fill"
      beside={<span class="muted">what waits for a decision</span>}
      acts={
        page.data?.model && counts?.unnamed ? <AskModel model={page.data.model} onDone={page.reload} /> : null
      }
    >
      <Tabs
        tabs={KINDS}
        current={kind}
        label="Kinds"
        param="kind"
        counts={counts && { '': all ?? 0, ...counts }}
      />
      <Loaded of={page} lines={8}>
        {({ items }) => (
          <Items items={items} onDecided={page.reload} total={kind && counts ? counts[kind] : all} />
        )}
      </Loaded>
    </PageFrame>
  );
}

/** The model is asked only when somebody wants it: it costs money, and code leaves the machine. */
function AskModel({ model, onDone }: { model: string; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    const answer = await attempt(() => post<{ suggestions: number; notes: string[] }>('/inbox/ask-model'));
    setAsking(false);
    if (!answer) return;
    notify(
      [`Names for ${plural(answer.suggestions, 'capability', 'capabilities')}.`, ...answer.notes].join(' '),
    );
    onDone();
  };
  return (
    <button
      type="button"
      class="button"
      disabled={isAsking}
      title="Sends the code of unnamed capabilities, without secrets, to the model. `pml curate --dry-run` shows what."
      onClick={() => void ask()}
    >
      {isAsking ? 'Asking…' : `Ask ${bounded(model, 60)} for names`}
    </button>
  );
}

function Items({
  items,
  total = 0,
  onDecided,
}: {
  items: InboxItem[];
  total?: number;
  onDecided: () => void;
}) {
  const [at, setAt] = useState(0);
  const [isEditing, setEditing] = useState(false);
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const waiting = items.filter(({ id }) => !decided.has(id));
  const index = Math.min(at, waiting.length - 1);
  const item = waiting[index];
  const decide = async (act: 'accept' | 'dismiss', body: object = {}) => {
    if (!item) return;
    // The next one is shown at once; the row returns if the gateway refuses.
    setDecided(new Set(decided).add(item.id));
    const answer = await attempt(() => post<{ undo: string }>(apiPath('inbox', item.id, act), body));
    const bringBack = () => setDecided((was) => new Set([...was].filter((id) => id !== item.id)));
    if (!answer) return bringBack();
    onDecided();
    notify(
      `${act === 'accept' ? DONE[item.accept] : 'Dismissed'}: ${bounded(item.capability.name, 60)}`,
      async () => {
        await post('/undo', { undo: answer.undo });
        bringBack();
        onDecided();
      },
    );
  };
  useShortcuts([
    { key: 'j', does: 'Next', act: () => setAt(Math.min(waiting.length - 1, index + 1)) },
    { key: 'k', does: 'Previous', act: () => setAt(Math.max(0, index - 1)) },
    { key: 'a', does: 'Accept', act: () => void decide('accept') },
    { key: 'e', does: 'Edit, then accept', act: () => item?.accept === 'name' && setEditing(true) },
    { key: 'd', does: 'Dismiss', act: () => void decide('dismiss') },
  ]);
  if (!item) return <AllDone />;
  return (
    <div class="inbox">
      <ul class="inbox-list" aria-label="Waiting">
        {waiting.map((one, row) => (
          <li key={one.id}>
            <button
              type="button"
              class="inbox-row"
              aria-current={row === index ? 'true' : undefined}
              onClick={() => setAt(row)}
            >
              <span class="truncate strong">{bounded(one.suggestion?.name ?? one.capability.name, 80)}</span>
              <span class="truncate muted small">{bounded(one.why, 160)}</span>
            </button>
          </li>
        ))}
        {total > items.length && (
          <li>
            <ShownOf shown={items.length} total={total} rest="the others follow as these are decided" />
          </li>
        )}
      </ul>
      <ItemDetails
        item={item}
        onAccept={() => void decide('accept')}
        onEdit={() => setEditing(true)}
        onDismiss={() => void decide('dismiss')}
      />
      {isEditing && (
        <EditSuggestion
          item={item}
          onClose={() => setEditing(false)}
          onAccept={(body) => {
            setEditing(false);
            void decide('accept', body);
          }}
        />
      )}
    </div>
  );
}

function AllDone() {
  return (
    <Empty icon="check" title="Nothing waits for you">
      <p>
        Capabilities that lack a name, do the same as another, stopped fitting their tools, fail or lie unused
        appear here.
      </p>
    </Empty>
  );
}
