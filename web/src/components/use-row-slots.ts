import { useRef } from 'preact/hooks';

/**
 * Assigns each row in view a key, and reuses the keys of rows that left: when a flood replaces every row, refilling their
 * elements costs far less than creating new ones. The key of a focused row is not reused.
 */
export function useRowSlots(ids: readonly string[], focused: string | undefined): number[] {
  const before = useRef(new Map<string, number>());
  const count = useRef(0);
  const shown = new Set(ids);
  const free: number[] = [];
  for (const [id, slot] of before.current) if (!shown.has(id) && id !== focused) free.push(slot);
  const slots = ids.map((id) => before.current.get(id) ?? free.shift() ?? count.current++);
  before.current = new Map(ids.map((id, at) => [id, slots[at] as number]));
  return slots;
}
