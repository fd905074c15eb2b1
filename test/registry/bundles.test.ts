/** Bundles and skills through the command line, from one home to another. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { connectDaemon } from '../../src/daemon/connect-daemon.js';
import { readLine } from '../../src/daemon/socket-protocol.js';
import { VERSION } from '../../src/version.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, onEachStore, TestBed } from '../support/test-bed.ts';
import { ask } from '../support/tool-answers.ts';

const config = { mcpServers: { work: fixtureServer('fixture-work.ts') } };
const ana = { PML_USER: 'ana' };
const dan = { PML_USER: 'dan', PML_ORG: 'elsewhere' };

onEachStore(config, (there) => {
  const here = new TestBed(config, { onPostgres: there.onPostgres });
  let peer: Peer;
  let reader: Peer;
  const file = join(there.pml.dir, 'report.bundle.json');

  const run = async (bed: TestBed, env: Record<string, string>, args: string[], input?: string) =>
    bed.pml.run(args, { env, ...(input !== undefined && { input }) });
  const done = async (...given: Parameters<typeof run>): Promise<string> => {
    const { code, stdout, stderr } = await run(...given);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const refused = async (args: string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(here, dan, args, input);
    assert.equal(stdout, '');
    assert.equal(code, 1, stderr);
    return stderr;
  };

  before(async () => {
    peer = await there.peer('SDK v2 legacy', 'stdio', { env: ana });
    reader = await here.peer('SDK v2 legacy', 'stdio', { env: dan });
    await execute(peer, { name: 'work:load', code: 'return mcp.work.read({ path: "a.json" })' });
    await ask(peer, 'cap_update', {
      name: 'work:load',
      code: 'return [await mcp.work.read({ path: args.path })]',
    });
    await execute(peer, {
      intent: 'make the daily report',
      name: 'report:make',
      code: 'return { now: await mcp.work.load({}), once: await mcp["work:load@v1"]({ path: "b.json" }) }',
    });
  });

  test('a bundle is one file that people can read and other homes can verify', async () => {
    const said = await done(there, ana, ['export', 'report:make', '--out', file]);
    assert.match(said, /report\.bundle\.json: 2 capabilities, signed with the key [0-9a-f]{64}\n$/);
    const { format, version, content } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual([format, version], ['pml-bundle', 1]);
    assert.deepEqual(content.tools_needed, ['work:read']);
    assert.equal(
      await done(there, ana, ['export', 'report:make']).then((text) => JSON.parse(text).format),
      'pml-bundle',
    );
    const answer = JSON.parse(await done(there, ana, ['export', '--json']));
    assert.deepEqual(answer.capabilities.map(({ name, version }: Loose) => `${name}@v${version}`).sort(), [
      'report:make@v1',
      'work:load@v2',
    ]);
    assert.equal(answer.bundle.format, 'pml-bundle');
  });

  test('without a terminal a stranger’s bundle is refused with instructions, and nothing is imported', async () => {
    const said = await refused(['import', file]);
    assert.match(said, /^pml: This bundle was signed with a key that you do not trust: [0-9a-f]{64}\n/);
    assert.match(said, /add --trust [0-9a-f]{64}/);
    assert.match(await refused(['import', file, '--trust', 'f'.repeat(64)]), /not with ffff/);
    assert.match(await refused(['lookup', 'report:make']), /Capability not found/);
    const rehearsal = await done(here, dan, ['import', file, '--dry-run']);
    assert.equal(rehearsal, 'report:make@1 would be imported\nwork:load@2 would be imported\n');
    assert.match(await refused(['lookup', 'report:make']), /Capability not found/);
  });

  test('an imported capability runs in the other home, and is listed there at once', async () => {
    const { signer } = JSON.parse(await done(here, dan, ['import', file, '--dry-run', '--json']));
    assert.equal(signer.known, 'stranger');
    const said = await done(here, dan, ['import', file, '--trust', signer.fingerprint, '--always']);
    assert.equal(said, 'report:make@1 imported\nwork:load@2 imported\n');
    const expected = {
      now: [{ path: 'a.json', encoding: 'none' }],
      once: { path: 'b.json', encoding: 'none' },
    };
    assert.deepEqual(JSON.parse(await done(here, dan, ['run', 'report:make'])), expected);
    await reader.untilListed('mcp__report__make');
    assert.deepEqual((await reader.call('mcp__report__make', {})).structuredContent, expected);
    const told = await ask(reader, 'cap_whois', { name: 'report:make' });
    assert.match(told.forked_from, /^local\.default\.report\.make\./);
    assert.deepEqual([told.created_by, told.verified, told.signature_valid], ['dan', false, true]);
    assert.match(told.code, /mcp\.work\.load\(/);
    const kept = readdirSync(join(here.pml.home, 'keys', 'trusted'));
    assert.deepEqual(kept, [`${signer.fingerprint}.pub`]);
    assert.equal(statSync(join(here.pml.home, 'keys', 'trusted', kept[0] as string)).mode & 0o777, 0o600);
    // The key is trusted now, and everything exists already.
    assert.equal(
      await done(here, dan, ['import', '-'], readFileSync(file, 'utf8')),
      'report:make@1 is here already\nwork:load@2 is here already\n',
    );
  });

  test('a changed file, a taken name and a name of a tool are refused; --rename and --prefix help', async () => {
    const text = readFileSync(file, 'utf8');
    assert.match(
      await refused(['import', '-'], text.replace('a.json', 'b.json')),
      /changed after it was signed/,
    );
    writeFileSync(join(here.pml.dir, 'binary'), Buffer.from([0x7b, 0xff, 0xfe]));
    assert.match(await refused(['import', 'binary']), /no bundle/);
    assert.match(
      await refused(['import', file, '--rename', 'work:load=work:read']),
      /is the name of a tool of server "work"/,
    );
    await execute(reader, { name: 'mine:load', code: 'return "mine"' });
    assert.match(
      await refused(['import', file, '--rename', 'work:load=mine:load']),
      /'report:make', 'mine:load' already exist in scope elsewhere\.default\n.*--rename report:make=NEW_NAME, or --prefix/,
    );
    const answer = JSON.parse(await done(here, dan, ['import', file, '--prefix', 'ana', '--json']));
    assert.deepEqual(
      answer.capabilities.map(({ name, what }: Loose) => [name, what]),
      [
        ['ana:report:make', 'created'],
        ['ana:work:load', 'created'],
      ],
    );
    assert.deepEqual(answer.tools, [{ name: 'work:read', connected: true }]);
  });

  test('an import says which servers are missing', async () => {
    const folder = here.pml.project('bare', {});
    const { code, stdout } = await here.pml.run(['import', file, '--prefix', 'bare'], {
      env: { ...dan, PML_PROJECT: 'bare' },
      cwd: folder,
    });
    assert.equal(code, 0);
    assert.match(stdout, /\nNot connected here, and needed: work:read\. Not in your pml\.json: work\.\n$/);
  });

  test('wrong use has an exit code of its own', async () => {
    for (const args of [
      ['import'],
      ['import', 'a', 'b'],
      ['import', 'nowhere.json'],
      ['import', file, '--rename', 'x'],
      ['import', file, '--always'],
      ['export', '--format', 'zip'],
    ])
      assert.equal((await run(here, dan, args)).code, 2, args.join(' '));
    assert.match(await refused(['export', 'nope']), /Capability not found: nope/);
  });

  test('a capability becomes a skill folder, which is written anew but never over a foreign one', async () => {
    const out = join(there.pml.dir, 'skills');
    const said = await done(there, ana, [
      'export',
      'report:make',
      'work:*',
      '--format',
      'skill',
      '--out',
      out,
    ]);
    assert.equal(
      said,
      `${join(out, 'report-make', 'SKILL.md')}: report:make\n${join(out, 'work-load', 'SKILL.md')}: work:load\n`,
    );
    const text = readFileSync(join(out, 'report-make', 'SKILL.md'), 'utf8');
    assert.match(text, /^---\nname: "report-make"\ndescription: "make the daily report\. Use it to call/);
    assert.match(text, /"capability": "report:make"/);
    assert.match(text, /pml run report:make --args '\{/);
    assert.match(text, /the tool `mcp__report__make`/);
    assert.match(readFileSync(join(out, 'report-make', 'references', 'code.ts'), 'utf8'), /mcp\.work\.load/);
    // The bundle in the skill is an ordinary one.
    const bundle = join(out, 'report-make', 'assets', 'bundle.json');
    assert.match(await done(here, dan, ['import', bundle]), /report:make@1 is here already/);
    const answer = JSON.parse(
      await done(there, ana, ['export', 'report:make', '--format', 'skill', '--out', out, '--json']),
    );
    assert.deepEqual(
      answer.skills.map(({ name }: Loose) => name),
      ['report-make'],
    );

    mkdirSync(join(out, 'other'));
    await execute(peer, { name: 'other', code: 'return "other"' });
    const { code, stderr } = await run(there, ana, ['export', 'other', '--format', 'skill', '--out', out]);
    assert.deepEqual([code, existsSync(join(out, 'other', 'SKILL.md'))], [1, false]);
    assert.match(stderr, /was not written by PML/);
  });

  test('the daemon refuses unknown admin requests, and survives callers that disconnect', async () => {
    const caller = async () => {
      const env = { ...there.pml.env, ...ana };
      const handshake = { version: VERSION, kind: 'errands', cwd: there.pml.dir, env };
      const connection = await connectDaemon({ env, handshake, start: false });
      assert.ok(connection);
      return connection.socket;
    };
    const socket = await caller();
    for (const line of ['nonsense', '{}', '{"do":"drop"}', '{"do":"export"}', '{"do":"import","text":1}']) {
      socket.write(`${line}\n`);
      assert.equal(JSON.parse((await readLine(socket, 1e6)) as string).error.code, 'bad_request', line);
    }
    socket.write('{"do":"export","names":["work:load"],"format":"bundle"}\n');
    assert.equal(JSON.parse((await readLine(socket, 1e6)) as string).ok, true);
    socket.destroy();
    for (const line of ['', '{"do":"imp', '{"do":"export","names":[],"format":"skill"}\n']) {
      const going = await caller();
      await new Promise((sent) => going.write(line, sent));
      going.destroy();
    }
    assert.match(await done(there, ana, ['export', 'work:load']), /^\{/);
  });

  test('an agent can neither export nor import', async () => {
    const names = await reader.toolNames();
    assert.deepEqual(
      names.filter((name) => /^(pml|cap)_.*(import|export)/.test(name)),
      [],
    );
  });
});
