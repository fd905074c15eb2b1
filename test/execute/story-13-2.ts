import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Peer } from '../support/clients.ts';
import { execute, failing, type TestBed } from '../support/test-bed.ts';

// Story 13.2 stands in two documents: the story itself, and the epic, which also has the parameter `name`.

const READ = 'return await mcp.filesystem.read({ path: "config.json", encoding: "utf-8" })';

/** Declares the tests of story 13.2. Returns a function that declares the tests of the stored data. */
export function story132(bed: TestBed): () => void {
  let peer: Peer;

  before(async () => {
    peer = await bed.peer();
  });

  test('13.2 AC1: code that ran well gets an FQDN of scope, tools and hash', async () => {
    const { capabilityFqdn } = await execute(peer, { code: READ });
    const [, hash8, hash4] =
      /^local\.default\.filesystem\.exec_([0-9a-f]{8})\.([0-9a-f]{4})$/.exec(capabilityFqdn) ?? [];
    assert.ok(hash8 && hash4, capabilityFqdn);
    assert.ok(hash8.startsWith(hash4));
  });

  test('13.2 AC2: the same code again is the same capability', async () => {
    const first = await execute(peer, { code: READ });
    const again = await execute(peer, { intent: 'put otherwise', code: `// again\n${READ};` });
    assert.equal(again.capabilityFqdn, first.capabilityFqdn);
    assert.equal(again.capabilityId, first.capabilityId);
  });

  test('FR004, FR009, 13.2 AC3, AC4 and epic AC5: the answer has the FQDN and the name, unnamed_<hash> if none was given', async () => {
    const answer = await execute(peer, { code: READ });
    const [, hash8] = /exec_([0-9a-f]{8})\./.exec(answer.capabilityFqdn) ?? [];
    assert.equal(answer.capabilityName, `unnamed_${hash8}`);
    assert.equal(answer.mode, 'direct');
    assert.deepEqual(answer.result, { path: 'config.json', encoding: 'utf-8' });
    assert.deepEqual(answer.toolsUsed, ['filesystem:read']);
    assert.match(answer.capabilityId, /^[0-9a-f-]{36}$/);
    assert.ok(answer.executionTimeMs > 0);
  });

  test('FR001, 13.2 epic AC1, AC4: a name given with the code is its name, and its FQDN ends in it', async () => {
    const code = 'const { path } = args; return mcp.filesystem.read({ path, encoding: "utf-8" })';
    const answer = await execute(peer, { code, name: 'my-config-reader', args: { path: 'a.json' } });
    assert.equal(answer.capabilityName, 'my-config-reader');
    assert.match(answer.capabilityFqdn, /^local\.default\.filesystem\.my-config-reader\.[0-9a-f]{4}$/);
  });

  test('FR002, 13.2 epic AC2: names are free words', async () => {
    for (const name of [
      'read_config',
      'myapp:fetch',
      'my-tool-v2',
      'a:b:c',
      'cap:own',
      ':',
      'X'.repeat(64),
    ]) {
      const { capabilityName } = await execute(peer, { name, code: `return "named ${name}"` });
      assert.equal(capabilityName, name);
      assert.equal((await execute(peer, { capability: name })).result, `named ${name}`);
    }
  });

  test('FR003, 13.2 epic AC3: a name that is taken is refused before the code runs', async () => {
    const code = 'return await mcp.filesystem.keep({ item: "must not be kept" })';
    const { code: kind, message } = await failing(peer, { name: 'read_config', code });
    assert.equal(message, "Capability name 'read_config' already exists in scope local.default");
    assert.equal(kind, 'name_taken');
    const { result } = await execute(peer, { code: 'return await mcp.filesystem.kept()' });
    assert.deepEqual(result, []);
  });

  test('a name that cannot be one, or that is the name of a tool, is refused before the code runs', async () => {
    const code = 'return await mcp.filesystem.keep({ item: "must not be kept" })';
    for (const name of [
      '',
      'a b',
      'a.b',
      'é',
      'X'.repeat(65),
      'ns:',
      "'; drop table capability_records; --",
    ]) {
      assert.equal(
        (await failing(peer, { name, code })).message,
        `Invalid capability name: "${name}". Must be alphanumeric with underscores, hyphens, and colons only.`,
      );
    }
    for (const name of ['filesystem:read', 'mcp__filesystem__read', 'Filesystem:Read']) {
      assert.equal((await failing(peer, { name, code })).code, 'name_taken', name);
    }
    const { result } = await execute(peer, { code: 'return await mcp.filesystem.kept()' });
    assert.deepEqual(result, []);
  });

  test('a name given later goes to an unnamed capability, and a named one keeps its own', async () => {
    const code = 'return await mcp.filesystem.query({ sql: "SELECT name FROM later" })';
    const unnamed = await execute(peer, { code });
    const named = await execute(peer, { code, name: 'later:named' });
    assert.equal(named.capabilityFqdn, unnamed.capabilityFqdn);
    assert.equal(named.capabilityName, 'later:named');
    const kept = await execute(peer, { code, name: 'later:other' });
    assert.equal(kept.capabilityName, 'later:named');
    assert.match(kept.warnings[0], /already the capability "later:named", which keeps its name/);
  });

  test('FR005, 13.2 AC6: a capability is called by its name with arguments', async () => {
    const input = { intent: 'read config', capability: 'my-config-reader', args: { path: 'config.json' } };
    const answer = await execute(peer, input);
    assert.equal(answer.mode, 'capability');
    assert.equal(answer.result.path, 'config.json');
    assert.equal(answer.capabilityName, 'my-config-reader');
    assert.deepEqual(answer.toolsUsed, ['filesystem:read']);
  });

  test('FR006, 13.2 AC7: every spelling of the name finds the same FQDN and its code', async () => {
    const code = 'return await mcp.filesystem.read({ path: args.path ?? "x.json" })';
    const { capabilityFqdn, capabilityId } = await execute(peer, { code, name: 'config:read_json' });
    const unhashed = capabilityFqdn.replace(/\.[0-9a-f]+$/, '');
    assert.equal(unhashed, 'local.default.config.read_json');
    const spellings = [
      'config:read_json',
      'cap:config:read_json',
      'mcp__config__read_json',
      'config:readJson',
      'Config:read-json',
    ];
    for (const capability of [...spellings, capabilityFqdn, unhashed, 'local.default:config:read_json']) {
      const answer = await execute(peer, { capability, args: { path: capability } });
      assert.equal(answer.capabilityFqdn, capabilityFqdn, capability);
      assert.equal(answer.result.path, capability);
    }
    const byId = await execute(peer, { capability_id: capabilityId });
    assert.equal(byId.capabilityFqdn, capabilityFqdn);
  });

  test('FR007, FR008, 13.2 AC8: arguments are laid over the defaults of the schema', async () => {
    const input = { capability: 'my-config-reader', args: { path: 'x.json' } };
    assert.deepEqual((await execute(peer, input)).result, { path: 'x.json', encoding: 'utf-8' });
    const code = 'return [await mcp.filesystem.read({ path: "config.json", encoding: "utf-8" })]';
    await execute(peer, { code, name: 'two-defaults' });
    const one = { capability: 'two-defaults', args: { encoding: 'latin1' } };
    assert.deepEqual((await execute(peer, one)).result, [{ path: 'config.json', encoding: 'latin1' }]);
  });

  test('arguments that the schema refuses are named, and nothing runs', async () => {
    const { code, message } = await failing(peer, { capability: 'my-config-reader', args: { encoding: 7 } });
    assert.equal(code, 'invalid_arguments');
    assert.match(message, /"path" is missing/);
    // The code uses `args.path`, so the encoding that it writes out is none of its parameters.
    assert.match(message, /"encoding" is not one of its parameters/);
    const wrong = await failing(peer, { capability: 'my-config-reader', args: { path: 7 } });
    assert.match(wrong.message, /"path" must be string/);
  });

  test('13.2 AC9: an unknown name is said to be unknown', async () => {
    for (const capability of ['non-existent', 'no:such', 'local.default.no.such.abcd', '', '%']) {
      const { code, message } = await failing(peer, { capability });
      assert.equal(message, `Capability not found: ${capability}`);
      assert.equal(code, 'capability_not_found');
    }
  });

  test('13.2 AC10: a call by name counts, and counts as a success only if it is one', async () => {
    const code = 'if (args.fail) throw new Error("as asked"); return "fine"';
    await execute(peer, { code, name: 'counted' });
    await execute(peer, { capability: 'counted' });
    await execute(peer, { capability: 'counted', args: { fail: false } });
    assert.match((await failing(peer, { capability: 'counted', args: { fail: true } })).message, /as asked/);
  });

  return () => {
    test('13.2 AC10: every call by name is counted, and each success', async () => {
      const [record] = await bed.rows(
        'select usage_count, success_count, total_latency_ms from capability_records where display_name = $1',
        ['counted'],
      );
      assert.equal(record.usage_count, 4);
      assert.equal(record.success_count, 3);
      assert.ok(record.total_latency_ms > 0);
    });

    test('13.2 AC1, AC2, AC7 as stored: one record for the code run three times, its code in the pattern', async () => {
      const records = await bed.rows(
        `select r.id, r.display_name, r.usage_count, r.success_count, p.code_snippet, p.parameters_schema, r.tools_used
       from capability_records r join workflow_pattern p on p.id = r.pattern_id
       where r.id like 'local.default.filesystem.exec\\_%' and p.code_snippet like '%args.encoding%'`,
      );
      assert.equal(records.length, 1);
      const [{ code_snippet, parameters_schema, usage_count, success_count, tools_used }] = records;
      assert.equal(usage_count, 4);
      assert.equal(success_count, 4);
      assert.deepEqual(tools_used, ['filesystem:read']);
      assert.equal(
        code_snippet,
        'return await mcp.filesystem.read({ path: args.path, encoding: args.encoding })',
      );
      assert.equal(parameters_schema.properties.encoding.default, 'utf-8');
    });
  };
}
