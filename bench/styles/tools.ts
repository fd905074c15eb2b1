import type { JsonSchema } from '../../src/json.ts';
import {
  draw,
  entries,
  event,
  fileText,
  issue,
  listOf,
  pick,
  repository,
  ticket,
  type World,
} from './answers.ts';

// biome-ignore lint/suspicious/noExplicitAny: the arguments are whatever the program passes
export type Loose = any;

export interface Tool {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly isRead: boolean;
  answer(world: World, args: Loose): unknown;
}

type Answer = Tool['answer'];
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const INTEGER = { type: 'integer' };
const TEXTS = { type: 'array', items: TEXT };
const oneOf = (...values: string[]) => ({ ...TEXT, enum: values });

/** The properties are required, except those whose names end in a question mark. */
function schema(properties: Record<string, object>): JsonSchema {
  const named = Object.entries(properties).map(([key, type]) => [key.replace('?', ''), type]);
  const required = Object.keys(properties).filter((key) => !key.endsWith('?'));
  return { type: 'object', properties: Object.fromEntries(named), required } as JsonSchema;
}

const read = (description: string, properties: Record<string, object>, answer: Answer): Tool => ({
  description,
  inputSchema: schema(properties),
  isRead: true,
  answer,
});
const write = (...tool: Parameters<typeof read>): Tool => ({ ...read(...tool), isRead: false });

const REPO = { owner: TEXT, repo: TEXT };
const STATE = oneOf('open', 'closed', 'all');

const github = {
  list_issues: read('List issues of a repository.', { ...REPO, 'state?': STATE, 'labels?': TEXT }, (w, a) =>
    listOf(w, 7, (at) => issue(w, a, at)),
  ),
  get_issue: read('Get one issue.', { ...REPO, issue_number: INTEGER }, (w, a) => issue(w, a, 0)),
  add_comment: write(
    'Add a comment to an issue.',
    { ...REPO, issue_number: INTEGER, body: TEXT },
    (_, a) => ({
      id: draw(a) % 10000,
    }),
  ),
  search_repositories: read('Search repositories.', { query: TEXT }, (w, a) => ({
    items: listOf(w, 8, (at) => repository(w, a, at)),
  })),
  get_file_contents: read('Read a file of a repository.', { ...REPO, path: TEXT }, (w, a) => ({
    path: a.path,
    content: `content ${draw(w, a) % 1000}`,
  })),
};

const files = {
  read_text_file: read('Read a text file.', { path: TEXT }, (w, a) => ({ content: fileText(w, a.path) })),
  write_file: write('Write a file.', { path: TEXT, content: TEXT }, (_, a) => ({
    ok: true,
    bytes: a.content.length,
  })),
  search_files: read('Find files by pattern.', { path: TEXT, pattern: TEXT }, (w, a) => ({
    files: listOf(w, 3, (at) => `${a.path}/f${draw(w, a, at) % 100}.md`),
  })),
  list_directory: read('List a folder.', { path: TEXT }, (w, a) => ({ entries: entries(w, a.path) })),
};

const crm = {
  find_customers: read(
    'Customers of a segment, page by page.',
    { segment: TEXT, 'limit?': INTEGER, 'cursor?': TEXT },
    (w, { segment, limit = 5, cursor }) => {
      const all = listOf(w, 11, (at) => ({ id: `c${at}`, email: `${segment}${at}.${w}@x.com` }));
      const from = Number(cursor ?? 0);
      const to = from + Math.max(1, limit);
      return { customers: all.slice(from, to), next_cursor: to < all.length ? String(to) : null };
    },
  ),
  find_customer: read('Find a customer by e-mail.', { email: TEXT }, (w, a) =>
    w === 'empty'
      ? null
      : { id: `c-${draw(w, a) % 100}`, name: pick(['Ana Lo', 'Bo Wu', "Cy O'Neil"], w, a), email: a.email },
  ),
  list_orders: read(
    'Orders of a customer.',
    { customer_id: TEXT, 'status?': oneOf('paid', 'open', 'shipped') },
    (w, a) => ({
      orders: listOf(w, 5, (at) => ({ id: `o${at}`, total: (draw(w, a, at) % 20000) / 100 })),
    }),
  ),
  update_customer: write('Change a customer.', { id: TEXT, tags: TEXTS }, () => ({ ok: true })),
};

const calendar = {
  list_events: read(
    'Events of a calendar.',
    { calendar_id: TEXT, time_min: TEXT, time_max: TEXT },
    (w, a) => ({ items: listOf(w, 4, (at) => event(w, a, at)) }),
  ),
  create_event: write(
    'Create an event.',
    { calendar_id: TEXT, title: TEXT, start: TEXT, end: TEXT, attendees: TEXTS },
    (w, a) => ({ id: `ev${draw(w, a) % 9999}` }),
  ),
};

const bank = {
  get_account: read('Get an account.', { account_id: TEXT }, (w, a) => ({
    id: a.account_id,
    balance: w === 'empty' ? 0 : draw(w, a) % 1000,
  })),
  transfer: write('Move money.', { from: TEXT, to: TEXT, amount: NUMBER }, (w, a) => ({
    id: `tx${draw(w, a) % 9999}`,
    status: 'done',
  })),
};

const storage = {
  list_objects: read('List the objects of a bucket.', { bucket: TEXT, prefix: TEXT }, (w, a) => ({
    objects: listOf(w, 4, (at) => ({ key: `${a.prefix}o${at}`, size: draw(w, a, at) % 1000 })),
  })),
  delete_object: write('Delete an object.', { bucket: TEXT, key: TEXT }, () => ({ ok: true })),
};

const tickets = {
  search: read('Search tickets, page by page.', { query: TEXT, page: INTEGER }, (w, a) => ({
    tickets: listOf(w, 6, (at) => ticket(w, a, at)),
    pages: w === 'big' ? 4 : w === 'base' ? 3 : 1,
  })),
  update: write('Change a ticket.', { id: TEXT, status: TEXT, note: TEXT }, () => ({ ok: true })),
};

function product(world: World, { product_id }: Loose): object {
  if (product_id.includes('bad') || (world === 'other' && draw(product_id) % 3 === 0))
    throw new Error(`no product ${product_id}`);
  return { id: product_id, name: `Product ${product_id}`, stock: draw(world, product_id) % 20 };
}

function forecast(world: World, { city, days }: Loose): object {
  const rain = (at: number) => ({ date: `d${at}`, rain_mm: draw(world, city, at) % 7 });
  return {
    city,
    days: world === 'empty' ? [] : Array.from({ length: Math.min(days, 40) }, (_, at) => rain(at)),
  };
}

const info = (w: World, a: Loose) => ({
  version: `v${draw(w, a) % 90}`,
  build: draw(w, a, 'build') % 1000,
  region: pick(['eu', 'us'], w, a),
});
const rows = (w: World, { sql, params }: Loose) => ({
  rows: listOf(w, 6, (at) => ({ customer_id: `c${draw(w, params ?? sql, at) % 4}`, email: `e${at}@x.com` })),
});
const points = (w: World, a: Loose) => ({
  points: listOf(w, 5, (at) => [at, 10 + (draw(w, a, at) % 60)]),
});

/** The tools that the programs call, by server and name. */
export const TOOLS: Record<string, Record<string, Tool>> = {
  github,
  files,
  crm,
  calendar,
  bank,
  storage,
  tickets,
  chat: {
    post_message: write('Post a message to a channel.', { channel: TEXT, text: TEXT }, (_, a) => ({
      ok: true,
      ts: String(draw(a) % 1e6),
    })),
  },
  weather: { get_forecast: read('Forecast of a city.', { city: TEXT, days: INTEGER }, forecast) },
  shop: { get_product: read('Get a product.', { product_id: TEXT }, product) },
  fx: {
    get_rate: read('Exchange rate.', { from: TEXT, to: TEXT }, (w, a) => ({
      rate: 0.5 + (draw(w, a) % 100) / 100,
    })),
  },
  metrics: { query: read('Points of a metric.', { metric: TEXT, from: TEXT, to: TEXT }, points) },
  db: { run_query: read('Run SQL.', { sql: TEXT, 'params?': { type: 'array', items: {} } }, rows) },
  web: { fetch: read('Fetch a URL and parse JSON.', { url: TEXT }, info) },
};
