/** The files by which registries and clients find PML. `claude plugin validate` and the registry check more, online. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { PML_TOOLS } from '../../src/gateway/tools/index.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const read = (file: string) => JSON.parse(readText(file));
const manifest = read('package.json');

/** The demands of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json on a server from npm. */
const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
};
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(
        z.strictObject({ ...input, type: z.literal('positional'), value: z.string() }),
      ),
      environmentVariables: z.array(z.strictObject({ ...input, name: z.string() })),
    }),
  ),
});

/** The demands of https://code.claude.com/docs/en/plugins/manifest-reference and its marketplace reference. */
const kebab = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const person = z.strictObject({ name: z.string() });
const plugin = z.strictObject({
  name: kebab,
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string(),
  author: person,
  license: z.string(),
  keywords: z.array(z.string()),
});
const marketplace = z.strictObject({
  name: kebab,
  owner: person,
  description: z.string(),
  plugins: z.array(
    z.strictObject({ name: kebab, source: z.string().startsWith('./'), description: z.string() }),
  ),
});

test('the MCP registry finds the package by server.json and mcpName', () => {
  const { name, version, packages } = serverJson.parse(read('server.json'));
  assert.equal(name, manifest.mcpName);
  assert.equal(version, manifest.version);
  assert.deepEqual(
    packages.map(({ identifier, version }) => [identifier, version]),
    [[manifest.name, manifest.version]],
  );
});

test('the marketplace leads to a plugin that starts this version and has a skill', () => {
  const [entry] = marketplace.parse(read('.claude-plugin/marketplace.json')).plugins;
  const folder = entry?.source ?? '';
  const { name, version } = plugin.parse(read(join(folder, '.claude-plugin', 'plugin.json')));
  assert.deepEqual([name, version], [entry?.name, manifest.version]);
  assert.deepEqual(read(join(folder, '.mcp.json')).mcpServers.pml, {
    command: 'npx',
    args: ['-y', `${manifest.name}@${manifest.version}`, 'serve'],
  });
  const skill = readText(join(folder, 'skills', 'pml', 'SKILL.md'));
  const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(skill) ?? [];
  assert.match(head, /^name: pml\ndescription: .{50,1024}$/);
  // A skill that names a tool which does not exist teaches failures.
  const tools = new Set(PML_TOOLS.map(({ name }) => name));
  const named = Array.from(skill.matchAll(/\b(?:pml|cap)_[a-z]+/g), ([tool]) => tool);
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter((tool) => !tools.has(tool)),
    [],
  );
});

test('the manifest of the desktop extension fits its schema, and starts the package', async () => {
  const { McpbManifestSchema } = await import('@anthropic-ai/mcpb/schemas/0.3');
  const { version, server } = McpbManifestSchema.parse(read('distribution/manifest.json'));
  assert.equal(version, manifest.version);
  const program = join('node_modules', manifest.name, manifest.bin.pml);
  assert.equal(server.entry_point, program);
  assert.deepEqual(server.mcp_config?.args, [`\${__dirname}/${program}`, 'serve']);
  assert.ok(existsSync(join(ROOT, manifest.bin.pml)));
});
