import { fixtureServer } from '../support/pml.ts';
import { onEachStore } from '../support/test-bed.ts';
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
onEachStore(config, (bed) => {
  const suites = [story131, story132, story133, manySessions, ...(bed.onPostgres ? [twoDaemons] : [])];
  const stored = suites.map((declare) => declare(bed));
  // Last, because on PGlite the daemon has to end before the test can read the database.
  for (const declare of stored) declare();
});
