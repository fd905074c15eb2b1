import { fileProcedures } from './file-procedures.ts';
import { graphProcedures } from './graph-procedures.ts';
import type { TemplateData } from './npm-template.ts';
import type { MemoryProcedure, Use } from './procedures.ts';

/** Procedures over real servers. */
export function npmProcedures(root: string, most: number): MemoryProcedure[] {
  return [...fileProcedures(root), ...graphProcedures(root)]
    .slice(0, most)
    .map(({ id, intents, nearMiss, data, calls, code }): MemoryProcedure => {
      const use = (turn: 0 | 1): Use => ({
        intent: filled(intents[turn], data[turn], String),
        calls: calls(data[turn]),
        code: filled(code, data[turn], (value) => JSON.stringify(value)),
      });
      return {
        ...{ id, task: id, first: use(0), repeat: use(1) },
        otherValues: Object.entries(data[0]).map(([key, first]) => ({
          ...{ key, tool: '', first, repeat: data[1][key] ?? null },
        })),
        sameWords: filled(intents[0], data[1], String),
        nearMiss: filled(nearMiss, data[1], String),
      };
    });
}

function filled(text: string, data: TemplateData, write: (value: string | number) => string): string {
  return text.replace(/\{(\w+)\}|\$(\w+)/g, (whole, braced, dollar) => {
    const value = data[braced ?? dollar];
    return value === undefined ? whole : write(value);
  });
}
