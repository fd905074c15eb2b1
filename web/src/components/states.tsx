import type { ComponentChildren } from 'preact';
import { ApiError, GatewayAway } from '../api/client.ts';
import { count } from '../text/format.ts';
import { Icon, type IconName } from './icon.tsx';

/** Stands in for an empty list: says what it is for, and what to do next. */
export function Empty(props: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
  compact?: boolean;
}) {
  return (
    <div class={props.compact ? 'empty compact' : 'empty'}>
      {props.icon && <Icon name={props.icon} size={28} />}
      <h2>{props.title}</h2>
      {props.children && <div>{props.children}</div>}
    </div>
  );
}

/** Why something could not be shown, and what to do. */
export function Problem({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="problem-note" role="alert">
      <b>{titleOf(error)}</b>
      <span>{error.message.slice(0, 2000)}</span>
      {error instanceof ApiError && error.hint && <span class="muted">{error.hint}</span>}
      {retry && (
        <button type="button" class="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf(error: Error): string {
  if (error instanceof GatewayAway) return 'The gateway is away';
  if (!(error instanceof ApiError)) return 'The page failed';
  if (error.status === 404) return 'Not found';
  if (error.status === 409) return 'Changed meanwhile';
  return error.status >= 500 ? 'The gateway failed' : 'Refused';
}

/** Says below a list that it is only a part. */
export function ShownOf({ shown, total, rest }: { shown: number; total: number; rest?: string }) {
  if (total <= shown) return null;
  return (
    <p class="table-foot">
      {count(shown)} of {count(total)} shown{rest && `; ${rest}`}
    </p>
  );
}

/** Grey bars in the shape of what comes. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="stack" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span class="skeleton" style={{ width: `${92 - ((index * 23) % 55)}%` }} key={index} />
      ))}
    </div>
  );
}

/** Shows what was read, or that it is being read, or why it cannot be. */
export function Loaded<T>(props: {
  of: { data: T | undefined; error: Error | undefined; reload: () => void };
  lines?: number;
  children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = props.of;
  if (data !== undefined) return <>{props.children(data)}</>;
  if (error) return <Problem error={error} retry={reload} />;
  return <Skeleton lines={props.lines ?? 5} />;
}
