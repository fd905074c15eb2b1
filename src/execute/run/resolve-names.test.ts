import assert from 'node:assert/strict';
import { type DirectoryEntry, NameIndex } from '../../access/index.ts';
import { runCodeTask } from '../../code/index.ts';
import type { Principal } from '../../principal.ts';
import { NameCache, rename } from '../../registry/index.ts';
import { ana, ben, registryOf, saveCapability } from '../../registry/testing.ts';
import type { Db } from '../../store/index.ts';
import { onBothEngines } from '../../store/testing.ts';
import {
  canonicalName,
  displayName,
  isFqdnReference,
  type ResolveContext,
  resolveName,
  resolveStaticNames,
  unknownNameError,
} from './resolve-names.ts';

const readFile = {
  listed: { name: 'read_file' },
  upstream: { name: 'fs', server: { prefix: true } },
  own: 'read_file',
} as unknown as DirectoryEntry;

async function contextOf(db: Db, who: Principal): Promise<ResolveContext> {
  return { db, who, names: await NameCache.open(db), tools: new NameIndex('tool', [readFile]) };
}

async function resolve(context: ResolveContext, code: string): Promise<string[]> {
  const { references } = await runCodeTask('prepareRun', code);
  return [...(await resolveStaticNames(context, references)).values()].map(displayName);
}

onBothEngines('the names that code states are resolved to tools and capabilities', async ({ db }) => {
  const context = await contextOf(db, ana);
  const { fqdn } = await saveCapability(db, ana, 'text:clean');
  const code =
    'return [await mcp.fs.read_file({}), await mcp.text.clean({}), await mcp["text:clean@v1"]({})]';
  assert.deepEqual(await resolve(context, code), ['fs:read_file', 'text:clean', 'text:clean']);
  const resolved = await resolveName(context, 'text:clean');
  assert.equal(resolved && canonicalName(resolved), fqdn);
  assert.deepEqual(
    [isFqdnReference(fqdn), isFqdnReference(`${fqdn}@v1`), isFqdnReference('text:clean')],
    [true, true, false],
  );
});

onBothEngines('a tool takes precedence over a capability of its name', async ({ db }) => {
  const context = await contextOf(db, ana);
  await saveCapability(db, ana, 'fs:read_file');
  assert.equal((await resolveName(context, 'fs:read_file'))?.kind, 'tool');
});

onBothEngines('a name that does not exist is refused with the names that were meant', async ({ db }) => {
  const context = await contextOf(db, ana);
  await saveCapability(db, ana, 'text:clean');
  const misspelt = resolve(context, 'return await mcp.fs.read_fiel({})');
  await assert.rejects(misspelt, { code: 'tool_not_found', message: /fs[.:]read_file/ });
  await assert.rejects(resolve(context, 'return await mcp["text:clean@v9"]({})'), { name: 'PmlError' });
  assert.match((await unknownNameError(context, 'text:claen')).message, /Did you mean "text:clean"/);
  // A former name works as well as the current one.
  await rename(registryOf(db), ana, 'text:clean', { newName: 'words:tidy' });
  assert.match((await unknownNameError(context, 'text:claen')).message, /Did you mean "text:clean"/);
  await assert.rejects(resolve(context, 'return await mcp.text.claen({})'), { message: /text:clean/ });
});

onBothEngines('a private capability of somebody else is neither found nor suggested', async ({ db }) => {
  await saveCapability(db, ana, 'secret:plan', 'private');
  const context = await contextOf(db, ben);
  assert.equal(await resolveName(context, 'secret:plan'), undefined);
  assert.doesNotMatch((await unknownNameError(context, 'secret:plam')).message, /secret:plan"/);
});
