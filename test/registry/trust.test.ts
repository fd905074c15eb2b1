import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openDb } from '../../src/store/index.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, onEachStore, type TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const SECRET = 'whatever-4711-the-operator-hides';
const config = {
  mcpServers: {
    work: { ...fixtureServer('fixture-work.ts'), env: { WORK_KEY: `\${WORK_KEY}` } },
  },
};

onEachStore(config, (bed) => {
  bed.pml.env.WORK_KEY = SECRET;
  let peer: Peer;
  const verify = (name: string) => ask(peer, 'cap_verify', { name });
  const kept = async () => (await execute(peer, { code: 'return await mcp.work.kept()' })).result.length;

  before(async () => {
    peer = await asUser(bed, 'ana');
  });

  test('the key is made on the first start, for its owner alone', () => {
    assert.equal(statSync(join(bed.pml.home, 'keys', 'instance.pem')).mode & 0o777, 0o600);
  });

  test('a run that is remembered can be replayed: same calls, same result, no side effect', async () => {
    const code = `const made = await mcp.work.keep({ item: "a" });
      const [one, two] = await Promise.all(["x", "y"].map((path) => mcp.work.read({ path })));
      let why = "";
      try { await mcp.work.refuse({ why: "not today" }) } catch (error) { why = error.message }
      return { made, paths: [one.path, two.path, args.more], why };`;
    const { result } = await execute(peer, { name: 'trust:work', code, args: { more: 'z' } });
    assert.deepEqual(result.why, 'not today');
    const before = await kept();

    const { verified, runs } = await verify('trust:work');

    assert.equal(verified, true);
    assert.equal(runs.length, 1);
    assert.deepEqual([runs[0].passed, runs[0].differences], [true, []]);
    assert.match(runs[0].run, /^[0-9a-f-]{36}$/);
    assert.equal(await kept(), before);
    const {
      verified: known,
      signature,
      signature_valid,
    } = await ask(peer, 'cap_whois', { name: 'trust:work' });
    assert.deepEqual([known, signature_valid], [true, true]);
    assert.match(signature, /^ed25519:/);
    // Other arguments make another recording; the same ones do not.
    await peer.call('trust:work', { more: 'q' });
    await peer.call('trust:work', { more: 'q' });
    assert.deepEqual(
      (await verify('trust:work')).runs.map((one: Loose) => one.passed),
      [true, true],
    );
  });

  test('an update says what the new code does otherwise, and does nothing to find out', async () => {
    await execute(peer, {
      name: 'trust:changes',
      code: 'const a = await mcp.work.keep({ item: "k" }); const b = await mcp.work.read({ path: "p" }); return b.path',
    });
    const { code } = await ask(peer, 'cap_whois', { name: 'trust:changes' });
    const before = await kept();

    const same = await ask(peer, 'cap_update', { name: 'trust:changes', code: `// the same\n${code}` });
    assert.deepEqual(same.replay, { passed: 1, failed: 0, differences: [] });
    assert.equal((await ask(peer, 'cap_whois', { name: 'trust:changes' })).verified, true);

    const other = await ask(peer, 'cap_update', {
      name: 'trust:changes',
      code: 'const b = await mcp.work.read({ path: "other/" + args.path }); return b.path',
    });
    assert.deepEqual([other.replay.passed, other.replay.failed], [0, 1]);
    assert.deepEqual(other.replay.differences, [
      'It does not take "item", as the recorded run did.',
      'It calls work:read with {"path":"other/p"}, which the recorded run did not.',
      'It does not call work:keep with {"item":"k"}, as the recorded run did.',
      'It does not call work:read with {"path":"p"}, as the recorded run did.',
    ]);
    assert.equal((await ask(peer, 'cap_whois', { name: 'trust:changes' })).verified, false);

    const result = await ask(peer, 'cap_update', {
      name: 'trust:changes',
      code: code.replace('return b.path', 'return [b.path]'),
    });
    assert.deepEqual(result.replay.differences, ['It returns ["p"] instead of p.']);
    assert.equal(await kept(), before);
  });

  test('the code that was tried with args is recorded for its own version', async () => {
    await execute(peer, { name: 'trust:tried', code: 'return (await mcp.work.read({ path: "p" })).path' });
    const { replay } = await ask(peer, 'cap_update', {
      name: 'trust:tried',
      code: 'return "now " + (await mcp.work.read({ path: args.path })).path',
      args: { path: 'q' },
    });
    assert.equal(replay.failed, 1);
    const { verified, runs } = await verify('trust:tried');
    assert.deepEqual([verified, runs.length], [true, 1]);
  });

  test('a capability that calls another is replayed without running the other', async () => {
    await execute(peer, { name: 'trust:inner', code: 'return await mcp.work.keep({ item: "inner" })' });
    await execute(peer, { name: 'trust:outer', code: 'return { got: await mcp.trust.inner({}) }' });
    const before = await kept();
    assert.equal((await verify('trust:outer')).verified, true);
    assert.equal(await kept(), before);
    const { replay } = await ask(peer, 'cap_update', { name: 'trust:outer', code: 'return 1' });
    // The report names the capability by its name.
    assert.match(replay.differences[0], /^It does not call trust:inner with \{\}/);
  });

  test('code that never ran cannot be verified, and code whose result varies fails', async () => {
    await execute(peer, { name: 'trust:source', code: 'return "the source"' });
    await ask(peer, 'cap_fork', { source: 'trust:source', name: 'trust:fork' });
    const fresh = await verify('trust:fork');
    assert.deepEqual([fresh.verified, fresh.runs], [false, []]);
    assert.match(fresh.hint, /Call it once/);
    await execute(peer, { name: 'trust:random', code: 'return Math.random()' });
    const random = await verify('trust:random');
    assert.equal(random.verified, false);
    assert.match(random.runs[0].differences[0], /^It returns 0\.\d+ instead of 0\.\d+/);
  });

  test('only those who may change a capability replay its runs, and only the runs of its maker are kept', async () => {
    await execute(peer, { name: 'trust:shared', code: 'return "hello " + args.who', args: { who: 'ana' } });
    await ask(peer, 'cap_rename', { name: 'trust:shared', visibility: 'project' });
    const ben = await asUser(bed, 'ben');
    await ben.call('trust:shared', { who: 'ben, who is private' });
    assert.match(await refusal(ben, 'cap_verify', { name: 'trust:shared' }), /^not_allowed: Only ana/);
    assert.equal((await verify('trust:shared')).runs.length, 1);
    assert.equal(
      await refusal(peer, 'cap_verify', { name: 'trust:none' }),
      'capability_not_found: Capability not found: trust:none',
    );
  });

  test('cap_verify works on the command line', async () => {
    const options = { env: { PML_USER: 'ana' } };
    const shown = await bed.pml.run(['verify', 'trust:work'], options);
    assert.match(shown.stdout, /^verified\npassed {2}run [0-9a-f-]{36}\n/);
    assert.equal(shown.code, 0);
    const json = await bed.pml.run(['verify', 'trust:random', '--json'], options);
    assert.equal(JSON.parse(json.stdout).verified, false);
  });

  test('code that holds a secret of the configuration is not remembered', async () => {
    const code = `return await mcp.work.query({ sql: "select '${SECRET}'" })`;
    const { warnings, capabilityName } = await execute(peer, { code });
    assert.equal(capabilityName, undefined);
    const lifted = await execute(peer, { code: `return await mcp.work.read({ path: "/${SECRET}/a" })` });
    assert.equal(lifted.capabilityName, undefined);
    assert.match(warnings[0], /not remembered.*holds a secret of the configuration or environment/);
    assert.match(
      await refusal(peer, 'cap_update', { name: 'trust:work', code }),
      /^code_denied: .*holds a secret/,
    );
  });

  test('no recording holds a secret', async () => {
    const token = 'tok-1234-5678-abcd';
    await execute(peer, {
      name: 'trust:secrets',
      code: `const seen = await mcp.work.repos({ owner: "me", token: args.token });
        const echo = await mcp.work.query({ sql: args.token + " and " + args.more });
        return { ...seen, echo, password: "pw-1", nested: { Authorization: ["Basic dTpw"] } };`,
      args: { token, more: SECRET },
    });
    const { runs } = await verify('trust:secrets');
    assert.deepEqual(runs[0].differences, []);

    const rows = await bed.rows(
      'select args::text || calls::text || result::text as text from run_recordings',
    );

    const all = rows.map((row) => row.text).join('\n');
    for (const secret of [token, SECRET, 'pw-1', 'dTpw']) assert.ok(!all.includes(secret), secret);
    assert.match(all, /"token": "\[hidden\]"/);
  });
});

/** Tampers with the code of a capability in the database. */
async function tamper(bed: TestBed, marker: string): Promise<void> {
  const databaseUrl = bed.pml.env.PML_DATABASE_URL;
  if (!databaseUrl) await bed.pml.run(['down']);
  const db = await openDb({ home: bed.pml.home, ...(databaseUrl && { databaseUrl }) });
  await db.query('alter table workflow_pattern disable trigger user');
  const { rowCount } = await db.query(
    `update workflow_pattern set code_snippet = 'return "evil"' where code_snippet like '%' || $1 || '%'`,
    [marker],
  );
  assert.equal(rowCount, 1);
  await db.close();
}

onEachStore({ scope: { admins: ['root'] } }, (bed) => {
  test('the admins of a scope change what others made there, and others do not', async () => {
    const [ana, ben, root] = await Promise.all(['ana', 'ben', 'root'].map((user) => asUser(bed, user)));
    assert.ok(ana && ben && root);
    await execute(ana, { name: 'owned:by_ana', code: 'return "mine"' });
    await ask(ana, 'cap_rename', { name: 'owned:by_ana', visibility: 'project' });
    for (const [tool, input] of Object.entries({
      cap_rename: { new_name: 'owned:by_ben' },
      cap_update: { code: 'return 2' },
      cap_retire: {},
      cap_verify: {},
    })) {
      const said = await refusal(ben, tool, { name: 'owned:by_ana', ...input });
      assert.match(
        said,
        /^not_allowed: Only ana, who made "owned:by_ana", and the admins of its scope may change it/,
      );
    }
    assert.equal((await ask(root, 'cap_rename', { name: 'owned:by_ana', tags: ['kept'] })).tags[0], 'kept');
    assert.equal((await ask(root, 'cap_update', { name: 'owned:by_ana', code: 'return "ours"' })).version, 2);
    assert.equal((await ask(root, 'cap_verify', { name: 'owned:by_ana' })).runs.length, 1);
    await ask(root, 'cap_retire', { name: 'owned:by_ana' });
    await ask(root, 'cap_restore', { name: 'owned:by_ana' });
    // In another scope root has no rights.
    const elsewhere = await asUser(bed, 'root', { PML_PROJECT: 'other' });
    await ask(ana, 'cap_rename', { name: 'owned:by_ana', visibility: 'org' });
    assert.match(
      await refusal(elsewhere, 'cap_retire', { name: 'local.default:owned:by_ana' }),
      /^not_allowed/,
    );
  });

  test('a tampered row refuses to run, however it is called, and says why', async () => {
    let peer = await asUser(bed, 'ana');
    await execute(peer, { name: 'trust:victim', code: 'return "the victim"' });
    await execute(peer, { name: 'trust:user', code: 'return await mcp.trust.victim()' });
    assert.equal((await peer.call('trust:victim')).content[0].text, 'the victim');

    await tamper(bed, 'the victim');

    if (!bed.onPostgres) peer = await asUser(bed, 'ana');
    const reason =
      /signature_invalid: "trust:victim@1" does not run: its code or parameters are not the ones that were signed/;
    assert.match(await refusal(peer, 'trust:victim'), reason);
    assert.match(await refusal(peer, 'mcp__trust__victim@v1'), reason);
    assert.match(await refusal(peer, 'cap_fork', { source: 'trust:victim', name: 'trust:copy' }), reason);
    assert.match(await refusal(peer, 'cap_verify', { name: 'trust:victim' }), reason);
    for (const input of [{ capability: 'trust:victim' }, { code: 'return await mcp.trust.victim()' }]) {
      const { message } = await failing(peer, input);
      assert.match(message, /"trust:victim@1" does not run/);
    }
    assert.match(await refusal(peer, 'trust:user'), /"trust:victim@1" does not run/);
    assert.equal((await ask(peer, 'cap_whois', { name: 'trust:victim' })).signature_valid, false);
    // The remedy that the message names.
    await ask(peer, 'cap_update', { name: 'trust:victim', code: 'return "mended"' });
    assert.equal((await peer.call('trust:victim')).content[0].text, 'mended');
  });
});
