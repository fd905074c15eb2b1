import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchRoot } from '../../testing/scratch.ts';
import { serveWeb } from './serve-web.ts';
import { WebFiles } from './web-files.ts';

const folder = mkdtempSync(join(scratchRoot(), 'pml-web-'));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'web/assets'), { recursive: true });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
write('web/index.html', '<p>first</p>');
write('web/assets/app-1a2b.js', 'plain');
write('web/assets/app-1a2b.js.br', 'brotli');
write('web/assets/app-1a2b.js.gz', 'gzip');
write('secret.txt', 'secret');

const app = serveWeb(new WebFiles(join(folder, 'web')));
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.request(`http://localhost${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('every address of a view answers the page, which no browser keeps unasked', async () => {
  for (const path of [
    '/',
    '/capabilities',
    '/capabilities/x',
    '/inbox',
    '/runs/1',
    '/tools/fs/read',
    '/playground',
  ]) {
    const { status, headers, text } = await get(path);
    assert.deepEqual([status, text, headers.get('cache-control')], [200, '<p>first</p>', 'no-cache'], path);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
  for (const path of ['/capabilitiesx', '/other', '/web', '/index'])
    assert.equal((await get(path)).status, 404, path);
});

test('a file is sent compressed as the browser accepts it, and kept for ever', async () => {
  const read = async (accepted: string) => {
    const { headers, text } = await get('/assets/app-1a2b.js', { 'accept-encoding': accepted });
    assert.match(headers.get('cache-control') ?? '', /immutable/);
    assert.match(headers.get('content-type') ?? '', /^text\/javascript/);
    return [text, headers.get('content-encoding')];
  };
  assert.deepEqual(await read('gzip, deflate, br'), ['brotli', 'br']);
  assert.deepEqual(await read('gzip, br;q=0'), ['gzip', 'gzip']);
  assert.deepEqual(await read('identity'), ['plain', null]);
});

test('no path leads out of the folder', async () => {
  const paths = [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2f..%2fsecret.txt',
    '//secret.txt',
    '/%ff',
  ];
  for (const path of paths) assert.equal((await get(path)).status, 404, path);
});

test('a new build is served without a restart', async () => {
  write('web/index.html', '<p>second</p>');
  write('web/assets/app-3c4d.js', 'new');
  utimesSync(join(folder, 'web/index.html'), new Date(), new Date(Date.now() + 5000));
  assert.equal((await get('/')).text, '<p>second</p>');
  assert.equal((await get('/assets/app-3c4d.js')).text, 'new');
});

test('the page names the requests that it makes first', async () => {
  const link = async (path: string) => (await get(path)).headers.get('link');
  const preload = (address: string) => `<${address}>; rel=preload; as=fetch; crossorigin`;
  const session = preload('/api/v1/session');
  assert.equal(await link('/runs'), session);
  assert.equal(await link('/capabilities'), `${session}, ${preload('/api/v1/capabilities?limit=100')}`);
  assert.equal(await link('/capabilities?state=stale'), session);
  assert.equal(await link('/capabilities/some-id'), session);
  assert.equal(await link('/'), `${session}, ${preload('/api/v1/overview?since=24h')}`);
  assert.equal(await link('/?since=30d'), `${session}, ${preload('/api/v1/overview?since=30d')}`);
  assert.equal(await link('/?since=<x>'), `${session}, ${preload('/api/v1/overview?since=24h')}`);
});
