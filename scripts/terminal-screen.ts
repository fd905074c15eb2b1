const ESCAPE = String.fromCharCode(27);

/** Draws the output of a program as a terminal would, without colours, and returns all lines that it then shows. */
export function screenText(output: string): string {
  const lines: string[][] = [[]];
  let [row, column] = [0, 0];
  const line = (at: number) => {
    while (lines.length <= at) lines.push([]);
    return lines[at] as string[];
  };
  for (let at = 0; at < output.length; at += 1) {
    const char = output[at] as string;
    if (char === ESCAPE) {
      const [whole = '', counts = '', act = ''] =
        /^\[([\d;?]*)([A-Za-z])/.exec(output.slice(at + 1, at + 20)) ?? [];
      at += whole.length;
      const count = Number(counts.split(';')[0]) || 1;
      if (act === 'A') row = Math.max(0, row - count);
      else if (act === 'B') row += count;
      else if (act === 'C') column += count;
      else if (act === 'D') column = Math.max(0, column - count);
      else if (act === 'G') column = count - 1;
      else if (act === 'K') line(row).length = column;
      else if (act === 'J') {
        line(row).length = column;
        lines.length = row + 1;
      }
    } else if (char === '\r') column = 0;
    else if (char === '\n') row += 1;
    else if (char >= ' ') {
      const cells = line(row);
      while (cells.length < column) cells.push(' ');
      cells[column] = char;
      column += 1;
    }
  }
  return lines
    .map((cells) =>
      Array.from(cells, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
