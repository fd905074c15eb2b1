import { readFileSync, statSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { messageOf, PmlError } from '../../errors.ts';
import type { Imported } from '../../registry/bundle/index.ts';
import { sendAdminRequest } from '../admin-request.ts';
import type { Command, Invocation } from '../command.ts';
import { stringOption } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

export const command: Command = {
  help: `Usage: pml import FILE [--dry-run] [--trust FINGERPRINT [--always]] [--rename OLD=NEW] [--prefix WORD] [--json]

Imports the capabilities of a bundle (- for standard input) that pml export wrote: all of them or none, as private
capabilities of yours. Runs nothing. Importing twice does no harm: existing capabilities stay as they are, and those
that you imported before and did not change get the new versions.

PML accepts bundles of your own. On a terminal it asks about a bundle signed with a key that you do not trust yet;
elsewhere, name the key you expect with --trust.

  pml import fs.bundle.json --dry-run
  pml import fs.bundle.json --prefix ana --trust 3f0c…

  --dry-run        import nothing, and show what the bundle would bring
  --trust KEY      accept this bundle if it is signed with the key of this full fingerprint
  --always         with --trust: accept every later bundle of that key too (PML_HOME/keys/trusted)
  --rename OLD=NEW another name for one of them; may be repeated
  --prefix WORD    call each WORD:NAME
  --json           print the whole answer`,
  options: {
    'dry-run': { type: 'boolean' },
    trust: { type: 'string' },
    always: { type: 'boolean' },
    rename: { type: 'string', multiple: true },
    prefix: { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  run: (invocation) => runImport(invocation, sendAdminRequest),
};

type Send = typeof sendAdminRequest;

/** More than any bundle needs. The daemon has the exact limit. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Imports a bundle; asks first if its key is not trusted and a person is there to ask. */
export async function runImport(invocation: Invocation, send: Send): Promise<void> {
  const { values, positionals, terminal } = invocation;
  const [file, ...rest] = positionals;
  if (!file || rest.length > 0)
    throw new PmlError('bad_request', 'import needs one FILE. Try pml import --help.');
  if (values.always && values.trust === undefined)
    throw new PmlError('bad_request', '--always needs --trust FINGERPRINT.');
  const config = stringOption(invocation, 'config');
  const request = {
    do: 'import',
    text: await readBundle(file),
    rename: renames(values.rename),
    ...{ prefix: values.prefix, trust: values.trust, always: values.always },
  };
  terminal.progress(`Looking at ${file}…`);
  const perform = (more: object) => send<Imported>(terminal, { ...request, ...more }, config);
  const isDryRun = values['dry-run'] === true;
  const mayAsk = terminal.interactive && values.trust === undefined && !values.json && !isDryRun;
  const trust = mayAsk ? await askTrust(terminal, await perform({ dry_run: true })) : {};
  if (!trust) return terminal.print('Nothing was imported.');
  const answer = await perform({ dry_run: isDryRun, ...trust });
  terminal.print(values.json ? JSON.stringify(answer) : format(answer, terminal));
}

const SHOWN_TOOLS = 30;

/** Returns the trust to send with the request, `{}` for a known key; undefined if the person declines. */
async function askTrust(terminal: Terminal, preview: Imported): Promise<object | undefined> {
  const { known, fingerprint } = preview.signer;
  if (known !== 'stranger') return {};
  terminal.print(`${format(preview, terminal)}\n`);
  const tools = preview.tools.map(({ name }) => name);
  const more = tools.length > SHOWN_TOOLS ? ` and ${tools.length - SHOWN_TOOLS} more` : '';
  if (tools.length > 0) terminal.print(`It calls: ${tools.slice(0, SHOWN_TOOLS).join(', ')}${more}\n`);
  terminal.print(`It is signed with a key that you do not trust yet:\n\n  ${fingerprint}\n`);
  terminal.print('Ask whoever made it whether that is their key: what it brings can use your tools.');
  const answer = await terminal.ask('Import it? yes (this once), always (trust this key), or no [no] ');
  if (/^a(lways)?$/i.test(answer)) return { trust: fingerprint, always: true };
  return /^y(es)?$/i.test(answer) ? { trust: fingerprint } : undefined;
}

function renames(given: unknown): Record<string, string> {
  const pairs = (Array.isArray(given) ? given : []).map((pair: string) => {
    const [, from, to] = /^([^=]+)=([^=]+)$/.exec(pair) ?? [];
    if (!from || !to)
      throw new PmlError('bad_request', '--rename takes OLD=NEW, as in --rename fs:read=fs:load.');
    return [from, to];
  });
  return Object.fromEntries(pairs);
}

async function readBundle(file: string): Promise<string> {
  try {
    if (file !== '-' && statSync(file).size > MAX_BYTES) throw new Error('it is too large for a bundle');
    // A synchronous read of an empty pipe fails with EAGAIN, so standard input is awaited.
    const bytes = file === '-' ? await buffer(process.stdin) : readFileSync(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError)
      throw new PmlError('bundle_invalid', `${file} is no bundle: it is not text.`);
    throw new PmlError('bad_request', `${file} cannot be read: ${messageOf(error)}`);
  }
}

function format({ status, capabilities, tools, missing_servers }: Imported, terminal: Terminal): string {
  const would = status === 'dry_run' ? 'would be ' : '';
  const verb = { created: `${would}imported`, updated: `${would}updated`, unchanged: 'is here already' };
  const lines = capabilities.map(
    ({ name, version, what }) => `${terminal.style('bold', `${name}@${version}`)} ${verb[what]}`,
  );
  const stale = capabilities.flatMap(({ name, stale: reason }) =>
    reason === undefined ? [] : `${name} does not fit the tools here: ${reason}`,
  );
  const missing = tools.flatMap(({ name, connected }) => (connected ? [] : name));
  const servers = missing_servers.length > 0 ? ` Not in your pml.json: ${missing_servers.join(', ')}.` : '';
  const note = missing.length > 0 ? [`Not connected here, and needed: ${missing.join(', ')}.${servers}`] : [];
  return [...lines, ...stale, ...note].join('\n');
}
