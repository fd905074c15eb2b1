import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../router/router.ts';
import { useShortcuts } from '../shell/shortcuts.ts';
import { Icon } from './icon.tsx';
import { useRowSlots } from './use-row-slots.ts';

export interface Column<T> {
  key: string;
  title: string;
  cell: (row: T) => ComponentChildren;
  /** A class of `col` that gives the width; without one the column takes what is left. */
  width?: 'w-1' | 'w-2' | 'w-3' | 'w-4';
  isNumber?: boolean;
  /** Hidden on narrow screens. */
  isLesser?: boolean;
  /** The server sorts by this. */
  sort?: string;
}

interface Props<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** Where a row leads. */
  hrefOf: (row: T) => string;
  total?: number | undefined;
  hasMore?: boolean;
  onMore?: () => void;
  sort?: { by: string; order: 'asc' | 'desc' };
  onSort?: (by: string) => void;
  selection?: { keys: ReadonlySet<string>; toggle: (key: string) => void; toggleAll: () => void };
}

export const ROW_HEIGHT = 36;
const OVERSCAN = 12;

/** A table of any length: only the rows in view are in the document. j and k move, Enter opens, x selects. */
export function VirtualTable<T>(props: Props<T>) {
  const { rows, columns, selection } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { first, last } = useWindow(scroller, rows.length);
  const active = useActiveRow(props, scroller);
  useMoreAtEnd(props, last);
  const shown = rows.slice(first, last);
  const slots = useRowSlots(shown.map(props.keyOf), focusedRow(scroller.current));
  const span = columns.length + (selection ? 1 : 0);
  return (
    <div class="table-wrap fill" ref={scroller} tabIndex={0} role="region" aria-label={props.label}>
      <table class="table has-lesser" aria-rowcount={props.total ?? rows.length} aria-label={props.label}>
        <colgroup>
          {selection && <col class="w-check" />}
          {columns.map(({ key, width, isLesser }) => (
            <col key={key} class={`${width ?? ''} ${isLesser ? 'lesser' : ''}`} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Select all shown"
                  checked={rows.length > 0 && selection.keys.size >= rows.length}
                  onChange={selection.toggleAll}
                />
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} span={span} />
          {shown.map((row, index) => (
            <Row
              key={slots[index]}
              {...props}
              row={row}
              index={first + index}
              isActive={active === first + index}
            />
          ))}
          <Spacer rows={rows.length - last} span={span} />
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<T>({ column, sort, onSort }: Props<T> & { column: Column<T> }) {
  const isSorted = sort !== undefined && sort.by === column.sort;
  const order = isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={order}>
      {column.sort && onSort ? (
        <button type="button" onClick={() => onSort(column.sort as string)}>
          {column.title}
          {isSorted && <Icon name={sort.order === 'asc' ? 'up' : 'down'} size={10} />}
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function Row<T>(props: Props<T> & { row: T; index: number; isActive: boolean }) {
  const { row, columns, selection } = props;
  const key = props.keyOf(row);
  const isSelected = selection?.keys.has(key) ?? false;
  const open = (event: MouseEvent) => {
    const isControl = (event.target as Element).closest('a, input, button, label');
    if (!isControl && String(getSelection()) === '') navigate(props.hrefOf(row));
  };
  return (
    <tr
      data-row={key}
      class={`data ${props.isActive ? 'active' : ''} ${isSelected ? 'selected' : ''}`}
      aria-rowindex={props.index + 2}
      onClick={open}
    >
      {selection && (
        <td class="check-cell">
          <input
            type="checkbox"
            aria-label={`Select row ${props.index + 1}`}
            checked={isSelected}
            onChange={() => selection.toggle(key)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} class={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The key of the row that has the focus. */
function focusedRow(scroller: HTMLDivElement | null): string | undefined {
  return scroller?.querySelector<HTMLElement>('tr:focus-within')?.dataset.row;
}

function Spacer({ rows, span }: { rows: number; span: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={span} style={{ height: `${rows * ROW_HEIGHT}px` }} />
    </tr>
  );
}

function classOf<T>({ isNumber, isLesser }: Column<T>): string {
  return `${isNumber ? 'number' : ''} ${isLesser ? 'lesser' : ''}`;
}

/** Returns which rows are in view, with some above and below. */
function useWindow(
  scroller: { current: HTMLDivElement | null },
  length: number,
): { first: number; last: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const read = () => setView({ top: element.scrollTop, height: element.clientHeight });
    read();
    element.addEventListener('scroll', read, { passive: true });
    const resized = new ResizeObserver(read);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', read);
      resized.disconnect();
    };
  }, [scroller]);
  const first = Math.max(0, Math.min(length, Math.floor(view.top / ROW_HEIGHT)) - OVERSCAN);
  return { first, last: Math.min(length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVERSCAN) };
}

function useMoreAtEnd<T>({ rows, hasMore, onMore }: Props<T>, last: number): void {
  useEffect(() => {
    if (hasMore && last >= rows.length - OVERSCAN) onMore?.();
  }, [hasMore, last, rows.length, onMore]);
}

/** The row that the keyboard is on; -1 until a key moved it. */
function useActiveRow<T>(props: Props<T>, scroller: { current: HTMLDivElement | null }): number {
  const [active, setActive] = useState(-1);
  const { rows, selection } = props;
  const move = useCallback(
    (by: number) => {
      const next = Math.max(0, Math.min(rows.length - 1, active + by));
      setActive(next);
      keepInView(scroller.current, next);
    },
    [active, rows.length, scroller],
  );
  const row = rows[active];
  useShortcuts([
    { key: 'j', does: 'Next row', act: () => move(1) },
    { key: 'k', does: 'Previous row', act: () => move(-1) },
    { key: 'Enter', does: 'Open the row', act: () => row && navigate(props.hrefOf(row)) },
    ...(selection
      ? [{ key: 'x', does: 'Select the row', act: () => row && selection.toggle(props.keyOf(row)) }]
      : []),
  ]);
  return active;
}

function keepInView(element: HTMLDivElement | null, row: number): void {
  if (!element) return;
  const top = row * ROW_HEIGHT;
  const height = element.clientHeight - ROW_HEIGHT;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + ROW_HEIGHT > element.scrollTop + height) element.scrollTop = top + ROW_HEIGHT - height;
}
