// An agent with an engine of its own: what the agent may use comes from its capabilities object.
import {
  AgentCapabilityRegistry,
  AgentRunner,
  type Engine,
  joinGateway,
  type McpServerConfig,
} from 'pml-gateway';

const home = '.pml-example';
const gateway = await joinGateway({ home, config: 'pml.json' });

/** A resolver says what a capability offers, and which MCP server is behind it. */
const registry = new AgentCapabilityRegistry();
registry.register({
  key: 'clock',
  tools: [{ key: 'now', name: 'Now', description: 'Tells the time.' }],
  resolve: (_, { tools }) => ({ mcpServer: { command: 'clock-server', args: tools } }),
});

/** An engine runs a model; this one tells which servers it was handed instead. */
const engine: Engine = {
  async run(message, { mcpServers }) {
    const servers: Readonly<Record<string, McpServerConfig>> = mcpServers;
    const text = `${message} ${Object.keys(servers).join(', ')}`;
    return { text, reason: 'done', steps: 1, usage: { inputTokens: 0, outputTokens: 0 } };
  },
};

const runner = new AgentRunner({
  registry,
  engine,
  threads: { open: async (agent) => ({ id: 'thread-1', agent, createdAt: new Date() }) },
  resolveInjections: () => ({}),
  agentDir: '.',
  workspaceDir: '.',
});
const { text } = await runner.run({ name: 'keeper', capabilities: { clock: {} } }, 'It may use:');
console.log(text);

// A session of an agent of pml.json sees what that agent may use, and nothing else.
const transport = await gateway.connect({ agent: 'reader' });
await transport.close();
await gateway.close();
