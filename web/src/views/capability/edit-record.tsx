import { useState } from 'preact/hooks';
import { ApiError, apiPath, get, send } from '../../api/client.ts';
import type { Capability, CapabilityPatch } from '../../api/types.ts';
import { Dialog } from '../../components/dialog.tsx';
import { notify, notifyError } from '../../shell/toasts.tsx';

interface Draft {
  name: string;
  description: string;
  tags: string;
  visibility: string;
  routing: string;
  cache_policy: string;
}

const CHOICES = {
  visibility: ['private', 'project', 'org', 'public'],
  routing: ['local', 'cloud'],
  cache_policy: ['none', 'memoize', 'persistent'],
} as const;
const LABELS: Record<keyof Draft, string> = {
  name: 'Name',
  description: 'Description',
  tags: 'Tags, separated by commas',
  visibility: 'Visibility',
  routing: 'Routing',
  cache_policy: 'Cache',
};

/** Changes what a capability says of itself. Tells what changed if somebody else was faster. */
export function EditRecord(props: {
  record: Capability;
  onClose: () => void;
  onChanged: (record: Capability) => void;
}) {
  const [base, setBase] = useState(props.record);
  const [draft, setDraft] = useState(() => draftOf(props.record));
  const [conflict, setConflict] = useState<string[] | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const patch = patchOf(draftOf(base), draft);
  const save = async () => {
    setProblem(null);
    try {
      const saved = await change(base.id, { ...patch, revision: base.revision });
      props.onChanged(saved);
      props.onClose();
      notify('Saved.', async () => props.onChanged(await change(base.id, patchOf(draft, draftOf(base)))));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile')
        return setProblem(error as Error);
      const now = await get<Capability>(apiPath('capabilities', base.id));
      setConflict(differences(draftOf(base), draftOf(now)));
      // Fields that the reader did not touch are taken over; fields that both changed stay as the reader wrote them.
      setDraft({ ...draftOf(now), ...touched(draftOf(base), draft) });
      setBase(now);
    }
  };
  return (
    <Dialog
      title="Edit the capability"
      onClose={props.onClose}
      foot={
        <button
          type="button"
          class="button primary"
          disabled={Object.keys(patch).length === 0}
          onClick={() => void save().catch(notifyError)}
        >
          {conflict ? 'Save over it' : 'Save'}
        </button>
      }
    >
      <div class="fields">
        {conflict && (
          <div class="warning" role="alert">
            <div>
              <b>It was changed meanwhile.</b> Look at what is different now, then save again.
              <ul>
                {conflict.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          </div>
        )}
        {problem && (
          <p class="bad wrap-anywhere" role="alert">
            {problem.message} {problem instanceof ApiError ? problem.hint : ''}
          </p>
        )}
        {(Object.keys(LABELS) as (keyof Draft)[]).map((key) => (
          <DraftField
            key={key}
            name={key}
            value={draft[key]}
            onChange={(value) => setDraft({ ...draft, [key]: value })}
          />
        ))}
      </div>
    </Dialog>
  );
}

function DraftField(props: { name: keyof Draft; value: string; onChange: (value: string) => void }) {
  const { name, value } = props;
  const id = `edit-${name}`;
  const onChange = (event: { currentTarget: { value: string } }) => props.onChange(event.currentTarget.value);
  const choices = name in CHOICES ? CHOICES[name as keyof typeof CHOICES] : undefined;
  return (
    <div class="field">
      <label for={id}>{LABELS[name]}</label>
      {choices && (
        <select id={id} class="select" value={value} onChange={onChange}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      {!choices && name === 'description' && (
        <textarea id={id} class="textarea" rows={4} maxLength={10_000} value={value} onInput={onChange} />
      )}
      {!choices && name !== 'description' && (
        <input id={id} class="input" maxLength={1000} value={value} onInput={onChange} />
      )}
      {name === 'name' && <span class="note">The old name keeps working.</span>}
    </div>
  );
}

function draftOf({ name, description, tags, visibility, routing, cache }: Capability): Draft {
  return { name, description, tags: tags.join(', '), visibility, routing, cache_policy: cache.policy };
}

function touched(before: Draft, after: Draft): Partial<Draft> {
  const keys = Object.keys(after) as (keyof Draft)[];
  return Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]));
}

function patchOf(before: Draft, after: Draft): CapabilityPatch {
  const { tags, ...others } = touched(before, after);
  const list = tags
    ?.split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  return { ...others, ...(list && { tags: list }) } as CapabilityPatch;
}

function differences(before: Draft, now: Draft): string[] {
  const changed = touched(before, now);
  const lines = Object.entries(changed).map(
    ([key, value]) => `${LABELS[key as keyof Draft]}: ${value.slice(0, 200) || '(empty)'}`,
  );
  return lines.length > 0 ? lines : ['Its code or its counters changed, none of what is here.'];
}

function change(id: string, patch: CapabilityPatch): Promise<Capability> {
  return send<Capability>('PATCH', apiPath('capabilities', id), patch).then(() =>
    get<Capability>(apiPath('capabilities', id)),
  );
}
