/** Measures the analysis of a typical program. Prints a table and one line of JSON. */
import { parseSync } from 'oxc-parser';
import { resolveReferences } from '../src/code/index.ts';
import {
  createLookup,
  findReferences,
  generalise,
  hashOf,
  inferParametersSchema,
  parse,
  rewriteReferences,
  toFunctionBody,
} from '../src/code/testing.ts';
import { benchOptions } from './support/options.ts';

const HELP = `node bench/code.ts [--smoke] [--json]
Measures the analysis of a typical program against oxc parsing the same text in the same run.
`;
const values = benchOptions(HELP, {});
const [rounds, warmUp] = values.smoke ? [3, 1] : [500, 100];

const SOURCE = `// Collect the open issues of a repository and write a report
interface Issue { number: number; title: string; labels: { name: string }[] }
const owner = 'acme';
const repo = 'webapp';
const { github, filesystem } = mcp;
const issues: Issue[] = await github.list_issues({ owner, repo, state: 'open', per_page: 50 });
const byLabel = new Map<string, Issue[]>();
for (const issue of issues) {
  for (const { name } of issue.labels ?? []) {
    const known = byLabel.get(name) ?? [];
    byLabel.set(name, [...known, issue]);
  }
}
const details = await Promise.all(
  issues.slice(0, args.limit ?? 10).map(async (issue) => {
    try {
      const comments = await mcp.github.getIssueComments({ owner, repo, issue_number: issue.number });
      return { ...issue, comments: comments.length };
    } catch (error) {
      console.log(\`skipped \${issue.number}\`, error);
      return { ...issue, comments: 0 };
    }
  }),
);
const lines = details.map(({ number, title, comments }) => \`- #\${number} \${title} (\${comments})\`);
const summary = [...byLabel].map(([label, list]) => \`\${label}: \${list.length}\`).join('\\n');
const path = 'reports/issues.md';
await filesystem.write_file({ path, content: \`# Issues\\n\${lines.join('\\n')}\\n\${summary}\` });
const rows = await mcp.postgres.query({ sql: 'SELECT count(*) FROM issues WHERE repo = $1', params: [repo] });
await mcp['slack:post_message']({ channel: '#dev', text: \`Report: \${issues.length}\` });
return { count: issues.length, rows, path };
`;
const NAMES = [
  'github:list_issues',
  'github:get_issue_comments',
  'filesystem:write_file',
  'postgres:query',
  'slack:post_message',
];
const LOOKUP = createLookup(new Map(NAMES.map((name) => [name, name])));
const SAVED = new Map([['github:getIssueComments', 'local.default.github.comments.a7f3']]);
const toolSchema = (): undefined => undefined;
const PARSED = parse(SOURCE);

/** The steps of `pml_execute` before a run, and after a successful one. */
function before(): void {
  const program = parse(SOURCE);
  resolveReferences(findReferences(program), LOOKUP);
  toFunctionBody(program);
}

function after(): string {
  const { code, parameters } = generalise(parse(SOURCE), { toolSchema });
  const saved = parse(rewriteReferences(code, SAVED));
  inferParametersSchema(saved, { parameters, toolSchema });
  return hashOf(saved);
}

const STEPS: Record<string, () => unknown> = {
  'oxc alone': () =>
    parseSync('a.ts', SOURCE, { lang: 'ts', sourceType: 'module', showSemanticErrors: true }).program,
  parse: () => parse(SOURCE),
  'parse, find and resolve calls': () => resolveReferences(findReferences(parse(SOURCE)), LOOKUP),
  'parse and strip types': () => toFunctionBody(parse(SOURCE)),
  'parse and generalise': () => generalise(parse(SOURCE), { toolSchema }),
  'parse and hash': () => hashOf(SOURCE),
  'hash what is parsed': () => hashOf(PARSED),
  'parse, analyse, generalise, hash': () => {
    const program = parse(SOURCE);
    resolveReferences(findReferences(program), LOOKUP);
    return hashOf(generalise(program, { toolSchema }).code);
  },
  'all before a run': before,
  'all after a run': after,
};

/** Runs all steps in rounds, so that other load on the machine affects them alike. */
const times = new Map(Object.keys(STEPS).map((step) => [step, [] as number[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const [step, run] of Object.entries(STEPS)) {
    const start = performance.now();
    run();
    if (round >= warmUp) times.get(step)?.push(performance.now() - start);
  }
}

const figures = [...times].map(([step, each]) => ({
  step,
  ms: each.sort((a, b) => a - b)[each.length >> 1] as number,
}));
const base = figures[0]?.ms ?? 1;
if (!values.json)
  console.table(
    Object.fromEntries(
      figures.map(({ step, ms }) => [step, { ms: ms.toFixed(2), 'times oxc alone': (ms / base).toFixed(1) }]),
    ),
  );
console.log(JSON.stringify({ bench: 'code', lines: SOURCE.split('\n').length - 1, figures }));
