import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, PmlError } from '../../errors.ts';
import type { Exported } from '../../registry/bundle/index.ts';
import type { Skill } from '../../registry/skill/index.ts';
import type { Command, Invocation } from '../command.ts';
import { sendAdminRequest } from '../errand.ts';

export const exportCommand: Command = {
  summary: 'write capabilities to a signed file, or as Agent Skills',
  help: `Usage: pml export [NAME…] [--format bundle|skill] [--out PATH] [--json]

Writes capabilities with all that they call and all their versions to one signed file (a bundle), for pml import on
another PML. Without NAME: all that you have named in this scope. NAME may be a glob. Holds no recordings and no secrets.

  pml export 'fs:*' --out fs.bundle.json
  pml export report:make --format skill --out .claude/skills

  --format F  bundle (default), or skill: a folder each with SKILL.md, for agents that read skills
  --out PATH  the file (default: standard output); for skills, the folder to put theirs in (default: skills)
  --json      print what was exported; a bundle without --out is part of it`,
  options: {
    format: { type: 'string' },
    out: { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: true,
  run: (invocation) => {
    const { format = 'bundle' } = invocation.values;
    if (format === 'bundle') return exportBundle(invocation);
    if (format === 'skill') return exportSkills(invocation);
    throw new PmlError('bad_request', '--format must be bundle or skill.');
  },
};

async function exportBundle(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const { text, fingerprint, content } = await ask<Exported>(invocation, 'bundle');
  const capabilities = content.capabilities.map(({ name, fqdn, versions }) => ({
    name,
    version: versions.length,
    asked_for: content.asked_for.includes(fqdn),
  }));
  const { out } = values;
  if (typeof out === 'string') write(out, text);
  if (values.json) {
    const where = typeof out === 'string' ? { file: resolve(out) } : { bundle: JSON.parse(text) };
    terminal.print(
      JSON.stringify({ format: 'bundle', fingerprint, capabilities, tools: content.tools_needed, ...where }),
    );
  } else if (typeof out !== 'string') terminal.print(text.trimEnd());
  else
    terminal.print(
      `${out}: ${count(capabilities.length, 'capability', 'capabilities')}, signed with the key ${fingerprint}`,
    );
}

async function exportSkills(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const { skills } = await ask<{ skills: Skill[] }>(invocation, 'skill');
  const out = typeof values.out === 'string' ? values.out : 'skills';
  const folders = skills.map((skill) => ({ ...skill, folder: join(out, skill.name) }));
  // Looked at before anything is written: a skill that somebody wrote must not be lost.
  for (const { folder, capability } of folders) refuseForeign(folder, capability);
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

function ask<T>({ values, positionals, terminal }: Invocation, format: string): Promise<T> {
  const config = typeof values.config === 'string' ? values.config : undefined;
  terminal.progress('Gathering…');
  return sendAdminRequest<T>(terminal, { do: 'export', names: positionals, format }, config);
}

function refuseForeign(folder: string, capability: string): void {
  const file = join(folder, 'SKILL.md');
  if (!existsSync(folder)) return;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before.includes('\n  pml-capability: ')) return;
  throw new PmlError('name_taken', `${folder} is there already, and was not written by PML.`, {
    hint: `Nothing was written. Choose another --out, or rename "${capability}".`,
  });
}

/** Whole or not at all. */
function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    throw new PmlError('bad_request', `${file} cannot be written: ${messageOf(error)}`);
  }
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
