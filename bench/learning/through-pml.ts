import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Choices } from '../../src/testing/programs/choices.ts';
import { PLAIN_STYLE, type Procedure } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import { Home } from '../support/home.ts';
import { type Data, type Item, procedureOf, skeletonOf } from './data.ts';
import { holds, loginSchema, secretProcedures } from './secrets.ts';
import { variedStyle } from './styles.ts';

export interface GatewayReport {
  readonly items: number;
  readonly literalReuse: number;
  readonly variedReuse: number;
  readonly ceiling: number;
  readonly one: number;
  readonly warned: number;
  readonly unmentioned: number;
  readonly failed: number;
  readonly wrongMerges: string[];
  readonly secretsTried: number;
  /** Secrets found in a file of the home after the daemon was stopped. */
  readonly secretsInHome: string[];
}

interface Answer {
  readonly status: string;
  readonly capabilityFqdn?: string;
  readonly warnings?: readonly string[];
}

/** Sends programs to a real PML whose servers answer from the record. */
export async function measureThroughPml(data: Data, count: number): Promise<GatewayReport> {
  const items = sample(data.items, count);
  const bed = new Bed(data);
  try {
    await bed.connect();
    const lived = [];
    for (const item of items) lived.push(await livePair(bed, item));
    const { tried, found } = await trySecrets(bed, data, Math.min(count, 60));
    return { ...figures(lived), secretsTried: tried, secretsInHome: found };
  } finally {
    await bed.close();
  }
}

interface LivedPair {
  readonly skeleton: string;
  readonly behaviour: string;
  readonly literal: Answer;
  readonly varied: Answer;
}

async function livePair(bed: Bed, item: Item): Promise<LivedPair> {
  const procedure = procedureOf(item, 'link');
  const choices = Choices.seeded(`gateway ${item.id}`);
  const plain = writeProgram(procedure, PLAIN_STYLE, choices);
  const varied = writeProgram(procedure, variedStyle(choices), choices);
  const skeleton = skeletonOf(procedure);
  return {
    skeleton,
    behaviour: `${skeleton} ${varied.behaviour}`,
    literal: await bed.execute(item, procedure, plain.source),
    varied: await bed.execute(item, procedure, varied.source),
  };
}

function figures(lived: readonly LivedPair[]): Omit<GatewayReport, 'secretsTried' | 'secretsInHome'> {
  const skeletons = new Set(lived.map(({ skeleton }) => skeleton)).size;
  const reuse = (kinds: readonly (string | undefined)[]) =>
    (lived.length - new Set(kinds.map((kind, at) => kind ?? `none ${at}`)).size) / (lived.length - skeletons);
  const isOne = ({ literal, varied }: LivedPair) =>
    varied.capabilityFqdn !== undefined && literal.capabilityFqdn === varied.capabilityFqdn;
  const others = lived.filter((pair) => !isOne(pair));
  // A capability that an earlier program made is not warned of again.
  const isFirst = (pair: LivedPair) =>
    pair === lived.find(({ varied }) => varied.capabilityFqdn === pair.varied.capabilityFqdn);
  const isWarned = ({ varied }: LivedPair) =>
    varied.warnings?.some((text) => text.includes('the same calls'));
  const warned = others.filter((pair) => isWarned(pair) || (pair.varied.capabilityFqdn && !isFirst(pair)));
  const all = lived.flatMap(({ literal, varied, skeleton }) =>
    [literal, varied].map(({ capabilityFqdn }) => ({ capabilityFqdn, skeleton })),
  );
  const merged = [...Map.groupBy(all, ({ capabilityFqdn }) => capabilityFqdn)].flatMap(([fqdn, same]) => {
    const kinds = [...new Set(same.map(({ skeleton }) => skeleton))];
    return fqdn !== undefined && kinds.length > 1 ? [`${fqdn}: ${kinds.join(' and ')}`] : [];
  });
  return {
    items: lived.length,
    literalReuse: reuse(lived.map(({ literal }) => literal.capabilityFqdn)),
    variedReuse: reuse(lived.map(({ varied }) => varied.capabilityFqdn)),
    ceiling: reuse(lived.map(({ behaviour }) => behaviour)),
    one: lived.length - others.length,
    warned: warned.length,
    unmentioned: others.length - warned.length,
    failed: lived.filter(({ literal, varied }) =>
      [literal, varied].some(({ status }) => status !== 'success'),
    ).length,
    wrongMerges: merged,
  };
}

/** Passes secrets in many styles, stops the daemon, and looks for them in every file of the home. */
async function trySecrets(bed: Bed, data: Data, count: number): Promise<{ tried: number; found: string[] }> {
  const secrets: string[] = [];
  for (const kind of ['password', 'card_number', 'api_key']) {
    const tries = [...secretProcedures(data, kind, 60)];
    const stride = Math.max(1, Math.floor((tries.length * 3) / count));
    for (const { item, procedure, style, choices, secret } of tries.filter((_, at) => at % stride === 0)) {
      await bed.execute(item, procedure, writeProgram(procedure, style, choices).source);
      secrets.push(String(secret));
    }
  }
  const texts = await bed.stoppedHome();
  return {
    tried: secrets.length,
    found: secrets.filter((secret) => texts.some((text) => holds(text, secret))),
  };
}

/** A PML with one server for each of the record. */
class Bed {
  readonly #home: Home;
  readonly #client = new Client({ name: 'bench', version: '1' });
  readonly #answers: string;

  constructor(data: Data) {
    const folder = new Home({});
    this.#home = folder;
    this.#answers = join(folder.dir, 'answers.json');
    const tools = join(folder.dir, 'tools.jsonl');
    const vault = { server: 'vault', name: 'login', description: 'Log in.', inputSchema: loginSchema() };
    writeFileSync(tools, [...data.tools.values(), vault].map((tool) => JSON.stringify(tool)).join('\n'));
    const program = fileURLToPath(new URL('../fixtures/record-stdio.ts', import.meta.url));
    const names = [...new Set([...data.tools.values()].map(({ server }) => server)), 'vault'];
    folder.configure(
      Object.fromEntries(
        names.map((name) => [
          name,
          { command: process.execPath, args: [program, name, tools, this.#answers] },
        ]),
      ),
    );
  }

  async connect(): Promise<void> {
    await this.#client.connect(
      new StdioClientTransport({ ...this.#home.command('serve'), stderr: 'ignore' }),
    );
  }

  async execute(item: Item, { calls }: Procedure, code: string): Promise<Answer> {
    const byTool = Map.groupBy(calls, ({ server, tool }) => `${server}:${tool}`);
    const answers = Object.fromEntries(
      [...byTool].map(([name, same]) => [name, same.map(({ result }) => result)]),
    );
    writeFileSync(this.#answers, JSON.stringify({ id: `${item.id} ${Math.random()}`, answers }));
    // The first line of the intent alone: what a user says may quote the secrets that the data holds.
    const asked = { name: 'pml_execute', arguments: { intent: item.intent.split('\n')[0], code } };
    const { structuredContent } = await this.#client.callTool(asked);
    return structuredContent as unknown as Answer;
  }

  /** Stops the daemon and reads every file that it left. */
  async stoppedHome(): Promise<string[]> {
    await this.#client.close();
    await this.#home.down();
    const root = join(this.#home.dir, 'home');
    return globSync('**/*', { cwd: root })
      .map((name) => join(root, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'));
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#home.close();
  }
}

/** Whole skeletons first, so that a sample holds items that should be one capability. */
function sample(items: readonly Item[], count: number): Item[] {
  const groups = [...Map.groupBy(items, (item) => skeletonOf(procedureOf(item, 'link'))).values()];
  return groups
    .sort((a, b) => b.length - a.length)
    .flat()
    .slice(0, count);
}
