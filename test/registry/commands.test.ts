import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };

onEachStore(config, (bed) => {
  let peer: Peer;
  const user = { PML_USER: 'ana' };
  const pml = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await bed.pml.run(args, { env: user });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const json = async (...args: string[]): Promise<Loose> => JSON.parse(await pml(...args, '--json'));

  before(async () => {
    peer = await bed.peer('SDK v2 legacy', 'stdio', { env: user });
    await execute(peer, { name: 'fs:one', code: 'return "one"' });
    await execute(peer, { name: 'fs:two', code: 'return "two " + args.input', args: { input: 'none' } });
  });

  test('with --json, each reading command prints exactly what the tool answers', async () => {
    const { capabilities } = await json('list', 'fs:*', '--sort', 'name', '--limit', '1');
    assert.deepEqual(
      capabilities,
      (await ask(peer, 'cap_list', { pattern: 'fs:*', sort_by: 'name', limit: 1 })).capabilities,
    );
    for (const word of ['lookup', 'whois', 'history'])
      assert.deepEqual(await json(word, 'fs:one'), await ask(peer, `cap_${word}`, { name: 'fs:one' }));
    assert.deepEqual(await json('stats', 'fs:two'), await ask(peer, 'cap_stats', { name: 'fs:two' }));
  });

  test('for people there are tables and records', async () => {
    assert.match(await pml('list', '--named'), /^NAME +VERSION[^\n]*\nfs:one +@1 /);
    assert.match(await pml('whois', 'fs:one'), /created_by +ana[\s\S]*\nreturn "one"\n$/);
    assert.match(await pml('history', 'fs:one'), /^@1 [\s\S]*\+return "one"/);
    assert.match(await pml('stats'), /\d+ capabilities have no name yet/);
    assert.equal(await pml('list', 'nope*'), 'No capability matches.\n');
    const more = /\n1 of 2\. Add --offset 1 for the next ones, or --limit N for more\.\n$/;
    assert.match(await pml('list', 'fs:*', '--limit', '1'), more);
    assert.match(await pml('list', 'fs:*', '--limit', '1', '--offset', '1'), /\n1 of 2\n$/);
  });

  test('every change can be made from the command line', async () => {
    const renamed = await json('rename', 'fs:one', 'cli:one', '--tags', 'a, b', '--description', 'says one');
    assert.deepEqual(
      [renamed.display_name, renamed.tags, renamed.description],
      ['cli:one', ['a', 'b'], 'says one'],
    );
    writeFileSync(join(bed.pml.dir, 'next.ts'), 'return "uno" as string');
    assert.equal(
      (await json('update', 'cli:one', 'next.ts', '--tag', 'v1.0.0', '--summary', 'Spanish')).version,
      2,
    );
    assert.equal((await execute(peer, { capability: 'cli:one' })).result, 'uno');
    assert.equal((await json('update', 'cli:one', '--from', 'v1.0.0')).version, 3);
    // A tag of major 1 hides version number 1 from "v1", not from "1".
    const byTag = await bed.pml.run(['update', 'cli:one', '--from', 'v1'], { env: user });
    assert.equal(byTag.stdout, 'version 4, with the code of version 2 (v1.0.0)\n');
    assert.match(byTag.stderr, /"cli:one@v1" means version 2 \(v1\.0\.0\).*write "cli:one@1" to mean it/);
    const byNumber = await bed.pml.run(['update', 'cli:one', '--from', '1'], { env: user });
    assert.deepEqual([byNumber.stdout, byNumber.stderr], ['version 5, with the code of version 1\n', '']);
    assert.equal(await pml('run', 'cli:one'), 'one\n');
    assert.equal((await json('update', 'cli:one', '--from', 'v1.0.0')).version, 6);
    assert.equal(await pml('run', 'cli:one@v1'), 'uno\n');
    const cached = await json('update', 'cli:one', '--cache', 'memoize', '--ttl', '9');
    assert.deepEqual([cached.cache_policy, cached.ttl, cached.version], ['memoize', 9, 6]);
    // A copy does what the original does; a merged capability is another procedure.
    const copy = await json('fork', 'cli:one@v1.0.0', 'cli:copy');
    assert.deepEqual([copy.display_name, copy.cache_policy, copy.ttl], ['cli:copy', 'memoize', 9]);
    const both = await json('merge', 'cli:one', 'fs:two', '--name', 'cli:both');
    assert.deepEqual([both.display_name, both.cache_policy], ['cli:both', 'none']);
    assert.equal(await pml('run', 'cli:both'), 'two uno\n');
    assert.match(await pml('retire', 'cli:copy'), /^cli:copy@1 retired/);
    assert.match(await pml('restore', 'cli:copy'), /^cli:copy@1 is back/);
  });

  test('what is retired is listed apart', async () => {
    await pml('fork', 'fs:two', 'cli:gone');
    await pml('retire', 'cli:gone');
    const { capabilities, total } = await json('list', '--retired');
    assert.deepEqual([capabilities.map(({ name }: Loose) => name), total], [['cli:gone'], 1]);
    assert.match(await pml('list', '--retired'), /cli:gone .*retired \d{4}-\d\d-\d\d/);
    assert.doesNotMatch(await pml('list'), /cli:gone/);
  });

  test('what was never called has no success rate, and wrong arguments do not lower one', async () => {
    await pml('fork', 'fs:two', 'cli:idle');
    assert.equal((await json('lookup', 'cli:idle')).success_rate, null);
    assert.match(await pml('list', 'cli:idle'), /cli:idle +@1 +0 +– /);
    await execute(peer, {
      name: 'cli:strict',
      code: 'const n: number = args.count; return n + 1',
      args: { count: 1 },
    });
    const before = await json('lookup', 'cli:strict');
    const { code, stderr } = await bed.pml.run(['run', 'cli:strict', '--args', '{"count": "x"}'], {
      env: user,
    });
    assert.equal(code, 1, stderr);
    const after = await json('lookup', 'cli:strict');
    assert.deepEqual([after.usage_count, after.success_rate], [before.usage_count, 1]);
    const [figures] = (await json('stats', 'cli:strict')).capabilities;
    assert.equal(figures.success_rate, 1);
  });

  test('records of servers that this folder does not have are marked', async () => {
    const folder = bed.pml.project('elsewhere', {
      mcpServers: { shelf: fixtureServer('fixture-work.ts') },
    });
    const other = await bed.pml.run(['discover', '--server', 'shelf'], { cwd: folder, env: user });
    assert.equal(other.code, 0, other.stderr);
    await eventually(async () => {
      const listed = await pml('list', '--type', 'mcp-server');
      return /mcp:shelf .*not configured here/.test(listed) && !/mcp:work .*not configured/.test(listed);
    }, 'the record of the other folder');
  });

  test('exit codes: 1 failed, 2 wrong use', async () => {
    const fails = async (...args: string[]) => {
      const { code, stderr, stdout } = await bed.pml.run(args, { env: user });
      assert.equal(stdout, '');
      return [code, stderr];
    };
    assert.deepEqual(await fails('lookup', 'nope'), [1, 'pml: Capability not found: nope\n']);
    assert.deepEqual(await fails('whois', 'fs:tow'), [
      1,
      'pml: Capability not found: fs:tow\n     Did you mean "fs:two"?\n',
    ]);
    assert.match(String(await fails('lookup', 'fs:two@9')), /pml history lists the versions there are/);
    assert.match(
      String(await fails('exec', '--intent', 'x', '--timeout', 'soon', 'a.ts')),
      /--timeout must be a whole/,
    );
    assert.match(
      String(await fails('list', '--sort', 'nmae')),
      /--sort must be usage, name or created, .*mean name\?/,
    );
    assert.equal((await fails('lookup'))[0], 2);
    assert.equal((await fails('list', '--limit', 'many'))[0], 2);
    assert.equal((await fails('rename', 'cli:one', 'a b'))[0], 1);
    assert.equal((await fails('update', 'cli:one'))[0], 2);
    assert.equal((await fails('merge', 'cli:one', 'fs:two'))[0], 2);
  });
});
