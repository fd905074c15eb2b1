import { useRef } from 'preact/hooks';

/**
 * Gives each row in view a key, and the key of a row that has gone to one that came: its elements are filled anew, which costs
 * far less than new ones when a flood replaces every row. A row that has the focus keeps its key to itself.
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
