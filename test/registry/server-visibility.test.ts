import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventually } from '../../src/testing/wait.ts';
import type { Loose, Peer } from '../support/clients.ts';
import { fixtureServer } from '../support/pml.ts';
import { onEachStore } from '../support/test-bed.ts';
import { ask, asUser, refusal } from '../support/tool-answers.ts';

const server = (visibility?: string) => ({
  ...fixtureServer('fixture-work.ts'),
  ...(visibility && { pml: { visibility } }),
});
const config = {
  mcpServers: { plain: server(), own: server('private'), open: server('public') },
  scope: { admins: ['boss'] },
};

onEachStore(config, (bed) => {
  /** The user who started the servers. */
  let owner: Peer;
  let ana: Peer;
  let boss: Peer;
  let far: Peer;
  const seen = async (peer: Peer, name: string): Promise<string> => {
    const { structuredContent } = await peer.call('cap_lookup', { name });
    return structuredContent.visibility ?? structuredContent.error.message;
  };

  before(async () => {
    owner = await bed.peer();
    for (const name of ['mcp:plain', 'mcp:own', 'mcp:open'])
      await eventually(
        async () => (await owner.call('cap_lookup', { name })).isError !== true,
        `${name} is recorded`,
      );
    [ana, boss, far] = await Promise.all([
      asUser(bed, 'ana'),
      asUser(bed, 'boss'),
      asUser(bed, 'dan', { PML_ORG: 'far' }),
    ]);
  });

  test('FR056, 13.8 AC6: the config says who may look a server up', async () => {
    const { fqdn } = await ask(ana, 'cap_lookup', { name: 'mcp:plain' });
    assert.deepEqual(
      [await seen(ana, 'mcp:plain'), await seen(owner, 'mcp:own'), await seen(ana, 'mcp:open')],
      ['project', 'private', 'public'],
    );
    assert.equal(await seen(boss, 'mcp:own'), 'Capability not found: mcp:own');
    assert.equal(await seen(far, fqdn), `Capability not found: ${fqdn}`);
    const open = await ask(ana, 'cap_lookup', { name: 'mcp:open' });
    assert.equal(await seen(far, open.fqdn), 'public');
  });

  test('FR056: an admin changes it, others do not', async () => {
    const name = 'mcp:plain';
    const change = { name, visibility: 'public', description: 'Work', tags: ['a'] };
    assert.match(await refusal(ana, 'cap_rename', change), /^not_allowed: Only the admins of its scope/);
    const changed: Loose = await ask(boss, 'cap_rename', change);
    assert.deepEqual(
      [changed.display_name, changed.visibility, changed.description, changed.tags, changed.updated_by],
      [name, 'public', 'Work', ['a'], 'boss'],
    );
    assert.equal(await seen(far, changed.fqdn), 'public');
    assert.match(await refusal(far, 'cap_rename', { ...change, name: changed.fqdn }), /^not_allowed: /);
    assert.equal((await ask(boss, 'cap_rename', { name, visibility: 'private' })).visibility, 'private');
    assert.equal(await seen(ana, name), `Capability not found: ${name}`);
    await ask(boss, 'cap_rename', { name, visibility: 'org' });
    assert.equal(await seen(ana, name), 'org');
  });

  test('the name and the routing of a server follow its config', async () => {
    for (const more of [{ new_name: 'my:work' }, { routing: 'cloud' }, { undo: true }])
      assert.match(
        await refusal(boss, 'cap_rename', { name: 'mcp:plain', ...more }),
        /^invalid_arguments: A server has only a description, tags and a visibility/,
      );
    assert.match(
      await refusal(boss, 'cap_rename', { name: 'mcp:sqlite', visibility: 'org' }),
      /^not_allowed: /,
    );
  });
});
