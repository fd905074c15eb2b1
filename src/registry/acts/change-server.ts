import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import type { Db } from '../../store/index.ts';
import { storedTags, storedText } from '../../stored-texts.ts';
import { announce } from '../record/announce.ts';
import { type Capability, notFound, type Visibility } from '../record/capability.ts';
import { changedBy, updateRecord } from '../tables/capability-records.ts';
import { run } from '../tables/sql.ts';
import { refuseVersion } from './permissions.ts';
import { findServer, seenBy } from './register-server.ts';

/** The fields of a server's record that do not follow from its config. */
export interface ServerPatch {
  visibility?: Visibility | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** Changes the record of a server. A visibility set in the config overrides this at the server's next start. */
export function changeServer(db: Db, who: Principal, name: string, patch: ServerPatch): Promise<Capability> {
  refuseVersion(name);
  return db.transaction(async (tx) => {
    const server = await findServer(tx, who, name);
    if (!server) throw notFound(name);
    assertMayChangeServer(who, server);
    const { visibility, description, tags } = patch;
    const update = updateRecord(server.fqdn, {
      ...(visibility && seenBy(visibility, who.user)),
      description: storedText('description', description ?? server.description),
      tags: tags ? storedTags(tags) : server.tags,
      ...changedBy(who.user),
    });
    await run(tx, update);
    await announce(tx, server, 'rerouted');
    return (await findServer(tx, who, server.fqdn)) as Capability;
  });
}

/** The admins of its scope may change the record of a server; its user may change that of a private one, too. */
function assertMayChangeServer(who: Principal, server: Capability): void {
  const { org, project, visibility, createdBy, name } = server;
  const isInScope = who.org === org && who.project === project;
  const isOwn = visibility === 'private' && createdBy === who.user;
  if (isInScope && (who.admin || isOwn)) return;
  throw new PmlError('not_allowed', `Only the admins of its scope may change the record of "${name}".`, {
    hint: 'scope.admins in pml.json names them.',
  });
}
