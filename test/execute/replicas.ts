import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPeer, KINDS, type Peer } from '../support/clients.ts';
import { Pml } from '../support/pml.ts';
import { upReady } from '../support/servers-ready.ts';
import { answerOf, CHANGED, execute, failing, type TestBed } from '../support/test-bed.ts';

const TEN = Array.from({ length: 10 }, (_, at) => at);

/** Declares the tests with many sessions at once. Returns a function that declares the tests of the stored data. */
export function manySessions(bed: TestBed): () => void {
  let peers: Peer[];

  before(async () => {
    peers = await Promise.all(TEN.map((at) => bed.peer(KINDS[at % KINDS.length])));
  });

  test('ten sessions that run the same new code at once make one capability', async () => {
    const code = 'return [await mcp.work.read({ path: "a.json" }), "at once"]';
    const answers = await Promise.all(peers.map((peer) => execute(peer, { code })));
    assert.equal(new Set(answers.map(({ capabilityFqdn }) => capabilityFqdn)).size, 1);
    assert.equal(new Set(answers.map(({ capabilityId }) => capabilityId)).size, 1);
  });

  test('one of ten sessions that claim one name for different code gets it', async () => {
    const answers = await Promise.all(
      peers.map((peer, at) => answerOf(peer, { name: 'race:won', code: `return "won by ${at}"` })),
    );
    const won = answers.filter(({ capabilityName }) => capabilityName === 'race:won');
    assert.equal(won.length, 1);
    for (const { capabilityName, error, warnings } of answers) {
      if (capabilityName === 'race:won') continue;
      // The name was taken before the run, or during it: then the result is still returned.
      const said = error?.message ?? warnings[0];
      assert.match(said, /Capability name 'race:won' already exists in scope local\.default$/);
    }
    const { content } = await (peers[0] as Peer).call('mcp__race__won');
    assert.equal(content[0].text, won[0].result);
  });

  return () => {
    test('concurrent runs of one code store one record, and every run is counted', async () => {
      const records = await bed.rows(
        `select r.usage_count, r.success_count from capability_records r join workflow_pattern p on p.id = r.pattern_id
       where p.code_snippet like '%at once%' or p.code_snippet like '%won by%' order by usage_count`,
      );
      assert.deepEqual(records, [
        { usage_count: 2, success_count: 2 },
        { usage_count: 10, success_count: 10 },
      ]);
    });
  };
}

/** Declares the tests with two daemons on one PostgreSQL. Returns a function that declares the tests of the stored data. */
export function twoDaemons(bed: TestBed): () => void {
  const second = new Pml({ after }, bed.config);
  let here: Peer;
  let there: Peer[];

  before(async () => {
    here = await bed.peer();
    second.env.PML_DATABASE_URL = bed.pml.env.PML_DATABASE_URL as string;
    const url = await upReady(second);
    there = await Promise.all(KINDS.map((kind) => connectPeer(second, kind, 'HTTP', url)));
  });

  test('a capability named at one daemon is announced, listed and callable at the other', async () => {
    for (const peer of there) assert.ok(!(await peer.toolNames()).includes('mcp__far__read'));
    await execute(here, {
      name: 'far:read',
      code: 'return { ...await mcp.work.read({ path: "here.json" }), far: true }',
    });
    for (const peer of there) {
      await peer.notifications.until(CHANGED);
      assert.ok((await peer.toolNames()).includes('mcp__far__read'), peer.kind);
      const { structuredContent } = await peer.call('far:read');
      assert.equal(structuredContent.path, 'here.json');
      assert.deepEqual(peer.errors, []);
    }
  });

  test('the same code run at both daemons is one capability, and a name taken at one is taken at both', async () => {
    const [other] = there as [Peer];
    const code = 'return await mcp.work.query({ sql: "SELECT shared" })';
    const answers = await Promise.all([execute(here, { code }), execute(other, { code })]);
    assert.equal(answers[0].capabilityFqdn, answers[1].capabilityFqdn);
    const { message } = await failing(other, { name: 'far:read', code: 'return "other"' });
    assert.equal(message, "Capability name 'far:read' already exists in scope local.default");
  });

  test('a large result is read at the daemon that keeps it; another says that it does not', async () => {
    const [other] = there as [Peer];
    const { truncated } = await execute(here, { code: 'return Array(20_000).fill("row")' });
    const code = `return (await pml.result("${truncated.run}")).length`;
    assert.equal((await execute(here, { code })).result, 20_000);
    const { message } = await failing(other, { code });
    assert.match(message, /is not kept here: another process of PML may keep it.*Run that code again/);
  });

  return () => {
    test('both daemons add to the same counters', async () => {
      await second.run(['down']);
      const [record] = await bed.rows(
        "select usage_count, success_count from capability_records where display_name = 'far:read'",
      );
      assert.deepEqual(record, { usage_count: 4, success_count: 4 });
    });
  };
}
