import { apiPath, get } from '../../api/client.ts';
import type { Capability, InboxItem } from '../../api/types.ts';
import { useResource } from '../../api/use-resource.ts';
import { Tags } from '../../components/badges.tsx';
import { Icon } from '../../components/icon.tsx';
import { to } from '../../router/router.ts';
import { bounded, percent } from '../../text/format.ts';
import { HighlightedCode } from '../../text/highlighted-code.tsx';

const TITLES = {
  unnamed: 'Give it this name?',
  twins: 'Fold one into the other?',
  stale: 'Its tools changed. Take it out of use?',
  failing: 'It keeps failing. Take it out of use?',
  unused: 'Nobody calls it. Take it out of use?',
} as const;
const ACCEPT = { name: 'Accept', fold: 'Fold', retire: 'Retire' } as const;

/** One item: what is suggested, why, and what it is about. */
export function ItemDetails(props: {
  item: InboxItem;
  onAccept: () => void;
  onEdit: () => void;
  onDismiss: () => void;
}) {
  const { item } = props;
  return (
    <section class="inbox-item card" aria-label="The item">
      <div class="card-head">
        <h2>{TITLES[item.kind]}</h2>
        <span class="spacer" />
        <button type="button" class="button primary" onClick={props.onAccept}>
          {ACCEPT[item.accept]} <kbd aria-hidden="true">a</kbd>
        </button>
        {item.accept === 'name' && (
          <button type="button" class="button" onClick={props.onEdit}>
            Edit <kbd aria-hidden="true">e</kbd>
          </button>
        )}
        <button type="button" class="button" onClick={props.onDismiss}>
          Dismiss <kbd aria-hidden="true">d</kbd>
        </button>
      </div>
      <div class="card-body stack">
        <Suggested item={item} />
        <p class="why">
          <Icon name="spark" />
          <span class="wrap-anywhere">{bounded(item.why, 2000)}</span>
        </p>
        <ItemCode item={item} />
      </div>
    </section>
  );
}

/** The code of the capability; a list of many items does not carry it. */
function ItemCode({ item }: { item: InboxItem }) {
  const { id } = item.capability;
  const record = useResource(`capability ${id}`, (signal) =>
    get<Capability>(apiPath('capabilities', id), {}, signal),
  );
  const html = record.data?.code_html;
  return html ? <HighlightedCode html={html} /> : null;
}

function Suggested({ item }: { item: InboxItem }) {
  const { suggestion, capability, other } = item;
  return (
    <dl class="facts">
      {suggestion && (
        <>
          <dt>Name</dt>
          <dd>
            <span class="suggested-name">{bounded(suggestion.name, 100)}</span>{' '}
            <span class="muted small">
              {percent(suggestion.confidence)} sure, by {suggestion.by === 'model' ? 'the model' : 'rules'}
            </span>
          </dd>
          <dt>Description</dt>
          <dd>{bounded(suggestion.description, 1000)}</dd>
        </>
      )}
      {suggestion && suggestion.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Tags tags={suggestion.tags} />
          </dd>
        </>
      )}
      <dt>{other ? 'Keep' : 'Now'}</dt>
      <dd>
        <a class="link" href={to('capabilities', capability.id)}>
          {bounded(capability.name, 100)}
        </a>{' '}
        {!suggestion && <span class="muted">{bounded(capability.description, 500)}</span>}
      </dd>
      {other && (
        <>
          <dt>Fold in</dt>
          <dd>
            <a class="link" href={to('capabilities', other.id)}>
              {bounded(other.name, 100)}
            </a>{' '}
            <span class="muted">its callers get the one that is kept</span>
          </dd>
        </>
      )}
    </dl>
  );
}
