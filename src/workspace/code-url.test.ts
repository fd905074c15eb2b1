import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codeUrlOf } from './code-url.ts';

const FOLDER = import.meta.dirname;

function started(line: string, cwd = FOLDER, secrets: readonly string[] = []) {
  const [command = '', ...args] = line.split(' ');
  return codeUrlOf({ transport: { kind: 'stdio', command, args, env: {}, cwd } }, secrets);
}

const NPM = 'https://www.npmjs.com/package';
const PYPI = 'https://pypi.org/project';
const HUB = 'https://hub.docker.com';

const CASES: Record<string, string | null> = {
  'npx -y @modelcontextprotocol/server-filesystem@1.2.0 .': `${NPM}/@modelcontextprotocol/server-filesystem`,
  'npx -y -p @acme/tools@latest serve': `${NPM}/@acme/tools`,
  'npx --package=acme serve': `${NPM}/acme`,
  'npx.cmd -y github:acme/server': 'https://github.com/acme/server',
  'npx ./local': null,
  'bunx acme-server': `${NPM}/acme-server`,
  '/usr/bin/uvx mcp-server-git': `${PYPI}/mcp-server-git`,
  'uvx --python 3.12 mcp-server-time@2.1 --local': `${PYPI}/mcp-server-time`,
  'uvx --from mcp-tools[all]==1.0 serve': `${PYPI}/mcp-tools`,
  'uvx --from git+https://key@github.com/acme/server@main serve': 'https://github.com/acme/server',
  'uv tool run mcp-server-fetch': `${PYPI}/mcp-server-fetch`,
  'uv run server.py': 'file:./server.py',
  'uv run serve': null,
  'pipx run --spec acme==2 serve': `${PYPI}/acme`,
  'node server.js': 'file:./server.js',
  'node --import tsx src/a b.ts': 'file:./src/a',
  'node /opt/app/node_modules/@acme/server/dist/index.js': `${NPM}/@acme/server`,
  'node node_modules/.pnpm/x@1/node_modules/acme/cli.js': `${NPM}/acme`,
  'node /home/ana/elsewhere.js': null,
  'node ../beside.js': null,
  'node -e 1': null,
  'deno run npm:acme-server@1': `${NPM}/acme-server`,
  'python3.12 -u tools/server.py --port 1': 'file:./tools/server.py',
  'python -m mcp_server_git --repository .': `${PYPI}/mcp-server-git`,
  'python -m acme.server': `${PYPI}/acme`,
  'python -c print(1)': null,
  'docker run -i --rm mcp/fetch': `${HUB}/r/mcp/fetch`,
  'docker run -it --rm -e API_KEY=abc --name x -v /home/ana:/data mcp/fetch:1.2 serve': `${HUB}/r/mcp/fetch`,
  'docker run --env=KEY=abc -eOTHER --mount type=bind,src=/a,dst=/b redis@sha256:00ff': `${HUB}/_/redis`,
  'docker run docker.io/library/redis:7': `${HUB}/_/redis`,
  'podman run --network host ghcr.io/acme/server:v1': 'https://ghcr.io/acme/server',
  'docker run registry.acme.io:5000/team/server:v1': 'https://registry.acme.io:5000/team/server',
  'docker container run -i mcp/time': `${HUB}/r/mcp/time`,
  'docker compose up': null,
  'my-server --fast': null,
};

for (const [line, url] of Object.entries(CASES))
  test(`13.8-AC3 the code of "${line}" is at ${url}`, () => {
    assert.equal(started(line), url);
  });

test('13.8-AC3 a module in the folder is a file, and a folder at the root tells nothing', () => {
  assert.equal(started('python -m workspace', `${FOLDER}/..`), 'file:./workspace');
  assert.equal(started('node /home/ana/secret.js', '/'), null);
});

test('13.8-AC3 the config tells where the code of a server is, and no secret', () => {
  const url = 'https://user:pass@example.com/mcp?key=abc';
  assert.equal(codeUrlOf({ transport: { kind: 'http', url, headers: {} } }, []), 'https://example.com/mcp');
  assert.equal(started('npx -y acme-hunter2hunter2', FOLDER, ['hunter2hunter2']), null);
});

test('whatever the arguments are, the answer is an address without what options carry', () => {
  const programs = fc.constantFrom('npx', 'uvx', 'uv', 'pipx', 'node', 'deno', 'python', 'docker');
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      'run',
      'tool',
      '-m',
      '-e',
      '--from',
      '-p',
      '--rm',
      '-i',
      'a/b',
      '../x',
      'git+https://a@b/c',
      '@',
    ),
  );
  fc.assert(
    fc.property(programs, fc.array(word, { maxLength: 8 }), (command, args) => {
      const url = codeUrlOf({ transport: { kind: 'stdio', command, args, env: {}, cwd: FOLDER } }, []);
      assert.ok(
        url === null || /^(https:\/\/[^\s@?]+(\/@[\w.-]+\/[^\s@?]+)?|file:\.\/.+)$/.test(url),
        `${url}`,
      );
      assert.ok(url === null || !url.includes('/../'));
    }),
  );
  const carried = fc.array(fc.stringMatching(/^[a-z]{8,12}$/), { maxLength: 3 });
  fc.assert(
    fc.property(carried, (values) => {
      const args = ['run', '-i', ...values.flatMap((value) => ['-e', value]), 'mcp/fetch', ...values];
      const url = codeUrlOf(
        { transport: { kind: 'stdio', command: 'docker', args, env: {}, cwd: FOLDER } },
        [],
      );
      assert.equal(url, `${HUB}/r/mcp/fetch`);
    }),
  );
});
