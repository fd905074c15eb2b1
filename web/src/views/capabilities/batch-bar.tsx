import { useState } from 'preact/hooks';
import { apiPath, post, send } from '../../api/client.ts';
import type { BatchAnswer, BatchInput, CapabilityItem } from '../../api/types.ts';
import { Dialog } from '../../components/dialog.tsx';
import { attempt, notify, notifyError } from '../../shell/toasts.tsx';
import { plural } from '../../text/format.ts';

type Change = BatchInput['change'];
interface Asked {
  title: string;
  label: string;
  note: string;
  change: (text: string) => Change;
  options?: readonly string[];
}

const QUESTIONS = {
  tag: {
    title: 'Add tags',
    label: 'Tags, separated by commas',
    note: 'Agents find capabilities by their tags, too.',
    change: (text) => ({
      tags_add: text
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    }),
  },
  namespace: {
    title: 'Move to a namespace',
    label: 'Namespace',
    note: 'Renames each to namespace:action. The old names keep working.',
    change: (text) => ({ namespace: text.trim() }),
  },
  visibility: {
    title: 'Change who sees them',
    label: 'Visibility',
    note: 'Whoever may not see a capability can neither find nor call it.',
    options: ['private', 'project', 'org', 'public'],
    change: (text) => ({ visibility: text as CapabilityItem['visibility'] }),
  },
} satisfies Record<string, Asked>;

/** Changes all selected capabilities at once. Each change can be taken back. */
export function BatchBar(props: {
  rows: readonly CapabilityItem[];
  onDone: () => void;
  onClear: () => void;
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { rows } = props;
  const areRetired = rows.every(({ state }) => state === 'retired');
  const apply = (change: Change) =>
    attempt(async () => {
      const answer = await batch(rows, change);
      report(answer, rows, change, props.onDone);
      props.onClear();
      props.onDone();
    });
  return (
    <div class="toolbar batch" role="toolbar" aria-label="Selected capabilities">
      <span class="strong">{plural(rows.length, 'capability', 'capabilities')} selected</span>
      <span class="spacer" />
      <button type="button" class="button small" onClick={() => setAsked(QUESTIONS.tag)}>
        Tag…
      </button>
      <button type="button" class="button small" onClick={() => setAsked(QUESTIONS.namespace)}>
        Namespace…
      </button>
      <button type="button" class="button small" onClick={() => setAsked(QUESTIONS.visibility)}>
        Visibility…
      </button>
      {areRetired ? (
        <button type="button" class="button small" onClick={() => void apply({ restore: true })}>
          Restore
        </button>
      ) : (
        <button type="button" class="button small danger" onClick={() => void apply({ retire: true })}>
          Retire
        </button>
      )}
      <button type="button" class="button small quiet" onClick={props.onClear}>
        Clear selection
      </button>
      {asked && (
        <Question
          {...asked}
          onClose={() => setAsked(null)}
          onAnswer={(text) => {
            setAsked(null);
            void apply(asked.change(text));
          }}
        />
      )}
    </div>
  );
}

function Question(props: Asked & { onClose: () => void; onAnswer: (text: string) => void }) {
  const [text, setText] = useState(props.options?.[1] ?? '');
  const isReady = text.trim() !== '';
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      foot={
        <button type="button" class="button primary" disabled={!isReady} onClick={() => props.onAnswer(text)}>
          {props.title}
        </button>
      }
    >
      <div class="field">
        <label for="batch-answer">{props.label}</label>
        {props.options ? (
          <select
            id="batch-answer"
            class="select"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          >
            {props.options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        ) : (
          <input
            id="batch-answer"
            class="input"
            value={text}
            maxLength={1000}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && isReady && props.onAnswer(text)}
          />
        )}
        <span class="note">{props.note}</span>
      </div>
    </Dialog>
  );
}

function batch(rows: readonly { id: string }[], change: Change): Promise<BatchAnswer> {
  return post<BatchAnswer>('/capabilities/batch', { ids: rows.map(({ id }) => id), change });
}

function report(
  answer: BatchAnswer,
  rows: readonly CapabilityItem[],
  change: Change,
  onDone: () => void,
): void {
  const [failure] = answer.failed;
  if (failure) {
    notifyError(
      new Error(
        `${plural(answer.failed.length, 'capability', 'capabilities')} could not be changed: ${failure.error}`,
      ),
    );
  }
  const done = new Set(answer.done.map(({ id }) => id));
  const changed = rows.filter(({ id }) => done.has(id));
  if (changed.length === 0) return;
  notify(`Changed ${plural(changed.length, 'capability', 'capabilities')}.`, async () => {
    await takeBack(changed, change);
    onDone();
  });
}

/** Undoes a change, from the rows as they were before it. */
async function takeBack(rows: readonly CapabilityItem[], change: Change): Promise<void> {
  if ('retire' in change) return void (await batch(rows, { restore: true }));
  if ('restore' in change) return void (await batch(rows, { retire: true }));
  for (const { id, name, tags, visibility } of rows) {
    const former = {
      ...('namespace' in change && { name }),
      ...('tags_add' in change && { tags }),
      ...('visibility' in change && { visibility }),
    };
    await send('PATCH', apiPath('capabilities', id), former);
  }
}
