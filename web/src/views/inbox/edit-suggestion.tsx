import { useState } from 'preact/hooks';
import type { InboxItem } from '../../api/types.ts';
import { Dialog } from '../../components/dialog.tsx';

/** Changes a suggestion before it is accepted. */
export function EditSuggestion(props: {
  item: InboxItem;
  onClose: () => void;
  onAccept: (body: { name: string; description: string; tags: string[] }) => void;
}) {
  const { suggestion, capability } = props.item;
  const [name, setName] = useState(suggestion?.name ?? capability.name);
  const [description, setDescription] = useState(suggestion?.description ?? capability.description);
  const [tags, setTags] = useState((suggestion?.tags ?? []).join(', '));
  const accept = (event: Event) => {
    event.preventDefault();
    const list = tags.split(',').map((tag) => tag.trim());
    props.onAccept({ name: name.trim(), description, tags: list.filter(Boolean) });
  };
  return (
    <Dialog
      title="Edit and accept"
      onClose={props.onClose}
      foot={
        <button type="submit" form="edit-suggestion" class="button primary" disabled={name.trim() === ''}>
          Accept
        </button>
      }
    >
      <form class="fields" id="edit-suggestion" onSubmit={accept}>
        <div class="field">
          <label for="suggested-name">Name</label>
          <input
            id="suggested-name"
            class="input"
            maxLength={64}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <span class="note">
            Letters, digits, `_`, `-`, and `:` between namespace and action, such as files:sum_sizes.
          </span>
        </div>
        <div class="field">
          <label for="suggested-description">Description</label>
          <textarea
            id="suggested-description"
            class="textarea"
            rows={4}
            maxLength={10_000}
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="suggested-tags">Tags, separated by commas</label>
          <input
            id="suggested-tags"
            class="input"
            maxLength={1000}
            value={tags}
            onInput={(event) => setTags(event.currentTarget.value)}
          />
        </div>
      </form>
    </Dialog>
  );
}
