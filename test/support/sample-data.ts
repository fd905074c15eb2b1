import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS = [
  tool('library', 'find_book', 'Find books by a word of their title.', { title: 'string' }),
  tool('library', 'reserve_book', 'Reserve a book for a reader.', { book_id: 'number', reader: 'string' }),
  tool('library', 'list_loans', 'List what a reader has borrowed.', { reader: 'string' }),
  tool('garden', 'read_moisture', 'Read how moist the soil of a bed is.', { bed: 'string' }),
  tool('garden', 'open_valve', 'Water a bed for some minutes.', { bed: 'string', minutes: 'number' }),
  tool('post', 'send_letter', 'Send a letter to an address.', { to: 'string', text: 'string' }),
];

const PROCEDURES = [
  procedure(
    'Reserve the book about bees for Ada',
    call('library', 'find_book', { title: 'bees' }, { id: 41, title: 'On bees' }),
    call('library', 'reserve_book', { book_id: 41, reader: 'Ada' }, { reserved: true }),
  ),
  procedure(
    'Water the roses for five minutes if they are dry',
    call('garden', 'read_moisture', { bed: 'roses' }, { percent: 12 }),
    call('garden', 'open_valve', { bed: 'roses', minutes: 5 }, { done: true }),
  ),
  procedure(
    'Tell Ada by letter what she has borrowed',
    call('library', 'list_loans', { reader: 'Ada' }, { titles: ['On bees'] }),
    call('post', 'send_letter', { to: 'Ada', text: 'You have: On bees' }, { sent: true }),
  ),
];

const QUERIES = [
  ['which books have bees in the title', 'library/find_book'],
  ['how wet is the soil of the roses', 'garden/read_moisture'],
  ['write a letter to Ada', 'post/send_letter'],
].map(([query, gold], at) => ({ id: `q${at}`, query, gold: [gold], groups: [[gold]] }));

/** Writes the data that benches read, small and made up, so that they can be tried where the real data is not. */
export function writeSampleData(folder: string): void {
  write(join(folder, 'procedures'), { 'tools.jsonl': TOOLS, 'dev.items.jsonl': PROCEDURES });
  const tools = TOOLS.map((one) => ({ ...one, id: one.id.replace(':', '/') }));
  for (const set of ['azure-mcp', 'toolbench', 'bfcl'])
    write(join(folder, set), { 'tools.jsonl': tools, 'dev.queries.jsonl': QUERIES });
}

function write(folder: string, files: Record<string, readonly object[]>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function tool(server: string, name: string, description: string, parameters: Record<string, string>) {
  const properties = Object.fromEntries(Object.entries(parameters).map(([key, type]) => [key, { type }]));
  const inputSchema = { type: 'object', properties, required: Object.keys(parameters) };
  return { id: `${server}:${name}`, server, name, description, inputSchema };
}

function call(server: string, name: string, args: object, result: object) {
  return { server, tool: name, args, result };
}

function procedure(intent: string, ...calls: ReturnType<typeof call>[]) {
  return { ds: 'sample', id: `sample_${intent.length}`, intent, said: `${intent}\n`, calls };
}
