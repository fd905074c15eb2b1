import { createHash, createHmac } from 'node:crypto';
import type { DirectoryEntry } from '../../access/index.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { isJsonObject } from '../../json.ts';
import { isSecretSetting } from '../../secrets/index.ts';
import type { Dependency } from '../cache/dependency-log.ts';
import { canonicalName } from '../run/resolve-names.ts';
import type { Run } from '../run/run.ts';

type Server = DirectoryEntry['upstream']['server'];

const serverStates = new WeakMap<Server, string>();
const listedStates = new WeakMap<object, string>();

/** A tool as a dependency: the server it is on, with its settings, and all that the server says of it. */
export function toolDependency(run: Run, spelling: string, entry: DirectoryEntry): Dependency {
  const { server } = entry.upstream;
  const { annotations } = entry.listed;
  // Each session has its own process of such a server, with its own state.
  const session = server.perSession ? run.call.session : null;
  const parts = [serverState(run, server), listedState(entry.listed), session];
  return {
    spelling,
    callee: canonicalName({ kind: 'tool', entry }),
    state: hash(canonicalJson(parts)),
    isReadOnly: isJsonObject(annotations) && annotations.readOnlyHint === true,
  };
}

/** A capability as a dependency. Its tools are dependencies of their own. */
export function capabilityDependency(
  spelling: string,
  { fqdn, version, changedAt }: { fqdn: string; version: number; changedAt: string },
): Dependency {
  return { spelling, callee: `${fqdn}@${version}`, state: changedAt, isReadOnly: true };
}

/** Two servers of one name need not be the same: another folder or another account is another server. */
function serverState({ keys }: Run, server: Server): string {
  const known = serverStates.get(server);
  if (known !== undefined) return known;
  const { transport } = server;
  const text = transport.kind === 'in-process' ? transport.id : canonicalJson(transport);
  // A hash of a secret must not help to guess it, so only this instance can compute it.
  const state = holdsSecret(server)
    ? createHmac('sha256', keys.derive('result cache')).update(text).digest('hex')
    : hash(text);
  serverStates.set(server, state);
  return state;
}

function holdsSecret({ transport }: Server): boolean {
  if (transport.kind === 'in-process') return false;
  const settings = transport.kind === 'stdio' ? transport.env : transport.headers;
  const address = transport.kind === 'stdio' ? transport.args.join(' ') : transport.url;
  return Object.keys(settings).length > 0 || isSecretSetting('', address) || /[@?]/.test(address);
}

function listedState(listed: object): string {
  const known = listedStates.get(listed);
  if (known !== undefined) return known;
  const state = hash(canonicalJson(listed));
  listedStates.set(listed, state);
  return state;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
