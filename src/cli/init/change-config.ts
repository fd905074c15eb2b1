import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isServerName, openTrustStore, readEffects, serverEntry, trustFile } from '../../config/index.ts';
import { configFileOf } from '../../config-file.js';
import { closest } from '../../edit-distance.ts';
import { PmlError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import type { HostInfo } from './client-files.ts';
import { composeConfig, readExisting } from './compose-config.ts';
import type { Entry } from './convert-entry.ts';
import { removeServer } from './edit-servers.ts';
import { pmlHome, schemaFor } from './init.ts';
import { moveSecrets } from './move-secrets.ts';
import { writeWhole } from './write-config.ts';

/** Adds a server to the config that counts here; makes one if there is none. Returns the file. */
export function addToConfig(host: HostInfo, name: string, entry: Entry): string {
  if (!isServerName(name))
    throw new PmlError(
      'bad_request',
      `"${name}" cannot name a server: use letters, digits, "_", "." and "-".`,
    );
  const { success } = serverEntry.safeParse(entry);
  if (!success) throw new PmlError('bad_request', 'This is no server: give a command or an http address.');
  const file = configFile(host) ?? path.join(host.isGlobal ? pmlHome(host) : host.cwd, 'pml.json');
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const config = existing?.trim() ? readExisting(existing, file) : {};
  if (Object.hasOwn(config.mcpServers ?? {}, name))
    throw new PmlError('name_taken', `${file} has a server "${name}" already.`, {
      hint: `Choose another name, or take it out first: pml remove ${name}`,
    });
  const envName = typeof config.envFile === 'string' ? config.envFile : 'pml.env';
  const envFile = path.resolve(path.dirname(file), envName);
  const known = existsSync(envFile) ? readFileSync(envFile, 'utf8') : '';
  const { servers, envText } = moveSecrets({ [name]: entry }, known, host.env);
  const text = composeConfig(
    servers,
    schemaFor(path.dirname(file)),
    existing?.trim() ? { text: existing, label: file } : undefined,
    envText === undefined ? {} : { envFile: envName },
  );
  if (envText !== undefined) writeWhole(envFile, envText, true);
  writeTrusted(host, file, text);
  return file;
}

/** Removes a server from the config that counts here. Returns the file. */
export function removeFromConfig(host: HostInfo, name: string): string {
  const file = configFile(host);
  if (file === undefined) throw new PmlError('bad_request', 'There is no pml.json here or above.');
  const existing = readFileSync(file, 'utf8');
  const text = removeServer(existing, 'mcpServers', name);
  if (text === undefined) {
    const { mcpServers = {} } = readExisting(existing, file);
    const known = isJsonObject(mcpServers) ? Object.keys(mcpServers) : [];
    const near = closest(name, known);
    throw new PmlError(
      'bad_request',
      `${file} has no server "${name}".${near ? ` Did you mean ${near}?` : ''}`,
      {
        hint: known.length > 0 ? `It has ${known.join(', ')}.` : 'It has none.',
      },
    );
  }
  writeTrusted(host, file, text);
  return file;
}

/** Writes the config. It stays trusted if it was: the person who types the command knows what it changes. */
function writeTrusted(host: HostInfo, file: string, text: string): void {
  const home = pmlHome(host);
  const isTrusted = !existsSync(file) || wasTrusted(home, file);
  writeWhole(file, text, false);
  if (isTrusted) trustFile(home, file);
}

function wasTrusted(home: string, file: string): boolean {
  const { fingerprint, lines } = readEffects(file);
  return lines.length === 0 || openTrustStore(home).fingerprintOf(file) === fingerprint;
}

/** The file that PML uses here: the one of PML_CONFIG, the nearest upwards, or the home's. */
function configFile(host: HostInfo): string | undefined {
  const home = path.join(pmlHome(host), 'pml.json');
  if (host.isGlobal) return existsSync(home) ? home : undefined;
  return configFileOf(host.cwd, host.env, host.env.PML_CONFIG?.trim() || undefined);
}
