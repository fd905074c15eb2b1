/** Results worth keeping: `cache_policy` and `ttl` of a capability, on both stores, through real clients. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { execute, failing, onEachStore, type TestBed } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const config = { mcpServers: { meter: fixtureServer('fixture-meter.ts') } };
const READ = 'return await mcp.meter.read({ key: args.key as string })';
const POLICIES = ['memoize', 'persistent'] as const;

onEachStore(config, (bed) => {
  let ana: Peer;
  let ben: Peer;

  before(async () => {
    [ana, ben] = await Promise.all([asUser(bed, 'ana'), asUser(bed, 'ben')]);
  });

  /** Creates a capability whose result has a key of its own, so that no two of them are the same procedure. */
  const learn = (name: string, code: string, args?: object) => {
    const own = name.replace(':', '_');
    return execute(ana, {
      name,
      code: `const made = await (async () => { ${code} })() as any; return { ...made, ${own}: 1 }`,
      args,
    });
  };
  const cache = (name: string, cache_policy: string, more: object = {}) =>
    ask(ana, 'cap_rename', { name, cache_policy, ttl: 600, ...more });
  /** A capability that reads the meter, with results cached. */
  const reader = async (name: string, policy: string) => {
    await learn(name, READ, { key: 'first' });
    return cache(name, policy);
  };
  const call = (peer: Peer, name: string, key: string) => execute(peer, { capability: name, args: { key } });
  /** The same call again; it must run. */
  async function assertRuns(name: string, key: string, was: Loose, peer = ana): Promise<Loose> {
    const answer = await call(peer, name, key);
    assert.equal(answer.cached, undefined, JSON.stringify(answer));
    assert.ok(answer.result.n > was.result.n);
    return answer;
  }

  for (const policy of POLICIES) {
    const of = (name: string) => `${policy}:${name}`;

    test(`${policy}: an equal call is answered with the kept result, and says so`, async () => {
      const record = await reader(of('equal'), policy);
      assert.equal(record.cache_policy, policy);
      assert.equal(record.ttl, 600);
      const first = await call(ana, of('equal'), `${policy} a`);
      assert.equal(first.cached, undefined);
      const again = await call(ana, of('equal'), `${policy} a`);
      assert.equal(again.cached, true);
      assert.deepEqual(again.result, first.result);
      assert.deepEqual(again.toolsUsed, ['meter:read']);
      assert.notDeepEqual((await call(ana, of('equal'), `${policy} b`)).result, first.result);
      const asTool = await ana.call(of('equal'), { key: `${policy} a` });
      assert.deepEqual(JSON.parse(asTool.content[0].text), first.result);
      assert.deepEqual(asTool._meta, { 'pml/cached': true });
    });

    test(`${policy}: nothing is answered after the capability was changed in any way`, async () => {
      const name = of('changing');
      const key = `${policy} changing`;
      await reader(name, policy);
      let was = await call(ana, name, key);
      const acts: [tool: string, input: object][] = [
        ['cap_rename', { name, new_name: `${name}2` }],
        ['cap_rename', { name: `${name}2`, new_name: name }],
        ['cap_rename', { name, visibility: 'project' }],
        ['cap_rename', { name, visibility: 'private' }],
        ['cap_rename', { name, ttl: 500 }],
      ];
      for (const [tool, input] of acts) {
        await ask(ana, tool, input);
        was = await assertRuns(name, key, was);
        assert.equal((await call(ana, name, key)).cached, true, JSON.stringify(input));
      }
      await ask(ana, 'cap_retire', { name });
      assert.equal((await failing(ana, { capability: name, args: { key } })).code, 'capability_not_found');
      await ask(ana, 'cap_restore', { name });
      was = await assertRuns(name, key, was);
      const { code } = await ask(ana, 'cap_whois', { name });
      await ask(ana, 'cap_update', { name, code: `/* other */ ${code}` });
      was = await assertRuns(name, key, was);
      assert.equal((await call(ana, name, key)).cached, true);
      await ask(ana, 'cap_rename', { name, cache_policy: 'none' });
      await assertRuns(name, key, was);
    });

    test(`${policy}: nothing is answered after a nested capability was changed, hidden or retired`, async () => {
      const inner = of('inner');
      const outer = of('outer');
      await learn(inner, READ, {
        key: 'a',
      });
      await learn(outer, `return (await mcp["${inner}"]({ key: args.key as string })) as object`, {
        key: 'a',
      });
      await cache(outer, policy);
      const key = `${policy} nested`;
      let was = await call(ana, outer, key);
      assert.equal((await call(ana, outer, key)).cached, true);
      const { code } = await ask(ana, 'cap_whois', { name: inner });
      await ask(ana, 'cap_update', { name: inner, code: `/* other */ ${code}` });
      was = await assertRuns(outer, key, was);
      await ask(ana, 'cap_rename', { name: inner, visibility: 'project' });
      await ask(ana, 'cap_rename', { name: outer, visibility: 'project' });
      was = await call(ben, outer, key);
      assert.equal((await call(ben, outer, key)).cached, true);
      await ask(ana, 'cap_rename', { name: inner, visibility: 'private' });
      assert.match((await failing(ben, { capability: outer, args: { key } })).message, /hidden:capability/);
      was = await call(ana, outer, key);
      await ask(ana, 'cap_retire', { name: inner });
      await failing(ana, { capability: outer, args: { key } });
      await ask(ana, 'cap_restore', { name: inner });
      await assertRuns(outer, key, was);
    });

    test(`${policy}: no two principals share a result`, async () => {
      const name = of('shared');
      await reader(name, policy);
      await ask(ana, 'cap_rename', { name, visibility: 'project' });
      const key = `${policy} shared`;
      const was = await call(ana, name, key);
      await assertRuns(name, key, was, ben);
      assert.equal((await call(ana, name, key)).cached, true);
      assert.equal((await call(ben, name, key)).cached, true);
      await ask(ana, 'cap_rename', { name, visibility: 'private' });
      assert.equal((await failing(ben, { capability: name, args: { key } })).code, 'capability_not_found');
    });

    test(`${policy}: failures, secrets and large results are not kept`, async () => {
      await learn(
        of('shaky'),
        'try { return await mcp.meter.shaky({ key: args.key as string }) } catch { return { n: 0 } }',
        { key: 'a' },
      );
      await learn(of('pin'), 'return await mcp.meter.login({ pin: args.pin as string })', { pin: '1234' });
      await learn(of('token'), 'return { token: (await mcp.meter.read({ key: args.key as string })).n }', {
        key: 'a',
      });
      await learn(of('big'), 'return await mcp.meter.big({ bytes: args.bytes as number })', { bytes: 1 });
      await learn(
        of('throwing'),
        'const { n } = await mcp.meter.read({ key: args.key as string }) as any; if (args.key !== "ok") throw new Error("no " + n); return { n }',
        { key: 'ok' },
      );
      for (const name of ['shaky', 'pin', 'token', 'big', 'throwing']) await cache(of(name), policy);
      const twice = async (name: string, args: object) => {
        await execute(ana, { capability: of(name), args });
        return (await execute(ana, { capability: of(name), args })).cached;
      };
      assert.equal(await twice('pin', { pin: '9876' }), undefined);
      assert.equal(await twice('token', { key: `${policy} token` }), undefined);
      assert.equal(await twice('big', { bytes: 300_000 }), undefined);
      assert.equal(await twice('big', { bytes: 3 }), true);
      const shaky = [1, 2, 3].map(() => ({ capability: of('shaky'), args: { key: `${policy} shaky` } }));
      const seen = [];
      for (const input of shaky) seen.push(await execute(ana, input));
      assert.deepEqual(
        seen.map(({ result, cached }) => [result.n, cached]),
        [
          [0, undefined],
          [2, undefined],
          [2, true],
        ],
      );
      const messages = [];
      for (const _ of [1, 2])
        messages.push(
          (await failing(ana, { capability: of('throwing'), args: { key: `${policy} bad` } })).message,
        );
      assert.notEqual(messages[0], messages[1]);
    });

    test(`${policy}: nested calls use kept results, and what they depend on`, async () => {
      const name = of('part');
      await reader(name, policy);
      const key = `${policy} part`;
      const was = await call(ana, name, key);
      const code = `return await Promise.all([1, 2].map(() => mcp["${name}"]({ key: ${JSON.stringify(key)} })))`;
      const { result } = await execute(ana, { code, options: { remember: false } });
      assert.deepEqual(result, [was.result, was.result]);
    });

    test(`${policy}: a result from the cache is cut to what its caller allows`, async () => {
      await learn(of('limited'), 'return await mcp.meter.big({ bytes: args.bytes as number })', { bytes: 1 });
      await cache(of('limited'), policy);
      const args = { bytes: 5000 };
      await execute(ana, { capability: of('limited'), args });
      assert.equal((await execute(ana, { capability: of('limited'), args })).cached, true);
      const options = { max_result_bytes: 100 };
      const cut = await execute(ana, { capability: of('limited'), args, options });
      assert.ok(cut.cached && cut.truncated.bytes > 5000 && JSON.stringify(cut.result).length <= 100);
    });

    test(`${policy}: equal calls at once run once, whoever leads`, async () => {
      const name = of('gate');
      await learn(name, 'return args.key === "no" ? {} : await mcp.meter.gate({ key: args.key as string })', {
        key: 'no',
      });
      await cache(name, policy);
      await concurrently(name, `${policy} all`);
      await cancelledLeader(name, `${policy} cancelled`);
      await impatientWaiter(name, `${policy} impatient`);
    });
  }

  /** Five sessions of one user. */
  async function sessions(): Promise<Peer[]> {
    return Promise.all([1, 2, 3, 4, 5].map(() => asUser(bed, 'ana')));
  }

  async function concurrently(name: string, key: string): Promise<void> {
    const peers = await sessions();
    const calls = peers.map((peer) => call(peer, name, key));
    await ana.call('meter:arrived', { calls: 1 });
    await untilWaiting(peers);
    await ana.call('meter:open');
    const answers = await Promise.all(calls);
    assert.deepEqual(new Set(answers.map(({ result }) => result.n)), new Set([1]));
    assert.equal(answers.filter(({ cached }) => cached).length, 4);
  }

  async function cancelledLeader(name: string, key: string): Promise<void> {
    const [first, ...others] = await sessions();
    const stop = new AbortController();
    const leading = execute(first as Peer, { capability: name, args: { key } }, { signal: stop.signal });
    leading.catch(() => {});
    await ana.call('meter:arrived', { calls: 1 });
    const calls = others.map((peer) => call(peer, name, key));
    await untilWaiting(others);
    stop.abort();
    await assert.rejects(leading);
    await ana.call('meter:arrived', { calls: 2 });
    await ana.call('meter:open');
    const answers = await Promise.all(calls);
    assert.equal(new Set(answers.map(({ result }) => result.n)).size, 1);
    assert.equal(answers.filter(({ cached }) => cached).length, 3);
  }

  async function impatientWaiter(name: string, key: string): Promise<void> {
    const [first, second] = (await sessions()) as [Peer, Peer];
    const leading = call(first, name, key);
    await ana.call('meter:arrived', { calls: 1 });
    const options = { timeout: 200 };
    assert.equal((await failing(second, { capability: name, args: { key }, options })).code, 'code_timeout');
    await ana.call('meter:open');
    assert.equal((await leading).result.n, 1);
  }

  /** A later call of each session is answered after the earlier one has come as far as it comes. */
  async function untilWaiting(peers: readonly Peer[]): Promise<void> {
    for (const _ of [1, 2])
      await Promise.all(
        peers.map((peer) => execute(peer, { code: 'return 1', options: { remember: false } })),
      );
  }

  test('a capability that may change something is cached only by force, and its update must be forced again', async () => {
    const name = 'force:write';
    await learn(name, 'return await mcp.meter.write({ key: args.key as string })', { key: 'a' });
    const refused = await refusal(ana, 'cap_rename', { name, cache_policy: 'memoize' });
    assert.equal(
      refused,
      'not_allowed: The results of "force:write" cannot be cached: it calls tools that are not marked read-only (meter:write).',
    );
    await learn('force:around', 'return (await mcp["force:write"]({ key: args.key as string })) as object', {
      key: 'a',
    });
    assert.match(
      await refusal(ana, 'cap_rename', { name: 'force:around', cache_policy: 'memoize' }),
      /meter:write/,
    );
    await learn(
      'force:any',
      'const tools = ["meter:read"]; return await mcp[tools[args.at as number]]({ key: "z" })',
      { at: 0 },
    );
    assert.match(
      await refusal(ana, 'cap_rename', { name: 'force:any', cache_policy: 'memoize' }),
      /computes some of the names/,
    );
    await cache(name, 'memoize', { force: true });
    await call(ana, name, 'forced');
    assert.equal((await call(ana, name, 'forced')).cached, true);
    const code = '/* new */ return await mcp.meter.write({ key: args.key as string })';
    assert.match(await refusal(ana, 'cap_update', { name, code, cache_policy: 'persistent' }), /meter:write/);
    const { warnings } = await ask(ana, 'cap_update', { name, code });
    assert.match(
      warnings[0],
      /^Its results are no longer cached: it calls tools that are not marked read-only/,
    );
    assert.equal((await ask(ana, 'cap_whois', { name })).cache_policy, 'none');
    await ask(ana, 'cap_update', { name, code: `${code};`, cache_policy: 'memoize', ttl: 60, force: true });
    const { cache_policy, ttl } = await ask(ana, 'cap_whois', { name });
    assert.deepEqual({ cache_policy, ttl }, { cache_policy: 'memoize', ttl: 60 });
  });

  test('a tool that a run called unforeseen and that is not read-only keeps the result from being cached', async () => {
    const name = 'unforeseen:outer';
    await learn('unforeseen:inner', READ, { key: 'a' });
    await learn(name, 'return (await mcp["unforeseen:inner"]({ key: args.key as string })) as object', {
      key: 'a',
    });
    await cache(name, 'memoize');
    await ask(ana, 'cap_update', {
      name: 'unforeseen:inner',
      code: 'return await mcp.meter.write({ key: args.key as string })',
    });
    const was = await call(ana, name, 'unforeseen');
    await assertRuns(name, 'unforeseen', was);
  });

  test('ttl is checked, and only the maker may set it', async () => {
    const name = 'ttl:checked';
    await learn(name, READ, { key: 'a' });
    for (const ttl of [0, -1, 2_592_001, 2 ** 40])
      assert.equal(
        await refusal(ana, 'cap_rename', { name, cache_policy: 'memoize', ttl }),
        `invalid_arguments: ttl must be 1 to 2592000 seconds, not ${ttl}.`,
      );
    for (const ttl of [1.5, '60', null])
      assert.match(
        await refusal(ana, 'cap_rename', { name, cache_policy: 'memoize', ttl }),
        /^invalid_arguments: /,
      );
    assert.equal((await ask(ana, 'cap_rename', { name, cache_policy: 'memoize' })).ttl, 300);
    await ask(ana, 'cap_rename', { name, visibility: 'project' });
    assert.match(await refusal(ben, 'cap_rename', { name, cache_policy: 'none' }), /^not_allowed: /);
  });

  test('statistics count answers from the cache apart', async () => {
    const name = 'stats:read';
    await reader(name, 'memoize');
    for (const _ of [1, 2, 3, 4]) await call(ana, name, 'stats');
    await failing(ana, { capability: name, args: { key: 7 } });
    const { capabilities } = await ask(ana, 'cap_stats', { name });
    const [figures] = capabilities;
    // One call made it, one ran, three were cached. One was refused, and does not count.
    assert.deepEqual(
      { calls: figures.calls, success: figures.success, cached: figures.cached, rate: figures.success_rate },
      { calls: 5, success: 5, cached: 3, rate: 1 },
    );
    const { usage_count, success_count, cached_count } = await ask(ana, 'cap_whois', { name });
    assert.deepEqual(
      { usage_count, success_count, cached_count },
      { usage_count: 2, success_count: 2, cached_count: 3 },
    );
  });

  stored(bed);
});

/** Looks into the store, after all else. */
function stored(bed: TestBed): void {
  test('the journal marks answers from the cache, and the store holds no secret', async () => {
    const [{ cached, ran }] = await bed.rows(
      `select count(*) filter (where cached) as cached, count(*) filter (where not cached) as ran from tool_usage
       where tool = 'stats:read'`,
    );
    assert.deepEqual({ cached, ran }, { cached: 3, ran: 3 });
    const rows = await bed.rows('select result, dependencies::text from cached_results');
    assert.ok(rows.length > 5);
    assert.ok(!JSON.stringify(rows).includes('9876'));
  });
}
