import type { Json } from '../../src/json.ts';
import type { DirectCall } from './procedures.ts';

export type TemplateData = Readonly<Record<string, string | number>>;

/** A procedure over real servers, with data for two uses. */
export interface Template {
  readonly id: string;
  /** Two ways to say it; `{x}` stands for data. */
  readonly intents: readonly [string, string];
  readonly nearMiss: string;
  readonly data: readonly [TemplateData, TemplateData];
  readonly calls: (data: TemplateData) => readonly DirectCall[];
  /** `$x` stands for data, as a literal. */
  readonly code: string;
}

export function call(server: string, tool: string, args: Record<string, Json>): DirectCall {
  return { server, tool, args };
}

export function read(path: Json): DirectCall {
  return call('filesystem', 'read_text_file', { path });
}

export function write(path: Json, content: Json): DirectCall {
  return call('filesystem', 'write_file', { path, content });
}
