/** One request of a client to its model, in the words that all protocols share. */
export interface Turn {
  /** The texts that the model reads besides definitions of tools and results: system prompt, instructions, the user's words. */
  context: string;
  /** The tools whose definitions the model has, by the names that it must write. */
  tools: Tool[];
  /** The results of all tools that were called so far. */
  results: string[];
}

export interface Tool {
  name: string;
  /** Some clients put the tools of a server into a namespace. */
  namespace?: string;
  description: string;
}

export type Reply = { text: string } | { tool: Tool; input: object };

/** How one provider's requests are read and answered. */
export interface Protocol {
  matches(path: string): boolean;
  read(body: Loose): Turn;
  /** Returns the answer as JSON, or as the events of a stream: name and data. */
  answer(body: Loose, reply: Reply, id: number): Loose | StreamEvent[];
}

export interface StreamEvent {
  event?: string;
  data: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of four providers, of which a few fields are read
export type Loose = any;

/** Joins all texts in a value, however deep. */
export function textsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textsIn).join('\n');
  if (value === null || typeof value !== 'object') return '';
  const { text, content, parts, output, error } = value as Loose;
  return textsIn([text, content, parts, output, error].filter((part) => part !== undefined));
}
