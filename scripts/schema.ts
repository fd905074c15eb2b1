// Writes schema/pml.schema.json from the schema that PML itself validates pml.json with.
// With --check the script writes nothing and fails if the file is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildRegistry } from '../src/access/agents/index.ts';
import { jsonSchema } from '../src/config/file-schema.ts';

const file = path.join(import.meta.dirname, '..', 'schema', 'pml.schema.json');
const builtIn = buildRegistry({ file: null, servers: [] }, { catalogOf: () => undefined });
const text = `${JSON.stringify(jsonSchema(builtIn.knownCapabilities()), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('schema/pml.schema.json is out of date: run node scripts/schema.ts');
  process.exitCode = 1;
}
