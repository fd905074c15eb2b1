import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../config/index.ts';
import { Embeddings } from '../discovery/index.ts';
import { openLog } from '../log.ts';
import { eventually } from '../testing/wait.ts';
import type { Member } from './member.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

const home = mkdtempSync(join(tmpdir(), 'pml-workspace-'));
after(() => rmSync(home, { recursive: true, force: true }));
const config = loadConfig({ cwd: home, env: { PML_HOME: home }, flags: {} });
const { org, project } = config.scope;

/** A workspace without servers, with one member for each user. */
function workspaceOf<User extends string>(...users: User[]) {
  const log = openLog({ level: 'silent' });
  const options = { config, log } as WorkspaceOptions;
  const workspace = new Workspace({ ...options, embeddings: new Embeddings({ ...options, home }) });
  const announced: string[] = [];
  const members = Object.fromEntries(
    users.map((user) => {
      const member: Member = {
        who: { user, org, project, admin: false },
        logLevel: undefined,
        listChanged: (list) => announced.push(`${user}: ${list}`),
        resourceUpdated: () => {},
        close: () => workspace.leave(member),
      };
      workspace.join(member);
      return [user, member];
    }),
  ) as Record<User, Member>;
  const untilAnnounced = (count: number) =>
    eventually(() => announced.length >= count, `${count} announcements`);
  return { workspace, members, announced, untilAnnounced };
}

test('a change of the registry is announced to the members who can see it', async () => {
  const { workspace, announced, untilAnnounced } = workspaceOf('ana', 'ben');
  workspace.registryChanged({ org, project, what: 'named', only: 'ana' });
  await untilAnnounced(1);
  assert.deepEqual(announced, ['ana: tools']);
  workspace.registryChanged({ org, project: 'another', what: 'named' });
  workspace.registryChanged({ org, project, what: 'created' });
  workspace.registryChanged({ org, project, what: 'retired' });
  await untilAnnounced(3);
  assert.deepEqual(announced, ['ana: tools', 'ana: tools', 'ben: tools']);
  await workspace.close();
});

test('an unknown change of the registry is announced to all', async () => {
  const { workspace, announced, untilAnnounced } = workspaceOf('ana', 'ben');
  workspace.registryChanged('unknown');
  await untilAnnounced(2);
  assert.deepEqual(announced, ['ana: tools', 'ben: tools']);
  await workspace.close();
});

test('members share a directory of the shared servers, and leave one by one or at the end', async () => {
  const { workspace, members } = workspaceOf('ana', 'ben', 'eve');
  assert.equal(workspace.directoryOf(members.ana), workspace.directoryOf(members.ben));
  await workspace.leave(members.ana);
  assert.deepEqual([...workspace.members], [members.ben, members.eve]);
  await workspace.close();
  assert.equal(workspace.members.size, 0);
});
