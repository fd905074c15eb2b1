// Plain JavaScript: `import 'pml-gateway'` loads it on any Node. The rest of PML has syntax that an older Node rejects
// before PML could say why.
import { isSuitableNode, SUITABLE_MAJORS } from './runtime.js';

if (!isSuitableNode()) {
  throw new Error(
    `PML within a program needs Node ${SUITABLE_MAJORS.join(' or ')} (this is ${process.versions.node}). ` +
      'Start the program with that, or connect to `pml serve` as an MCP client: the command brings its own Node.',
  );
}

export const {
  AgentCapabilityRegistry,
  AgentRunner,
  AiEngine,
  builtInResolvers,
  ClaudeEngine,
  joinGateway,
  PmlError,
  resolveInjections,
  startGateway,
} = await import('./index.ts');
