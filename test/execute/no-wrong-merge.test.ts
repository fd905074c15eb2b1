/** Through a real gateway: programs that do the same where they ran, and something else elsewhere, stay two capabilities. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Gateway, joinGateway, startGateway } from '../../src/embed/index.ts';
import { scratchRoot } from '../../src/testing/scratch.ts';
import { NotingTools } from '../support/noting-tools.ts';

const PEOPLE = ['ana', 'bo', 'cy', 'ana', 'dee'];
const tools = new NotingTools({
  desk: {
    list_tickets: () => ({
      tickets: PEOPLE.map((owner, n) => ({
        id: `T${n}`,
        title: `Ticket ${n} of ${owner}`,
        owner,
        votes: 7 - n,
      })),
      pages: 1,
    }),
    close_ticket: () => ({ ok: true }),
  },
  shop: {
    list_orders: () => ({ orders: [12.5, 99.25, 3, 40.75].map((total, n) => ({ id: `o${n}`, total })) }),
  },
  diary: {
    list_events: () => ({
      items: [9, 10, 13].map((hour) => ({
        start: `2026-01-12T${String(hour).padStart(2, '0')}:00:00Z`,
        end: `2026-01-12T${hour + 2}:30:00Z`,
      })),
    }),
  },
  disk: {
    read_text: () => ({
      text: 'name,email\nana,ana@x.com\nbo,bo@x.com\ncy,cy@x.com\ndee,dee@x.com\ned,ed@x.com',
    }),
  },
  bank: { get_account: ({ id }) => ({ id, balance: 40 }), transfer: () => ({ ok: true }) },
  chat: { post: ({ text }) => ({ ts: text.length }) },
});

const dir = mkdtempSync(join(scratchRoot(), 'pml-no-wrong-merge-'));
const config = join(dir, 'pml.json');
let gateway: Gateway;
let projects = 0;
const place = (project: string) => ({
  home: join(dir, 'home'),
  config,
  cwd: dir,
  env: { PATH: process.env.PATH ?? '', PML_LOG: 'error', HOME: dir, PML_PROJECT: project },
});

before(async () => {
  const mcpServers = await tools.start();
  const settings = { expose: 'lean', curation: { model: 'none' }, discovery: { embeddings: 'none' } };
  writeFileSync(config, JSON.stringify({ mcpServers, ...settings }));
  gateway = await startGateway(place('default'));
});
after(async () => {
  await gateway.close();
  tools.stop();
});

/** Runs the programs one after the other where nothing else is known, and returns what they became. */
async function learnBoth(...programs: [string, string]): Promise<unknown[]> {
  projects += 1;
  const session = await joinGateway(place(`p${projects}`));
  try {
    const names: unknown[] = [];
    for (const code of programs)
      names.push((await session.execute({ intent: 'do it', code })).capabilityFqdn);
    assert.ok(names.every((name) => typeof name === 'string'));
    return names;
  } finally {
    await session.close();
  }
}

const TICKETS = 'const { tickets } = await mcp.desk.list_tickets({ team: "web" });';
const ORDERS = 'const { orders } = await mcp.shop.list_orders({ customer: "c1" });';
const EVENTS = 'const { items } = await mcp.diary.list_events({ calendar: "work" });';
const TEXT = 'const { text } = await mcp.disk.read_text({ path: "people.csv" });';
const ACCOUNT = 'const account = await mcp.bank.get_account({ id: "a" });';
const NOW = 'const now = new Date();';
const post = (text: string) => `await mcp.chat.post({ channel: "#ops", text: ${text} });`;
const TRANSFER = 'await mcp.bank.transfer({ from: "a", to: "b", amount: 5 });';
const CLOSE_ALL = 'for (const { id } of tickets) await mcp.desk.close_ticket({ id });';
const ids = 'return tickets.map((t) => t.id);';

const PAIRS: readonly [title: string, one: string, other: string][] = [
  // What the clock decides.
  [
    'months of one and of two digits',
    `${NOW} ${post(`now.toISOString().slice(0, 7)`)}`,
    `${NOW} ${post(`now.getUTCFullYear() + "-" + (now.getUTCMonth() < 9 ? "01" : "11")`)}`,
  ],
  [
    'the month before at the end of a month',
    `${NOW} const d = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)); ${post('d.toISOString().slice(0, 7)')}`,
    `${NOW} const d = new Date(now); d.setUTCMonth(d.getUTCMonth() - 1); ${post('d.toISOString().slice(0, 7)')}`,
  ],
  [
    'Mondays seen from Sundays',
    `${NOW} const d = new Date(now); d.setUTCDate(d.getUTCDate() - ((d.getUTCDay() + 6) % 7)); ${post('d.toISOString().slice(0, 10)')}`,
    `${NOW} const d = new Date(now); d.setUTCDate(d.getUTCDate() - d.getUTCDay() + 1); ${post('d.toISOString().slice(0, 10)')}`,
  ],
  [
    'a guard of the night',
    `${NOW} ${post('"up"')} return 1;`,
    `${NOW} if (now.getUTCHours() < 1) return 0; ${post('"up"')} return 1;`,
  ],
  // What a field decides that the answers of this run did not have.
  [
    'a field that only some items have',
    `${TICKETS} ${ids}`,
    `${TICKETS} return tickets.filter((t) => !t.merged).map((t) => t.id);`,
  ],
  [
    'a flag that would stop a payment',
    `${ACCOUNT} if (account.balance < 5) return "no"; ${TRANSFER} return "ok";`,
    `${ACCOUNT} if (account.frozen || account.balance < 5) return "no"; ${TRANSFER} return "ok";`,
  ],
  // Which call fails.
  [
    'the failure of the last write',
    `${TICKETS} ${CLOSE_ALL} ${post('"all closed"')} return 1;`,
    `${TICKETS} ${CLOSE_ALL} try { ${post('"all closed"')} } catch {} return 1;`,
  ],
  // Limits.
  [
    'a limit beside the end of a list',
    `${TICKETS} ${ids}`,
    `${TICKETS} const out = []; for (let i = 0; i < tickets.length && i < 100; i++) out.push(tickets[i].id); return out;`,
  ],
  [
    'a limit within the end of a list',
    `${TICKETS} ${ids}`,
    `${TICKETS} const out = []; for (let i = 0; i < Math.min(tickets.length, 90); i++) out.push(tickets[i].id); return out;`,
  ],
  // Numbers.
  [
    'numbers below zero',
    `${ORDERS} return orders.map((o) => Math.floor(o.total));`,
    `${ORDERS} return orders.map((o) => Math.trunc(o.total));`,
  ],
  [
    'more decimals than money has',
    `${ORDERS} let sum = 0; for (const o of orders) sum += o.total; return Math.round(sum * 100) / 100;`,
    `${ORDERS} let sum = 0; for (const o of orders) sum += Math.round(o.total * 100) / 100; return Math.round(sum * 100) / 100;`,
  ],
  [
    'times with seconds',
    `${EVENTS} return items.map((e) => (new Date(e.end) - new Date(e.start)) / 60000);`,
    `${EVENTS} return items.map((e) => Math.round((Date.parse(e.end) - Date.parse(e.start)) / 60000));`,
  ],
  // Texts.
  [
    'signs in a slug',
    `${TICKETS} return tickets.map((t) => t.title.toLowerCase().replace(/[^a-z0-9]+/g, "-"));`,
    `${TICKETS} return tickets.map((t) => t.title.toLowerCase().replace(/\\s+/g, "-"));`,
  ],
  [
    'letters with accents',
    `${TICKETS} return tickets.map((t) => t.title.replace(/[^\\w ]/g, ""));`,
    `${TICKETS} return tickets.map((t) => t.title.replace(/[^\\p{L}\\p{N}_ ]/gu, ""));`,
  ],
  [
    'signs of two units',
    `${TICKETS} return tickets.map((t) => t.title.length);`,
    `${TICKETS} return tickets.map((t) => [...t.title].length);`,
  ],
  [
    'the order of signs',
    `${TICKETS} return tickets.map((t) => t.title).sort((a, b) => a.localeCompare(b));`,
    `${TICKETS} return tickets.map((t) => t.title).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));`,
  ],
  [
    'separators in quotes',
    `${TEXT} return text.split("\\n").slice(1).map((line) => line.split(",")[1]);`,
    `${TEXT} return text.split("\\n").slice(1).map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[1]);`,
  ],
  // Branches that no world takes.
  [
    'the order of the same writes in a branch not taken',
    `${ACCOUNT} if (account.id === "b" && account.balance > 1e9) { ${post('"rich"')} ${TRANSFER} } else { ${TRANSFER} ${post('"paid"')} } return 1;`,
    `${ACCOUNT} if (account.id === "b" && account.balance > 1e9) { ${TRANSFER} ${post('"rich"')} } else { ${TRANSFER} ${post('"paid"')} } return 1;`,
  ],
];

for (const [title, one, other] of PAIRS)
  test(`apart: ${title}`, async () => {
    const [first, second] = await learnBoth(one, other);
    assert.notEqual(second, first);
  });

const SAME: readonly [title: string, one: string, other: string][] = [
  [
    'of days',
    `${NOW} ${post('now.toISOString().slice(0, 10)')}`,
    `const day = new Date().toISOString().split("T")[0]; ${post('day')}`,
  ],
  [
    'of texts',
    `${TICKETS} return tickets.map((t) => t.title.toUpperCase() + "!");`,
    `${TICKETS} const out = []; for (const { title } of tickets) out.push(\`\${title.toUpperCase()}!\`); return out;`,
  ],
  [
    'of sums',
    `${ORDERS} return Math.round(orders.reduce((sum, o) => sum + o.total, 0));`,
    `${ORDERS} let sum = 0; for (let i = orders.length - 1; i >= 0; i--) sum += orders[i].total; return Math.round(sum);`,
  ],
  [
    'of writes at several places',
    `${ACCOUNT} if (account.balance > 1000) { ${post('"rich"')} } else { ${post('"poor"')} } return 1;`,
    `${ACCOUNT} const isRich = account.balance > 1000; if (!isRich) { ${post('"poor"')} } else { ${post('"rich"')} } return 1;`,
  ],
];

for (const [title, one, other] of SAME)
  test(`one: two ways of writing ${title}`, async () => {
    const [first, second] = await learnBoth(one, other);
    assert.equal(second, first);
  });
