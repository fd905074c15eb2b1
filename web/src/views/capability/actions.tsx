import { useState } from 'preact/hooks';
import { apiPath, post } from '../../api/client.ts';
import type { Capability } from '../../api/types.ts';
import { attempt, notify } from '../../shell/toasts.tsx';
import { EditRecord } from './edit-record.tsx';

/** The acts on the capability as a whole. */
export function Acts(props: {
  record: Capability;
  onChanged: (record: Capability) => void;
  onGone: () => void;
}) {
  const { record } = props;
  const [isEditing, setEditing] = useState(false);
  const act = (name: string, done: string, undo?: string) =>
    attempt(async () => {
      await post(apiPath('capabilities', record.id, name));
      const takeBack = async () => {
        await post(apiPath('capabilities', record.id, undo as string));
        props.onGone();
      };
      notify(done, undo ? takeBack : undefined);
      props.onGone();
    });
  if (!record.can_change) return <span class="muted small">Only its owner may change it</span>;
  return (
    <>
      {record.can_undo_rename && (
        <button
          type="button"
          class="button"
          onClick={() => void act('undo-rename', 'It has its former name again.')}
        >
          Undo rename
        </button>
      )}
      <button type="button" class="button" onClick={() => setEditing(true)}>
        Edit
      </button>
      {record.state === 'retired' ? (
        <button type="button" class="button" onClick={() => void act('restore', 'Restored.', 'retire')}>
          Restore
        </button>
      ) : (
        <button type="button" class="button danger" onClick={() => void act('retire', 'Retired.', 'restore')}>
          Retire
        </button>
      )}
      {isEditing && (
        <EditRecord record={record} onClose={() => setEditing(false)} onChanged={props.onChanged} />
      )}
    </>
  );
}
