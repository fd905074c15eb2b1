import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PmlError } from '../../errors.ts';
import type { Exported } from '../../registry/bundle/index.ts';
import type { Skill } from '../../registry/skill/index.ts';
import { sendAdminRequest } from '../admin-request.ts';
import type { Command, Invocation } from '../command.ts';
import { count } from '../format-text.ts';
import { oneOf, stringOption } from '../option-values.ts';

export const command: Command = {
  help: `Usage: pml export [NAME…] [--format bundle|skill] [--out PATH] [--json]

Writes capabilities, with everything they call and all their versions, to one signed file (a bundle), for pml import on
another PML. Without NAME it exports all that you named in this scope. NAME may be a glob. A bundle contains no recordings
and no secrets.

  pml export 'fs:*' --out fs.bundle.json
  pml export report:make --format skill --out .claude/skills

  --format F  bundle (default), or skill: a folder with a SKILL.md for each capability, for agents that read skills
  --out PATH  the file (default: standard output); for skills, the parent of their folders (default: skills)
  --json      print what was exported; without --out this includes the bundle`,
  options: {
    format: { type: 'string' },
    out: { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  completes: 'capabilities',
  run: (invocation) => {
    const format = oneOf(invocation.values.format, '--format', ['bundle', 'skill']);
    return format === 'skill' ? exportSkills(invocation) : exportBundle(invocation);
  },
};

async function exportBundle(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const { text, fingerprint, content } = await requestExport<Exported>(invocation, 'bundle');
  const capabilities = content.capabilities.map(({ name, fqdn, versions }) => ({
    name,
    version: versions.length,
    asked_for: content.asked_for.includes(fqdn),
  }));
  const out = stringOption(invocation, 'out');
  if (out !== undefined) write(out, text);
  if (values.json) {
    const where = out === undefined ? { bundle: JSON.parse(text) } : { file: resolve(out) };
    terminal.print(
      JSON.stringify({ format: 'bundle', fingerprint, capabilities, tools: content.tools_needed, ...where }),
    );
  } else if (out === undefined) terminal.print(text.trimEnd());
  else
    terminal.print(
      `${out}: ${count(capabilities.length, 'capability', 'capabilities')}, signed with the key ${fingerprint}`,
    );
}

async function exportSkills(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const { skills } = await requestExport<{ skills: Skill[] }>(invocation, 'skill');
  const out = stringOption(invocation, 'out') ?? 'skills';
  const folders = skills.map((skill) => ({ ...skill, folder: join(out, skill.name) }));
  // Checked before anything is written, so that no skill of a person is lost.
  for (const { folder, capability } of folders) refuseToOverwrite(folder, capability);
  for (const { folder, files } of folders)
    for (const { path, text } of files) write(join(folder, path), text);
  if (values.json) {
    const written = folders.map(({ name, capability, folder }) => ({
      name,
      capability,
      folder: resolve(folder),
    }));
    terminal.print(JSON.stringify({ format: 'skill', skills: written }));
  } else
    for (const { folder, capability } of folders)
      terminal.print(`${join(folder, 'SKILL.md')}: ${capability}`);
}

function requestExport<T>(invocation: Invocation, format: string): Promise<T> {
  const { positionals, terminal } = invocation;
  const config = stringOption(invocation, 'config');
  terminal.progress('Gathering…');
  return sendAdminRequest<T>(terminal, { do: 'export', names: positionals, format }, config);
}

/** Throws if the folder holds a skill that PML did not write. */
function refuseToOverwrite(folder: string, capability: string): void {
  const file = join(folder, 'SKILL.md');
  if (!existsSync(folder)) return;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before.includes('\n  pml-capability: ')) return;
  throw new PmlError('name_taken', `${folder} is there already, and was not written by PML.`, {
    hint: `Nothing was written. Choose another --out, or rename "${capability}".`,
  });
}

/** Writes a file whole or not at all. */
function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    throw new PmlError('bad_request', `${file} cannot be written: ${messageOf(error)}`);
  }
}
