import type { NameIndex } from '../../src/access/index.ts';
import type { Member } from '../../src/workspace/index.ts';
import {
  type AgentClient,
  type GatewayBed,
  openGatewayBed,
  rightsServer,
} from '../../test/support/gateway-bed.ts';
import { percentile } from '../support/stats.ts';

const SERVERS_OF_AN_AGENT = 5;
const LOOKUPS = 20_000;
const ROUNDS = 15;
const CALLS = 300;

export interface Row {
  agents: number;
  /** Microseconds of processor time to find a tool that an agent may call. */
  authoriseUs: number;
  /** Microseconds of processor time to find that an agent may not call a tool. */
  denyUs: number;
  /** Microseconds of a whole call. */
  callUs: number;
  /** Milliseconds of processor time to resolve an agent and to make what it reaches, at its first use. */
  firstUseMs: number;
  /** Kilobytes of an agent that has been used; undefined if the memory cannot be measured. */
  memoryKb: number | undefined;
}

interface Size {
  tools: number;
  servers: number;
  /** The numbers of agents to measure with, in ascending order. */
  agents: readonly number[];
}

export async function measureAccess({ tools, servers, agents }: Size): Promise<Row[]> {
  const each = tools / servers;
  const names = Array.from({ length: servers }, (_, at) => `server${at}`);
  const toolsOf = Array.from({ length: each }, (_, at) => `tool_${at}`);
  const bed = await openGatewayBed({
    mcpServers: Object.fromEntries(names.map((name) => [name, rightsServer(name, toolsOf)])),
  });
  const most = Math.max(...agents);
  for (let at = 0; at < most; at++) bed.declare(`agent${at}`, capabilitiesOf(at, names, toolsOf));
  const client = await bed.connect({ agent: 'agent0' });
  await client.toolNames();
  const members: Member[] = [];
  const rows: Row[] = [];
  for (const count of agents) {
    const before = heapKb();
    const had = members.length;
    const began = cpuMs();
    while (members.length < count) members.push(join(bed, members.length));
    const firstUseMs = (cpuMs() - began) / (count - had);
    const after = heapKb();
    const memoryKb =
      before === undefined || after === undefined ? undefined : (after - before) / (count - had);
    rows.push({ agents: count, firstUseMs, memoryKb, ...(await measureCalls(bed, client, members)) });
  }
  await bed.close();
  return rows;
}

/** Every second agent has some tools of its servers, the others have all. */
function capabilitiesOf(at: number, names: readonly string[], tools: readonly string[]): object {
  const own = Array.from(
    { length: SERVERS_OF_AN_AGENT },
    (_, n) => names[(at + n * 3) % names.length] as string,
  );
  const some = tools.filter((_, n) => n % 10 === at % 10);
  return Object.fromEntries(own.map((name) => [name, at % 2 === 0 ? {} : { tools: some }]));
}

/** Opens an agent as a session does, and makes what it reaches. */
function join({ gateway: { workspace }, user }: GatewayBed, at: number): Member {
  const agent = workspace.agent(`agent${at}`, user);
  const member: Member = {
    who: agent.who,
    agent,
    logLevel: undefined,
    listChanged: () => {},
    resourceUpdated: () => {},
    close: () => workspace.leave(member),
  };
  workspace.join(member);
  // A name that is not found is also looked up by other spellings, which builds the index of these.
  workspace.directoryOf(member).tools.lookup('mcp__nobody__tool');
  return member;
}

async function measureCalls(
  { gateway: { workspace } }: GatewayBed,
  client: AgentClient,
  members: readonly Member[],
) {
  const allowed = namesFor(members, (tools) => String(tools.entries[7]?.listed.name));
  const denied = namesFor(members, () => 'mcp__server_nobody__tool');
  function namesFor(of: readonly Member[], choose: (tools: NameIndex) => string): string[] {
    return of.map((member) => choose(workspace.directoryOf(member).tools));
  }
  const look = (names: readonly string[]) => {
    const began = cpuMs();
    for (let n = 0; n < LOOKUPS; n++) {
      const at = n % members.length;
      workspace.directoryOf(members[at] as Member).tools.lookup(names[at] as string);
    }
    return (1000 * (cpuMs() - began)) / LOOKUPS;
  };
  // The first agent is the client's, and may use the whole of this server.
  const call = () => client.call('mcp__server0__tool_1', { n: 1 });
  const times: { authorise: number[]; deny: number[]; call: number[] } = {
    authorise: [],
    deny: [],
    call: [],
  };
  look(allowed);
  look(denied);
  for (let round = 0; round < ROUNDS; round++) {
    times.authorise.push(look(allowed));
    times.deny.push(look(denied));
    for (let n = 0; n < CALLS / ROUNDS; n++) {
      const began = performance.now();
      await call();
      times.call.push(1000 * (performance.now() - began));
    }
  }
  // Other programs on the machine only ever add time, so the best rounds are the truest.
  const best = (values: readonly number[]) => percentile(values, 0.1);
  return { authoriseUs: best(times.authorise), denyUs: best(times.deny), callUs: best(times.call) };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function heapKb(): number | undefined {
  if (!globalThis.gc) return undefined;
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024;
}
