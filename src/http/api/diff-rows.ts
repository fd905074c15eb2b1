import { diffLines } from 'diff';
import type { z } from 'zod';
import type { DiffRow } from './schemas/capabilities.ts';

type Row = z.infer<typeof DiffRow>;

/** Puts two texts side by side, line by line. With more edits than `maxEdits`, all of it is shown as changed. */
export function diffRows(before: string, after: string, maxEdits: number): Row[] {
  const parts = diffLines(withNewline(before), withNewline(after), { maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const rows: Row[] = [];
  let [left, right] = [0, 0];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as (typeof parts)[number];
    const next = parts[at + 1];
    const lines = linesOf(part.value);
    if (part.removed && next?.added) {
      const added = linesOf(next.value);
      for (let i = 0; i < Math.max(lines.length, added.length); i += 1) {
        const [gone, come] = [lines[i], added[i]];
        rows.push({
          kind: gone === undefined ? 'add' : come === undefined ? 'del' : 'change',
          ...(gone !== undefined && { left: { n: ++left, text: gone } }),
          ...(come !== undefined && { right: { n: ++right, text: come } }),
        });
      }
      at += 1;
      continue;
    }
    for (const text of lines) {
      if (part.removed) rows.push({ kind: 'del', left: { n: ++left, text } });
      else if (part.added) rows.push({ kind: 'add', right: { n: ++right, text } });
      else rows.push({ kind: 'same', left: { n: ++left, text }, right: { n: ++right, text } });
    }
  }
  return rows;
}

/** A missing newline at the end is no change worth showing. */
function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
