import type { Draft } from './draft.ts';

/** Writes a few statements with their data. */
export type Fragment = (draft: Draft) => void;

/** Lists something, and gives the expression of the items. */
function listed(draft: Draft, more = ''): string {
  const { choices } = draft;
  const project = draft.hole('project', choices.one(['plain', 'word']));
  const found = draft.name('found');
  draft.add(`const ${found} = await mcp.api.list({ project: ${project.use}${more} });`);
  return choices.one([`${found}.items`, `(${found}.items ?? [])`]);
}

const dryRun: Fragment = (draft) => {
  const dry = draft.hole('dryRun', 'flag');
  const items = listed(draft, `, dry_run: ${dry.use}`);
  const each = draft.choices.one([`x.path`, `"old/" + x.id`]);
  const del = `await mcp.api.del({ path: ${each} });`;
  draft.add(
    draft.choices.one([
      `if (!${dry.use}) for (const x of ${items}) ${del}`,
      `for (const x of ${items}) {\n  if (${dry.use}) continue;\n  ${del}\n}`,
      `for (const x of ${dry.use} ? [] : ${items}) ${del}`,
      `for (const x of ${items}) if (${dry.use} === false) ${del}`,
    ]),
  );
  draft.result(dry.use, draft.choices.one(['dryRun', 'dry_run']));
};

const guardedTransfer: Fragment = (draft) => {
  const [from, to, amount] = [
    draft.hole('from', 'word'),
    draft.hole('to', 'word'),
    draft.hole('amount', 'large'),
  ];
  const account = draft.name('account');
  draft.add(`const ${account} = await mcp.api.get({ id: ${from.use} });`);
  const keep = draft.choices.one(['', ` + ${draft.hole('keep', 'large').use}`, '']);
  const total = `${account}.total`;
  draft.add(
    draft.choices.one([
      `if (${total} < ${amount.use}${keep}) throw new Error(${amount.text('needs ', '')});`,
      `if (!(${total} >= ${amount.use}${keep})) return { short: ${amount.use} };`,
      `if (${total} - ${amount.use} < 0) throw new Error('too little');`,
    ]),
  );
  const moved = draft.name('moved');
  draft.add(
    `const ${moved} = await mcp.bank.transfer({ from: ${from.use}, to: ${to.use}, amount: ${amount.use} });`,
  );
  draft.result(amount.text('moved ', ` to ${draft.choices.one(['it', 'them'])}`));
};

const textGuard: Fragment = (draft) => {
  const file = draft.hole('file', 'folder');
  const f = file.use.startsWith('«') ? draft.name('f') : file.use;
  if (f !== file.use) draft.add(`const ${f} = ${file.use};`);
  const prefix = draft.choices.maybe(85) ? draft.hole('prefix', 'prefix').use : undefined;
  const test = draft.choices.one([
    `!${f}.startsWith(${prefix})`,
    `!${f}.endsWith(${prefix})`,
    `!${f}.includes(${prefix})`,
    `${f}.slice(0, ${prefix}.length) !== ${prefix}`,
    `${f}.indexOf(${prefix}) < 0`,
  ]);
  draft.add(
    `if (${prefix ? test : `!${f}`}) ${draft.choices.one([`return 'outside';`, `throw new Error('outside ' + ${f});`])}`,
    `await mcp.fs.move({ source: ${f}, target: ${draft.choices.one([`${f} + '.old'`, `"/old" + ${f}`])} });`,
  );
  draft.result(f);
};

const derivedPath: Fragment = (draft) => {
  const items = listed(draft);
  const project = draft.hole('project', 'plain');
  const path = project.text('', draft.choices.one(['/items/', '/', ':', '-']));
  draft.add(`for (const x of ${items}) await mcp.api.del({ path: ${path} + x.id });`);
  draft.result(project.text('in ', ''));
};

const idsInAddress: Fragment = (draft) => {
  const id = draft.hole('id', draft.choices.one(['word', 'large', 'digits']));
  const page = draft.name('page');
  draft.add(`const ${page} = await mcp.web.fetch({ url: ${id.text('https://x.example/runs/', '/log')} });`);
  draft.result(`[${page}.version, ${id.use}]`);
};

const report: Fragment = (draft) => {
  const [city, days] = [draft.hole('city', 'word'), draft.hole('days', 'small')];
  const report = draft.name('report');
  draft.add(
    `async function ${report}(c, d) {`,
    `  const { items } = await mcp.api.list({ project: c, limit: d });`,
    `  return \`\${c}: \${(items ?? []).length} in \${d} days\`;`,
    '}',
  );
  draft.result(`await ${report}(${city.use}, ${days.use})`);
};

const eachPosted: Fragment = (draft) => {
  const cities = draft.hole('cities', 'words');
  const [out, c] = [draft.name('out'), draft.name('c')];
  const channel = draft.hole('channel', 'word');
  const post = `mcp.chat.post({ channel: ${channel.use}, text: \`\${${c}}: ok\` })`;
  draft.add(
    draft.choices.one([
      `const ${out} = [];\nfor (const ${c} of ${cities.use}) ${out}.push((await ${post}).ts);`,
      `const ${out} = await Promise.all(${cities.use}.map((${c}) => ${post}));`,
      `const ${out} = await Promise.all(Array.from(${cities.use}, (${c}) => ${post}));`,
      `const ${out} = [];\nfor (let i = 0; i < ${cities.use}.length; i += 1) { const ${c} = ${cities.use}[i]; ${out}.push(await ${post}); }`,
      `const ${out} = await ${cities.use}.reduce(async (before, ${c}) => [...(await before), await ${post}], Promise.resolve([]));`,
    ]),
  );
  draft.result(`[${out}.length, ${cities.use}.length]`);
};

const queueWalk: Fragment = (draft) => {
  const [root, most, end] = [
    draft.hole('root', 'folder'),
    draft.hole('most', 'small'),
    draft.hole('ending', 'prefix'),
  ];
  const [queue, seen, entries] = [draft.name('queue'), draft.name('seen'), draft.name('entries')];
  const left = draft.name('left');
  const list = `const { entries: ${entries} } = await mcp.fs.list({ path: dir });`;
  const each = `for (const e of ${entries} ?? []) if (e.type === 'dir') ${queue}.push(dir + '/' + e.name); else if (e.name.endsWith(${end.use})) ${seen}.push(e.name);`;
  draft.add(`const ${queue} = [${root.use}];`, `const ${seen} = [];`);
  draft.add(
    draft.choices.one([
      `for (const dir of ${queue}) {\n  if (${seen}.length >= ${most.use}) break;\n  ${list}\n  ${each}\n}`,
      `let ${left} = ${most.use};\nwhile (${queue}.length > 0 && ${left}-- > 0) {\n  const dir = ${queue}.shift();\n  ${list}\n  ${each}\n}`,
      `for (let dir = ${queue}.pop(); dir !== undefined; dir = ${queue}.pop()) {\n  ${list}\n  ${each}\n}`,
    ]),
  );
  draft.result(`{ at: ${root.use}, ${seen} }`);
};

const lengths: Fragment = (draft) => {
  const tags = draft.hole('tags', 'words');
  const id = draft.hole('id', 'word');
  const one = draft.name('one');
  draft.add(`const ${one} = await mcp.api.get({ id: ${id.use} });`);
  draft.add(
    `await mcp.api.tag({ id: ${id.use}, tags: ${draft.choices.one([tags.use, `[...${tags.use}, ...(${one}.tags ?? [])]`, `${tags.use}.filter((t) => !${one}.tags?.includes(t))`])} });`,
  );
  draft.result(`[${one}?.tags?.length ?? 0, ${tags.use}.length]`);
};

const keyOrder: Fragment = (draft) => {
  const [z, a] = [draft.hole('z', 'word'), draft.hole('a', 'word')];
  const path = draft.hole('out', 'folder');
  draft.add(
    `await mcp.fs.write({ path: ${path.text('', '/pair.json')}, content: JSON.stringify({ z: ${z.use}, a: ${a.use} }) });`,
  );
  draft.result(`JSON.stringify({ z: ${z.use}, a: ${a.use} })`);
};

const filtered: Fragment = (draft) => {
  const status = draft.hole('state', 'common');
  const least = draft.hole('least', draft.choices.one(['large', 'small']));
  const items = draft.choices.maybe(50) ? listed(draft) : listed(draft, `, state: ${status.use}`);
  const hits = draft.name('hits');
  draft.add(
    `const ${hits} = ${items}.filter((x) => ${draft.choices.one([
      `x.state === ${status.use}`,
      `x.total > ${least.use}`,
      `x.total >= ${least.use} && x.state !== ${status.use}`,
      `![${status.use}].includes(x.state)`,
      `x.total * 11 > ${least.use}`,
    ])});`,
  );
  if (draft.choices.maybe(50)) draft.add(`if (${hits}.length === 0) return 'none';`);
  draft.result(
    draft.choices.one([
      `${hits}.map((x) => x.id)`,
      `${hits}.length + ${status.text(' are ', '')}`,
      `{ [${status.use}]: ${hits}.length }`,
    ]),
  );
};

const retried: Fragment = (draft) => {
  const [url, tries] = [draft.hole('url', 'word'), draft.hole('tries', 'small')];
  const [got, n] = [draft.name('got'), draft.choices.one(['i', 'attempt', 'n'])];
  draft.add(
    `let ${got};`,
    draft.choices.one([
      `for (let ${n} = 0; ${n} < ${tries.use}; ${n}++) {`,
      `for (let ${n} = 1; ${n} <= ${tries.use}; ${n} += 1) {`,
    ]),
    `  try { ${got} = await mcp.web.fetch({ url: ${url.use} + '?try=' + ${n} }); break; }`,
    `  catch (error) { ${draft.choices.one([`if (${n} === ${tries.use} - 1) throw error;`, `${got} = { failed: ${tries.text('after ', ' tries')} };`])} }`,
    '}',
  );
  draft.result(got);
};

const paged: Fragment = (draft) => {
  const [query, most] = [draft.hole('query', 'word'), draft.hole('pages', 'small')];
  const [all, page, next] = [draft.name('all'), draft.name('page'), draft.name('next')];
  draft.add(`const ${all} = [];`);
  draft.add(
    draft.choices.one([
      `let ${next} = 0;\nfor (let p = 0; p < ${most.use} && ${next} !== null; p += 1) {\n  const ${page} = await mcp.api.page({ query: ${query.use}, cursor: ${next} });\n  ${all}.push(...(${page}.items ?? []));\n  ${next} = ${page}.next ?? null;\n}`,
      `for (const p of Array.from({ length: ${most.use} }, (_, i) => i + 1)) ${all}.push(...((await mcp.api.page({ query: ${query.use}, page: p })).items ?? []));`,
      `for (let ${next} = 1; ${next}; ) {\n  const ${page} = await mcp.api.page({ query: ${query.text('', ' sort:new')}, page: ${next} });\n  ${all}.push(...(${page}.items ?? []));\n  ${next} = ${all}.length > ${most.use} * 10 ? 0 : ${page}.next;\n}`,
    ]),
  );
  draft.result(
    draft.choices.one([
      `${all}.length`,
      `${all}.slice(0, ${most.use}).map((x) => x.id)`,
      `[${all}.length, ${most.use}]`,
    ]),
  );
};

const switched: Fragment = (draft) => {
  const kind = draft.hole('kind', 'common');
  const k = kind.use.startsWith('«') ? draft.name('kind') : kind.use;
  if (k !== kind.use) draft.add(`const ${k} = ${kind.use};`);
  const items = listed(draft);
  const [say, known] = [draft.name('say'), draft.name('known')];
  const [one, two] = draft.choices.shuffled(['"open"', '"csv"', '"closed"']) as [string, string];
  draft.add(
    `let ${say} = 'nothing';`,
    draft.choices.one([
      `switch (${k}) {\n  case ${one}: ${say} = ${items}.length; break;\n  case ${two}: await mcp.api.del({ path: ${k} }); break;\n}`,
      `if (${k} === ${one}) ${say} = ${items}.length;\nelse if (${two} === ${k}) await mcp.api.del({ path: 'x' });`,
      `if ([${one}, ${two}].includes(${k})) ${say} = ${items}.length;`,
      `const ${known} = [${one}, ${two}];\nif (!${known}.includes(${k})) throw new Error(${kind.text('not ', '')});`,
      `${say} = { open: 'Open it', csv: 'Rows', closed: 'Shut' }[${k}];`,
    ]),
  );
  draft.result(`[${say}, ${k}]`);
};

const limited: Fragment = (draft) => {
  const limit = draft.hole('limit', 'small');
  const items = listed(draft, draft.choices.one(['', `, limit: ${limit.use}`]));
  draft.result(
    draft.choices.one([
      `${items}.slice(0, ${limit.use}).map((x) => x.name)`,
      `${items}.length > ${limit.use} ? ${limit.text('more than ', '')} : ${items}.length`,
      `(${limit.use} ? ${items}.slice(0, ${limit.use}) : ${items}).length`,
      `Math.min(${items}.length, ${limit.use})`,
      `${items}.map((x) => x.id).slice(0, ${limit.use} || 100)`,
    ]),
  );
};

const converted: Fragment = (draft) => {
  const [id, least] = [draft.hole('id', 'word'), draft.hole('least', 'digits')];
  const one = draft.name('one');
  draft.add(`const ${one} = await mcp.api.get({ id: ${id.use} });`);
  draft.result(
    draft.choices.one([
      `${one}.total < Number(${least.use}) ? Number(${least.use}) - ${one}.total : 0`,
      `[${one}.total >= parseInt(${least.use}, 10), ${least.use}.padStart(4, '0')]`,
      `${one}.total * 60 > +${least.use}`,
    ]),
  );
};

const dated: Fragment = (draft) => {
  const [day, days] = [draft.hole('start', 'date'), draft.hole('days', 'small')];
  const [at, got] = [draft.name('at'), draft.name('got')];
  draft.add(
    `const ${at} = new Date(${day.use});`,
    draft.choices.one([
      `${at}.setUTCDate(${at}.getUTCDate() - ${days.use});`,
      `${at}.setTime(${at}.getTime() + ${days.use} * 86400000);`,
      `${at}.setUTCHours(${days.use});`,
    ]),
    `const ${got} = await mcp.api.page({ query: ${day.text('since:', draft.choices.one(['', 'T00:00:00Z']))}, page: 1 });`,
  );
  draft.result(`[${at}.toISOString().slice(0, 10), ${day.use}.slice(0, 7), ${got}.items?.length]`);
};

const keyed: Fragment = (draft) => {
  const [field, id] = [draft.hole('field', draft.choices.one(['plain', 'common'])), draft.hole('id', 'word')];
  const [one, all] = [draft.name('one'), draft.name('all')];
  draft.add(
    `const ${one} = await mcp.api.get({ id: ${id.use} });`,
    `const ${all} = {};`,
    `${all}[${field.use}] = ${one}.name;`,
  );
  draft.result(
    draft.choices.one([
      `{ ...${all}, [${field.use}]: ${id.use} }`,
      `Object.keys(${all})`,
      `${all}[${field.use}] ?? ${field.text('no ', '')}`,
    ]),
  );
};

const passedTwice: Fragment = (draft) => {
  const [source, word] = [draft.hole('source', 'folder'), draft.hole('word', 'plain')];
  const text = draft.name('text');
  draft.add(
    `const { text: ${text} } = await mcp.fs.read({ path: ${source.use} });`,
    `const lines = (${text} ?? '').split('\\n').filter((line) => ${draft.choices.one([`line.includes(${word.use})`, `line.startsWith(${word.use})`, `line.split(' ')[0] === ${word.use}`])});`.replaceAll(
      'lines',
      draft.name('lines'),
    ),
    `await mcp.fs.write({ path: ${source.text('', '.out')}, content: ${word.text('# ', '')} });`,
  );
  draft.result(draft.choices.one([source.use, word.text('', ' lines')]));
};

export const FRAGMENTS: readonly Fragment[] = [
  dryRun,
  guardedTransfer,
  textGuard,
  derivedPath,
  idsInAddress,
  report,
  eachPosted,
  queueWalk,
  lengths,
  keyOrder,
  filtered,
  retried,
  paged,
  switched,
  limited,
  converted,
  dated,
  keyed,
  passedTwice,
];
