import path from 'node:path';

export interface Program {
  intent: string;
  /** Without one the capability waits in the inbox. */
  name?: string;
  code: string;
  /** Its results are kept, and answered without running it again. */
  isCached?: boolean;
  args: (files: string) => Record<string, unknown>;
}

const READ = `const file = await mcp.filesystem.read_text_file({ path: args.path });
const text = String(file.content ?? file);
`;
const LIST = `const listing = await mcp.filesystem.list_directory({ path: args.folder });
const names = String(listing.content ?? listing)
  .split('\\n')
  .map((line) => line.replace(/^\\[\\w+\\] /, ''))
  .filter(Boolean);
`;
const SIZES = `const infos = await Promise.all(
  names.map((name) => mcp.filesystem.get_file_info({ path: \`\${args.folder}/\${name}\` })),
);
const sizes = infos.map((info) => Number(/size: (\\d+)/.exec(String(info.content ?? info))?.[1] ?? 0));
`;

const folder = (files: string) => ({ folder: files });
const file = (name: string) => (files: string) => ({ path: path.join(files, name) });

/** The second version of shop:folder_size. */
export const SUM_SIZES_SORTED = `${LIST}${SIZES}console.log(\`\${names.length} files\`);
const files = names
  .map((name, at) => ({ name, size: sizes[at] }))
  .sort((a, b) => b.size - a.size);
return { total: sizes.reduce((sum, size) => sum + size, 0), files };`;

export const PROGRAMS: readonly Program[] = [
  {
    intent: 'add up the sizes of all files in a folder',
    name: 'shop:folder_size',
    code: `${LIST}${SIZES}return { total: sizes.reduce((sum, size) => sum + size, 0) };`,
    args: folder,
  },
  {
    intent: 'total revenue of the orders in a CSV file',
    name: 'orders:revenue',
    code: `${READ}const rows = text.trim().split('\\n').slice(1).map((line) => line.split(',').map(Number));
return rows.reduce((sum, [, price, amount]) => sum + price * amount, 0);`,
    isCached: true,
    args: file('desk.csv'),
  },
  {
    intent: 'count the lines of a text file',
    code: `${READ}return { lines: text.split('\\n').length };`,
    args: file('notes.md'),
  },
  {
    intent: 'remember everyone on the staff list as a person',
    name: 'staff:remember',
    code: `${READ}const people = JSON.parse(text);
await mcp.memory.create_entities({
  entities: people.map(({ name, role }) => ({ name, entityType: 'person', observations: [role] })),
});
return people.length;`,
    args: file('staff.json'),
  },
  {
    intent: 'find who on the staff has a role',
    name: 'staff:find',
    code: `return await mcp.memory.search_nodes({ query: args.role });`,
    args: () => ({ role: 'buyer' }),
  },
  {
    intent: 'find the most expensive order of a product',
    code: `${READ}const rows = text.trim().split('\\n').slice(1).map((line) => line.split(',').map(Number));
return rows.sort((a, b) => b[1] - a[1])[0];`,
    args: file('lamp.csv'),
  },
  {
    intent: 'list the names of all products that have an order file',
    name: 'shop:products',
    code: `${LIST}return names.filter((name) => name.endsWith('.csv')).map((name) => name.slice(0, -4));`,
    args: folder,
  },
  {
    intent: 'revenue of every product, highest first',
    name: 'shop:revenue_by_product',
    code: `const products = await mcp["shop:products"]({ folder: args.folder });
const revenues = await Promise.all(
  products.map((name) => mcp["orders:revenue"]({ path: \`\${args.folder}/\${name}.csv\` })),
);
return products.map((name, at) => ({ name, revenue: revenues[at] })).sort((a, b) => b.revenue - a.revenue);`,
    args: folder,
  },
  {
    intent: 'greet a customer by name',
    code: `return await mcp.everything.echo({ message: \`Welcome back, \${args.customer}\` });`,
    args: () => ({ customer: 'Chen' }),
  },
  {
    intent: 'which notes mention a word',
    name: 'notes:mentions',
    code: `${READ}return text.split('\\n').filter((line) => line.toLowerCase().includes(args.word.toLowerCase()));`,
    args: (files) => ({ ...file('notes.md')(files), word: 'rugs' }),
  },
  {
    intent: 'average order of a product',
    code: `${READ}const prices = text.trim().split('\\n').slice(1).map((line) => Number(line.split(',')[1]));
return prices.reduce((sum, price) => sum + price, 0) / prices.length;`,
    args: file('rug.csv'),
  },
  {
    intent: 'how many files does the shop folder have',
    name: 'shop:count_files',
    isCached: true,
    code: `${LIST}return names.length;`,
    args: folder,
  },
];
