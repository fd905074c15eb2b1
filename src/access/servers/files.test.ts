import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { runs, times } from '../../testing/effort.ts';
import { filesResolver } from '../resolvers/files-resolver.ts';
import { callTool, openServer } from './testing.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'pml-files-')));
after(() => rmSync(base, { recursive: true, force: true }));
const SECRET = 'outside of the folders';
let made = 0;

/** A folder that the agent can reach, beside a file that it cannot. */
async function workspaceOf(dirs = ['inside']) {
  made += 1;
  const workspaceDir = path.join(base, String(made));
  mkdirSync(path.join(workspaceDir, 'inside', 'deep'), { recursive: true });
  mkdirSync(path.join(workspaceDir, 'inside-not'));
  writeFileSync(path.join(workspaceDir, 'secret.txt'), SECRET);
  writeFileSync(path.join(workspaceDir, 'inside-not', 'secret.txt'), SECRET);
  writeFileSync(path.join(workspaceDir, 'inside', 'a.txt'), 'one\ntwo\nthree\n');
  const config = { dirs, tools: [] };
  const protectedPaths = [path.join(workspaceDir, 'home'), path.join(workspaceDir, 'pml.json')];
  const server = await openServer(filesResolver({}), { workspaceDir, protectedPaths }, config);
  const call = (tool: string, args: object) => callTool(server, tool, args);
  return { workspaceDir, inside: path.join(workspaceDir, 'inside'), call };
}

test('files are read, written, edited, moved, listed, found and described', async () => {
  const { inside, call } = await workspaceOf();
  assert.equal((await call('read_file', { path: 'a.txt' })).text, 'one\ntwo\nthree\n');
  assert.equal((await call('read_text_file', { path: path.join(inside, 'a.txt'), head: 1 })).text, 'one');
  assert.equal((await call('read_text_file', { path: 'a.txt', tail: 2 })).text, 'two\nthree');
  await call('create_directory', { path: 'new/er' });
  await call('write_file', { path: 'new/er/b.txt', content: 'first' });
  chmodSync(path.join(inside, 'new/er/b.txt'), 0o775);
  await call('write_file', { path: 'new/er/b.txt', content: 'again' });
  assert.equal((await call('get_file_info', { path: 'new/er/b.txt' })).data.permissions, '775');
  await call('edit_file', { path: 'new/er/b.txt', edits: [{ oldText: 'aga', newText: 'beg' }] });
  await call('move_file', { source: 'new/er/b.txt', destination: 'deep/c.txt' });
  assert.equal(readFileSync(path.join(inside, 'deep/c.txt'), 'utf8'), 'begin');
  const listed = await call('list_directory', { path: '.' });
  assert.deepEqual(listed.data, {
    entries: [
      { name: 'a.txt', type: 'file' },
      { name: 'deep', type: 'folder' },
      { name: 'new', type: 'folder' },
    ],
    complete: true,
  });
  assert.deepEqual((await call('search_files', { path: '.', pattern: '*.TXT' })).data, {
    files: [path.join(inside, 'a.txt'), path.join(inside, 'deep/c.txt')],
    complete: true,
  });
  assert.equal((await call('get_file_info', { path: 'deep/c.txt' })).data?.size, 5);
  const several = await call('read_multiple_files', { paths: ['a.txt', 'none.txt'] });
  assert.match(JSON.stringify(several.data), /three.*none\.txt: there is no such file/);
});

test('what cannot be done says why', async () => {
  const { inside, call } = await workspaceOf();
  const failure = async (tool: string, args: object) => {
    const { isError, text } = await call(tool, args);
    assert.ok(isError, text);
    return text;
  };
  assert.match(
    await failure('read_file', { path: 'none.txt' }),
    /none\.txt: there is no such file or folder/,
  );
  assert.match(await failure('read_file', { path: 'deep' }), /deep is a folder/);
  assert.match(await failure('read_file', { path: 'a\0b' }), /not a path/);
  assert.match(await failure('read_file', { pth: 'a' }), /path.*pth|Unrecognized/);
  assert.match(await failure('move_file', { source: 'a.txt', destination: 'deep' }), /there already/);
  assert.match(await failure('write_file', { path: '.', content: '' }), /one of the folders itself/);
  const edits = [{ oldText: 'o', newText: 'x' }];
  assert.match(await failure('edit_file', { path: 'a.txt', edits }), /occurs more than once/);
  const latin = Buffer.from('caf\xe9 one', 'latin1');
  writeFileSync(path.join(inside, 'latin.txt'), latin);
  const one = [{ oldText: 'one', newText: 'two' }];
  assert.match(await failure('edit_file', { path: 'latin.txt', edits: one }), /not in UTF-8/);
  assert.deepEqual(readFileSync(path.join(inside, 'latin.txt')), latin);
  assert.equal((await call('read_file', { path: 'a.txt' })).text, 'one\ntwo\nthree\n');
});

test('a search that leaves out deep folders says so', async () => {
  const { inside, call } = await workspaceOf();
  mkdirSync(path.join(inside, ...Array<string>(33).fill('d')), { recursive: true });
  const { data } = await call('search_files', { path: '.', pattern: 'a.txt' });
  assert.deepEqual(data, { files: [path.join(inside, 'a.txt')], complete: false });
});

test('files reaches its folders and nothing else: neither by .. nor by links', async () => {
  const { workspaceDir, inside, call } = await workspaceOf();
  symlinkSync('../secret.txt', path.join(inside, 'file-link'));
  symlinkSync('../nothing.txt', path.join(inside, 'dangling-link'));
  symlinkSync(workspaceDir, path.join(inside, 'folder-link'));
  symlinkSync('loop', path.join(inside, 'loop'));
  symlinkSync('a.txt', path.join(inside, 'good-link'));
  assert.equal((await call('read_file', { path: 'good-link', head: 1 })).text, 'one');
  const outside = [
    ...['../secret.txt', 'deep/../../secret.txt', path.join(workspaceDir, 'secret.txt'), '/etc/passwd', '/'],
    ...['file-link', 'dangling-link', 'folder-link/secret.txt', 'deep/../folder-link', 'loop'],
    ...['../inside-not/secret.txt', '/proc/self/cwd', '/proc/self/environ'],
  ];
  for (const file of outside) {
    const tries: [string, object][] = [
      ['read_file', { path: file }],
      ['write_file', { path: file, content: 'taken over' }],
      ['list_directory', { path: file }],
      ['get_file_info', { path: file }],
      ['search_files', { path: file, pattern: '*' }],
      ['create_directory', { path: `${file}/x` }],
      ['move_file', { source: file, destination: 'stolen' }],
      ['move_file', { source: 'a.txt', destination: `${file}/b` }],
    ];
    for (const [tool, args] of tries) {
      const { isError, text } = await call(tool, args);
      assert.ok(
        isError && /is outside the folders that can be reached/.test(text),
        `${tool} ${file}: ${text}`,
      );
    }
  }
  // A link that leads out tells nothing of whether there is something at its end.
  const messages = await Promise.all(
    ['file-link', 'dangling-link'].map(async (file) => (await call('read_file', { path: file })).text),
  );
  assert.equal(messages[0]?.replace('file-link', 'X'), messages[1]?.replace('dangling-link', 'X'));
  assert.equal(readFileSync(path.join(workspaceDir, 'secret.txt'), 'utf8'), SECRET);
});

test('PML’s own folder and config file cannot be reached, whatever folders the config names', async () => {
  const { workspaceDir, call } = await workspaceOf(['.']);
  mkdirSync(path.join(workspaceDir, 'home', 'keys'), { recursive: true });
  writeFileSync(path.join(workspaceDir, 'home', 'keys', 'key'), SECRET);
  writeFileSync(path.join(workspaceDir, 'pml.json'), '{}');
  symlinkSync('home', path.join(workspaceDir, 'alias'));
  for (const file of ['home/keys/key', 'pml.json', 'alias/keys/key', 'home']) {
    for (const [tool, args] of [
      ['read_file', { path: file }],
      ['write_file', { path: file, content: 'taken over' }],
      ['move_file', { source: file, destination: 'moved' }],
    ] as const)
      assert.match((await call(tool, args)).text, /is outside the folders/, `${tool} ${file}`);
  }
  assert.equal((await call('read_file', { path: 'secret.txt' })).text, SECRET);
});

test('a folder that is swapped for a link while files are read and written lets nothing out', async () => {
  const { workspaceDir, inside, call } = await workspaceOf();
  const [real, link, name] = ['real', 'link', 'swapped'].map((one) => path.join(inside, one)) as [
    string,
    string,
    string,
  ];
  mkdirSync(name);
  writeFileSync(path.join(name, 'secret.txt'), 'inside');
  symlinkSync(workspaceDir, link);
  // A program of its own, so that the swaps come at any moment.
  const swapper = await startSwapper(name, real, link);
  const seen = new Set<string>();
  const hasSeenBoth = () => seen.has('inside') && seen.has('refused');
  try {
    for (let round = 0; round < times(400) || (!hasSeenBoth() && round < 20_000); round += 1) {
      const [read, , listed] = await Promise.all([
        call('read_file', { path: 'swapped/secret.txt' }),
        call('write_file', { path: 'swapped/secret.txt', content: 'inside' }),
        call('list_directory', { path: 'swapped' }),
      ]);
      seen.add(read.isError ? 'refused' : read.text);
      assert.doesNotMatch(listed.text, /inside-not/);
    }
  } finally {
    await swapper.stop();
  }
  assert.deepEqual([...seen].sort(), ['inside', 'refused']);
  assert.equal(readFileSync(path.join(workspaceDir, 'secret.txt'), 'utf8'), SECRET);
});

test('no path that is made of names, dots and links at random reads anything outside', async () => {
  const { workspaceDir, inside, call } = await workspaceOf();
  symlinkSync('..', path.join(inside, 'up'));
  symlinkSync('deep', path.join(inside, 'down'));
  symlinkSync('../../secret.txt', path.join(inside, 'deep', 'out'));
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'up',
    'down',
    'deep',
    'out',
    'inside',
    'secret.txt',
    'inside-not',
    workspaceDir,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
      const { text } = await call('read_file', { path: parts.join('/') || '.' });
      assert.ok(!text.includes(SECRET), parts.join('/'));
    }),
    runs(200),
  );
});

test('a large file is read in part, and a pipe does not block', async () => {
  const { inside, call } = await workspaceOf();
  writeFileSync(path.join(inside, 'large.txt'), 'x'.repeat(99).concat('\n').repeat(20_000));
  assert.match((await call('read_file', { path: 'large.txt' })).text, /2000000 bytes.*head.*tail/);
  assert.equal((await call('read_file', { path: 'large.txt', tail: 1 })).text, 'x'.repeat(99));
  execFileSync('mkfifo', [path.join(inside, 'pipe')]);
  assert.match((await call('read_file', { path: 'pipe' })).text, /pipe is no file/);
});

/** Starts a program that swaps a folder for a link and back, without end. */
async function startSwapper(name: string, real: string, link: string): Promise<{ stop(): Promise<void> }> {
  const code = `
    const { renameSync } = require('node:fs');
    const [name, real, link] = process.argv.slice(1);
    process.stdin.on('end', () => process.exit()).resume();
    const swap = () => {
      for (let i = 0; i < 50; i++) {
        renameSync(name, real); renameSync(link, name);
        renameSync(name, link); renameSync(real, name);
      }
      setImmediate(swap);
    };
    process.stdout.write('ready');
    swap();`;
  const child = spawn(process.execPath, ['-e', code, name, real, link], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

test('the environment of PML and of the servers is out of reach, whatever the folders', async () => {
  const { call, inside } = await workspaceOf(['/', '/proc/self']);
  const own = `/proc/${process.pid}`;
  for (const file of ['/proc/self/environ', `${own}/environ`, `${own}/task/${process.pid}/environ`, own])
    for (const tool of ['read_file', 'list_directory', 'get_file_info', 'write_file']) {
      const answer = await call(tool, { path: file, ...(tool === 'write_file' && { content: '' }) });
      assert.match(answer.text, /is outside the folders/, `${tool} ${file}`);
    }
  assert.equal((await call('read_file', { path: `${inside}/a.txt` })).text, 'one\ntwo\nthree\n');
});
