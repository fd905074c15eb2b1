import { onEachStore } from '../support/executing.ts';
import { fixtureServer } from '../support/pml.ts';
import { manySessions, twoDaemons } from './replicas.ts';
import { story131 } from './story-13-1.ts';
import { story132 } from './story-13-2.ts';
import { story133 } from './story-13-3.ts';

const config = {
  mcpServers: {
    filesystem: fixtureServer('fixture-work.ts'),
    work: fixtureServer('fixture-work.ts'),
    old: fixtureServer('fixture-legacy.ts'),
    new: fixtureServer('fixture-modern.ts', 'stdio'),
  },
};

// In one file, because starting a PML costs more than all of these tests.
onEachStore(config, (bench) => {
  const suites = [story131, story132, story133, manySessions, ...(bench.onPostgres ? [twoDaemons] : [])];
  const stored = suites.map((declare) => declare(bench));
  // Last, because on PGlite the daemon has to end before the test can read the database.
  for (const declare of stored) declare();
});
