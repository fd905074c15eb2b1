import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { IS_WHOLE } from '../../src/testing/effort.ts';
import { type Loose, TRANSPORTS } from '../support/clients.ts';
import { npmServer, Pml, PROGRAM, programOf } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';

const pml = new Pml({ after }, { mcpServers: { everything: npmServer('everything', 'stdio') } });
let url: string;

before(async () => {
  // On PGlite: the inspector does not pass the address of another database on.
  url = await upReady(pml, false);
});

/** Runs the inspector's command line against PML and returns its output. */
function inspect(
  target: string[],
  ...args: string[]
): Promise<{ code: number | null; out: Loose; err: string }> {
  const program = programOf('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js');
  const options = ['--format', 'json', '--connect-timeout', '60000'];
  const child = spawn(process.execPath, [program, '--cli', ...target, ...args, ...options], {
    cwd: pml.dir,
    env: pml.env,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, out: out && JSON.parse(out), err }));
  });
}

/** An everyday run takes each transport and each era once. */
const isTried = (transport: string, era: string) =>
  IS_WHOLE || (transport === 'stdio') === (era === 'legacy');

for (const transport of TRANSPORTS) {
  for (const era of ['legacy', 'modern'].filter((era) => isTried(transport, era))) {
    describe(`the inspector's command line over ${transport}, ${era} era`, () => {
      const run = (...args: string[]) => {
        // Like most clients it passes on little of its environment.
        const target =
          transport === 'stdio'
            ? ['-e', `PML_HOME=${pml.home}`, process.execPath, PROGRAM, 'serve']
            : [`${url}/mcp`];
        return inspect(target, '--protocol-era', era, ...args);
      };

      test('lists tools', async () => {
        const { code, out, err } = await run('--method', 'tools/list');
        assert.equal(code, 0, err);
        assert.match(JSON.stringify(out), /"mcp__everything__get-sum"/);
      });

      test('calls a tool', async () => {
        const call = ['--method', 'tools/call', '--tool-name', 'mcp__everything__get-sum'];
        const { code, out, err } = await run(...call, '--tool-arg', 'a=2', 'b=40');
        assert.equal(code, 0, err);
        assert.match(JSON.stringify(out), /42/);
      });

      // Each run takes a second or more, so the rest runs once for each era.
      if ((transport === 'stdio') !== (era === 'legacy')) return;

      test('reads a resource', async () => {
        const uri = 'demo://resource/static/document/features.md';
        const { code, out, err } = await run('--method', 'resources/read', '--uri', uri);
        assert.equal(code, 0, err);
        assert.match(JSON.stringify(out), /Features/);
      });

      test('gets a prompt', async () => {
        const get = ['--method', 'prompts/get', '--prompt-name', 'mcp__everything__simple-prompt'];
        const { code, out, err } = await run(...get);
        assert.equal(code, 0, err);
        assert.match(JSON.stringify(out), /simple prompt/);
      });
    });
  }
}

test('the inspector finds no tool that a client would reject', async () => {
  const { code, err } = await inspect([`${url}/mcp`], '--method', 'tools/list', '--strict');
  assert.equal(code, 0, err);
});
