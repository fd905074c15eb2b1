import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { parseFqdn } from '../../src/registry/testing.ts';
import type { Peer } from '../support/clients.ts';
import { execute, failing, type TestBed } from '../support/test-bed.ts';

// The code and the schema of a record are in its pattern, as story 13.2 (its migration 023) decided.
const RECORD_COLUMNS = [
  ...['id', 'display_name', 'org', 'project', 'namespace', 'action', 'hash'],
  ...['created_by', 'created_at', 'updated_by', 'updated_at'],
  ...['version', 'version_tag', 'verified', 'signature'],
  ...['usage_count', 'success_count', 'total_latency_ms'],
  ...['tags', 'visibility', 'description', 'tools_used', 'routing', 'pattern_id'],
];
const PATTERN_COLUMNS = ['id', 'code_hash', 'code_snippet', 'parameters_schema', 'tools_used'];
const INDEXED = [
  ...['btree (org, project)', 'btree (org, project, display_name)', 'btree (namespace)'],
  ...['btree (created_by)', 'btree (visibility)', 'gin (tags)'],
];

/** Declares the tests of story 13.1. Returns a function that declares the tests of the stored data. */
export function story131(bed: TestBed): () => void {
  let peer: Peer;

  before(async () => {
    peer = await bed.peer();
  });

  test('FR035, 13.1 AC4, AC6: the FQDN is scope, namespace, action and at least four digits of the hash', async () => {
    const { capabilityFqdn } = await execute(peer, { name: 'fs:read_json', code: 'return "json"' });
    assert.match(capabilityFqdn, /^local\.default\.fs\.read_json\.[0-9a-f]{4}$/);
    const { hash, ...parts } = parseFqdn(capabilityFqdn) ?? {};
    assert.deepEqual(parts, { org: 'local', project: 'default', namespace: 'fs', action: 'read_json' });
    assert.match(String(hash), /^[0-9a-f]{4}$/);
  });

  test('13.1 AC4: without a namespace it is that of the tools used, else util', async () => {
    const used = await execute(peer, { name: 'keeper', code: 'return await mcp.work.keep({ item: 1 })' });
    assert.match(used.capabilityFqdn, /^local\.default\.work\.keeper\./);
    const bare = await execute(peer, { name: 'bare', code: 'return "bare"' });
    assert.match(bare.capabilityFqdn, /^local\.default\.util\.bare\./);
  });

  test('13.1 AC5: the display name of an FQDN is the name that was given, letter for letter', async () => {
    const { capabilityFqdn } = await execute(peer, { name: 'My:Odd-Name_2', code: 'return "odd"' });
    const { capabilityName } = await execute(peer, { capability: capabilityFqdn });
    assert.equal(capabilityName, 'My:Odd-Name_2');
  });

  test('13.1 AC7: a short name means the record of the own scope', async () => {
    const acme = await bed.peer('SDK v1', 'stdio', { env: { PML_ORG: 'acme', PML_PROJECT: 'webapp' } });
    const there = await execute(acme, { name: 'fs:read_json', code: 'return "json of acme"' });
    assert.match(there.capabilityFqdn, /^acme\.webapp\.fs\.read_json\.[0-9a-f]{4}$/);
    assert.equal((await execute(acme, { capability: 'fs:read_json' })).result, 'json of acme');
    assert.equal((await execute(peer, { capability: 'fs:read_json' })).result, 'json');
    await execute(acme, { name: 'only:here', code: 'return "only acme"' });
    assert.equal(
      (await failing(peer, { capability: 'only:here' })).message,
      'Capability not found: only:here',
    );
    assert.ok((await acme.toolNames()).includes('mcp__only__here'));
    assert.ok(!(await peer.toolNames()).includes('mcp__only__here'));
  });

  test('FR031, FR033, 13.1 AC8: a former name still works, and is said and logged to be one', async () => {
    const code = 'return await mcp.work.query({ sql: "SELECT 8" })';
    const { capabilityName: former } = await execute(peer, { code });
    await execute(peer, { code, name: 'now:named' });
    const { result, warnings } = await execute(peer, { capability: former });
    assert.deepEqual(result, { ran: 'SELECT 8' });
    assert.deepEqual(warnings, [`"${former}" is a former name of "now:named".`]);
    await peer.call(former);
    await execute(peer, { code: `return await mcp[${JSON.stringify(former)}]()` });
    const log = readFileSync(join(bed.pml.home, 'log', 'pml.log'), 'utf8');
    const warning = `[WARN] Deprecated: Using alias "${former}" for capability "now:named". Update your code.`;
    // By pml_execute, as a tool, and from code.
    assert.equal(log.split(warning).length - 1, 3);
  });

  test('13.1 AC9: a name before the last one still leads to the capability', async () => {
    const { capabilityFqdn } = await execute(peer, { name: 'chain:a', code: 'return "linked"' });
    await peer.call('cap_rename', { name: 'chain:a', new_name: 'chain:b' });
    await peer.call('cap_rename', { name: 'chain:a', new_name: 'chain:c' });
    for (const capability of ['chain:a', 'chain:b', 'chain:c', capabilityFqdn]) {
      const answer = await execute(peer, { capability });
      assert.deepEqual([answer.capabilityFqdn, answer.capabilityName], [capabilityFqdn, 'chain:c']);
    }
  });

  return () => {
    test('FR036, FR037, FR038, FR039, 13.1 AC1: capability_records and workflow_pattern have their columns', async () => {
      for (const [table, wanted] of [
        ['capability_records', RECORD_COLUMNS],
        ['workflow_pattern', PATTERN_COLUMNS],
      ] as const) {
        const columns = await bed.rows(
          'select column_name as name from information_schema.columns where table_name = $1',
          [table],
        );
        const names = columns.map(({ name }) => name);
        for (const column of wanted) assert.ok(names.includes(column), `${table}.${column}`);
      }
    });

    test('13.1 AC2: the indexes are there', async () => {
      const indexes = await bed.rows(
        "select indexdef from pg_indexes where tablename = 'capability_records'",
      );
      for (const wanted of INDEXED) {
        assert.ok(
          indexes.some(({ indexdef }) => indexdef.endsWith(`USING ${wanted}`)),
          wanted,
        );
      }
    });

    test('FR032, 13.1 AC3, AC9: each alias points to the FQDN itself', async () => {
      const aliases = await bed.rows(
        `select a.alias, a.org, a.project, a.target_fqdn, a.created_at from capability_aliases a
         join capability_records r on r.id = a.target_fqdn where r.display_name = 'chain:c'`,
      );
      assert.deepEqual(aliases.map(({ alias }) => alias).sort(), ['chain:a', 'chain:b']);
      for (const { org, project, target_fqdn, created_at } of aliases) {
        assert.deepEqual([org, project], ['local', 'default']);
        assert.match(target_fqdn, /^local\.default\.chain\.a\./);
        assert.ok(created_at instanceof Date);
      }
    });

    test('13.1 AC10: what is not given has a default', async () => {
      const [row] = await bed.rows(
        "select version, verified, tags, visibility, routing, usage_count from capability_records where display_name = 'bare'",
      );
      assert.deepEqual(row, {
        version: 1,
        verified: false,
        tags: [],
        visibility: 'private',
        routing: 'cloud',
        usage_count: 1,
      });
    });
  };
}
