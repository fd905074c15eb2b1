import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../json.ts';
import { variablesOf } from './expand-variables.ts';
import { IGNORED_KEYS } from './foreign-keys.ts';

/** The keys that neither run nor send anything. All others count as effects, also keys that later versions add. */
const INERT_KEYS = [
  '$schema',
  'expose',
  'exposeBudget',
  'sandbox',
  'learning',
  'names',
  'lifecycle',
  'modelPrices',
];
const INERT_SERVER_KEYS = Object.keys(IGNORED_KEYS);
const INERT_PML_KEYS = ['timeoutMs', 'perSession', 'prefix'];

/** The effects of a config file: the programs it runs, what it sends where, and whom it lets change what. */
export interface ConfigEffects {
  /** Changes if and only if the effects change. Variables count by name; their values are not part of it. */
  fingerprint: string;
  /** The effects in words, a line each; empty if there is nothing to trust. */
  lines: string[];
}

/** Finds the effects of a parsed file. `routing` comes from mcp-permissions.yaml. */
export function effectsOf(raw: unknown, routing: ReadonlyMap<string, string>): ConfigEffects {
  const { mcpServers, ...rest } = withoutLocalModel(without(objectOrEmpty(raw), INERT_KEYS));
  const servers = Object.entries(objectOrEmpty(mcpServers))
    .map(([name, entry]) => [name, serverEffects(entry)] as const)
    .filter(([, entry]) => entry.disabled !== true);
  const routed = servers.flatMap(([name]) => (routing.has(name) ? [[name, routing.get(name)] as const] : []));
  const parts = { ...rest, servers: Object.fromEntries(servers), routing: Object.fromEntries(routed) };
  const text = JSON.stringify(parts, (_, value) => sorted(value));
  return {
    fingerprint: createHash('sha256').update(text).digest('hex'),
    lines: [...servers.map(([name, entry]) => serverLine(name, entry)), ...otherLines(rest)],
  };
}

/** Embeddings that are made on this machine send nothing. */
function withoutLocalModel({ discovery, ...rest }: JsonObject): JsonObject {
  const { embeddings, ...others } = objectOrEmpty(discovery);
  const isLocal = embeddings === undefined || embeddings === 'auto' || embeddings === 'none';
  return isLocal && Object.keys(others).length === 0 ? rest : { ...rest, discovery };
}

function serverEffects(entry: unknown): JsonObject {
  const { pml, ...own } = without(objectOrEmpty(entry), INERT_SERVER_KEYS);
  const settings = without(objectOrEmpty(pml), INERT_PML_KEYS);
  return Object.keys(settings).length > 0 ? { ...own, pml: settings } : own;
}

function without(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Sorts keys, whose order means nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Longer lines are cut, and say so: nothing may hide behind a screenful of blanks. */
const MAX_LINE_LENGTH = 2000;

function serverLine(name: string, entry: JsonObject): string {
  const { command, args, url } = entry;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
  const does = command === undefined ? `connects to ${String(url)}` : `runs ${words}`;
  const about = ['env', 'envFile', 'cwd', 'headers'].flatMap((key) =>
    entry[key] === undefined ? [] : `${key} ${shownValue(entry[key])}`,
  );
  const given = variablesOf(entry);
  const gets = given.length > 0 ? [`is given ${given.join(', ')} of your environment`] : [];
  return escapeControl(`${name}: ${[does, ...about, ...gets].join('; ')}`);
}

/** Shows only the keys of an object: its values may be secrets in plain text. */
function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : Object.keys(objectOrEmpty(value)).join(', ');
}

function otherLines({ scope, curation, discovery, agents, ...rest }: JsonObject): string[] {
  const { admins } = objectOrEmpty(scope);
  const { model, ...curating } = objectOrEmpty(curation);
  const isOpen = Array.isArray(admins) && admins.length > 0;
  const others = Object.entries({ ...rest, curation: curating }).filter(
    ([, value]) => Object.keys(Object(value)).length > 0,
  );
  return [
    ...(isUsualModel(model) ? [] : [escapeControl(`sends code to be named to ${String(model)}`)]),
    ...(discovery === undefined ? [] : [discoveryLine(objectOrEmpty(discovery))]),
    ...scopeLines(objectOrEmpty(scope)),
    ...(isOpen ? [escapeControl(`lets ${admins.join(', ')} change what others made`)] : []),
    ...Object.entries(objectOrEmpty(agents)).map(([name, agent]) => agentLine(name, objectOrEmpty(agent))),
    ...others.map(([key, value]) => escapeControl(`${key}: ${shownValue(value)}`)),
  ];
}

/** The scope becomes part of the names of capabilities, which others can read. */
function scopeLines(scope: JsonObject): string[] {
  const given = variablesOf(scope);
  return given.length > 0 ? [`takes the scope from ${given.join(', ')} of your environment`] : [];
}

/** Shows each capability that an agent is given, with its config, which may name any folder on the disk. */
function agentLine(name: string, { capabilities, model }: JsonObject): string {
  const given = Object.entries(objectOrEmpty(capabilities)).map(([key, config]) => {
    const own = without(objectOrEmpty(config), ['tools']);
    return Object.keys(own).length === 0 ? key : `${key} ${JSON.stringify(own)}`;
  });
  const isAddress = typeof model === 'string' && /^https?:|\$\{/i.test(model);
  const sends = isAddress ? `; sends its conversations to ${model}` : '';
  return escapeControl(`agent ${name}: may use ${given.join(', ') || 'nothing'}${sends}`);
}

function discoveryLine({ embeddings }: JsonObject): string {
  const { url } = objectOrEmpty(embeddings);
  const given = variablesOf(objectOrEmpty(embeddings));
  const gets = given.length > 0 ? `; it is given ${given.join(', ')} of your environment` : '';
  return escapeControl(`sends what tools, capabilities and intents say to ${String(url)}${gets}`);
}

/** True for models whose address comes from the environment alone. Any other setting may say where code is sent. */
function isUsualModel(model: unknown): boolean {
  return model === undefined || model === 'none' || model === 'haiku' || model === 'sonnet';
}

/** Escapes characters that could move the cursor, or hide or reverse other text: the file may be a stranger's. */
function escapeControl(text: string): string {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) as number;
    return `\\u{${code.toString(16)}}`;
  });
  const more = visible.length - MAX_LINE_LENGTH;
  return more > 0 ? `${visible.slice(0, MAX_LINE_LENGTH)}… and ${more} characters more` : visible;
}
