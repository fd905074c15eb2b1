import type { Capability } from '../record/capability.ts';
import { fenced, flat, inlineCode, plainLine, yamlText } from './markdown.ts';

const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
const SHOWN_PARAMETERS = 50;

export interface SkillFile {
  /** Within the skill's folder, with `/`. */
  path: string;
  text: string;
}

export interface SkillSource {
  name: string;
  capability: Capability;
  /** The code, with other capabilities by their current names. */
  code: string;
  tools: readonly string[];
  /** Other capabilities that it calls. */
  calls: readonly string[];
  /** The bundle from which another PML can import the capability. */
  bundle: string;
}

/** Prints the files of a skill folder: the instructions for an agent, the code, and the bundle to import. */
export function skillFiles(source: SkillSource): SkillFile[] {
  const { code, bundle, capability } = source;
  return [
    { path: 'SKILL.md', text: `${frontMatter(source)}\n${body(source)}` },
    { path: 'references/code.ts', text: code.replace(/\n?$/, '\n') },
    { path: 'references/parameters.json', text: `${JSON.stringify(capability.parametersSchema, null, 2)}\n` },
    { path: 'assets/bundle.json', text: bundle },
  ];
}

function frontMatter({ name, capability, tools }: SkillSource): string {
  const needs = serversOf(tools);
  const servers = needs.length > 0 ? ` with the MCP servers ${needs.join(', ')}` : '';
  const fields = [
    `name: ${yamlText(name)}`,
    `description: ${yamlText(descriptionOf(capability))}`,
    `compatibility: ${yamlText(clip(flat(`Needs PML (procedural memory for agents)${servers}.`), MAX_COMPATIBILITY))}`,
    'metadata:',
    `  pml-capability: ${yamlText(capability.name)}`,
    `  pml-version: ${yamlText(String(capability.version))}`,
    `  author: ${yamlText(flat(capability.createdBy))}`,
  ];
  return `---\n${fields.join('\n')}\n---\n`;
}

/** Describes what the skill does and when to use it. Clients show it to the model verbatim, so it must not look like markup. */
export function descriptionOf({ name, description, intent }: Capability): string {
  const does = flat(description) || flat(intent) || `Runs the capability ${name}.`;
  const use = `Use it to call the remembered capability ${name} through PML instead of working the steps out again.`;
  const what = clip(does.replace(/[<>]/g, ''), MAX_DESCRIPTION - use.length - 2);
  return `${/[.!?…]$/.test(what) ? what : `${what}.`} ${use}`;
}

function body({ name, capability, tools, calls }: SkillSource): string {
  const { description, intent, version } = capability;
  const example = {
    intent: `use ${capability.name}`,
    capability: capability.name,
    args: exampleArgs(capability),
  };
  const command = `pml run ${capability.name} --args '${JSON.stringify(example.args).replaceAll("'", "'\\''")}'`;
  const parts = [
    `# ${plainLine(name)}`,
    `What it does: ${plainLine(description || intent || capability.name)}`,
    intent && intent !== description ? `Learned for: ${plainLine(intent)}` : '',
    '## How to call it',
    `PML lists it as the tool ${inlineCode(capability.listedName)}; call that with the parameters below. If it is not listed, call the tool ${inlineCode('pml_execute')} with:`,
    fenced('json', JSON.stringify(example, null, 2)),
    'From a terminal:',
    fenced('sh', command),
    `If PML does not know it yet (${inlineCode('Capability not found')}), a person can add it from this folder; they will be asked whether they trust the key it is signed with:`,
    fenced('sh', 'pml import assets/bundle.json'),
    '## Parameters',
    parametersOf(capability),
    '## What it needs',
    needsOf(tools, calls),
    '## Code',
    `Version ${version} is in [references/code.ts](references/code.ts): the body of an async function that reads ${inlineCode('args')} and reaches tools through ${inlineCode('mcp')}. It runs inside PML, not by itself.`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

interface Property {
  type?: string | string[];
  description?: string;
  default?: unknown;
}

function propertiesOf({ parametersSchema }: Capability): [string, Property][] {
  return Object.entries((parametersSchema.properties ?? {}) as Record<string, Property>);
}

function requiredOf({ parametersSchema }: Capability): Set<string> {
  return new Set((parametersSchema.required ?? []) as string[]);
}

function parametersOf(capability: Capability): string {
  const properties = propertiesOf(capability);
  if (properties.length === 0) return 'It takes none.';
  const required = requiredOf(capability);
  const lines = properties.slice(0, SHOWN_PARAMETERS).map(([key, { type, description, default: value }]) => {
    const facts = [[type ?? []].flat().join(' or '), required.has(key) ? 'required' : 'optional'].filter(
      Boolean,
    );
    const standard = value === undefined ? '' : `; default ${inlineCode(clip(JSON.stringify(value), 200))}`;
    return `- ${inlineCode(key)} (${plainLine(facts.join(', '))})${standard}${description ? `: ${plainLine(clip(description, 300))}` : ''}`;
  });
  const all = 'The whole schema is in [references/parameters.json](references/parameters.json).';
  return `${lines.join('\n')}\n\n${all}`;
}

/** Placeholders for the required arguments, and the defaults of the others. */
function exampleArgs(capability: Capability): Record<string, unknown> {
  const required = requiredOf(capability);
  const shown = propertiesOf(capability).filter(
    ([key, { default: value }]) => required.has(key) || value !== undefined,
  );
  return Object.fromEntries(
    shown
      .slice(0, 10)
      .map(([key, { type, default: value }]) => [key, value ?? PLACES[String([type].flat()[0])] ?? '…']),
  );
}

const PLACES: Record<string, unknown> = { number: 0, integer: 0, boolean: true, array: [], object: {} };

function needsOf(tools: readonly string[], calls: readonly string[]): string {
  const lines = [
    ...tools.map((tool) => `- the tool ${inlineCode(tool)}`),
    ...calls.map((name) => `- the capability ${inlineCode(name)}, which is in the bundle too`),
  ];
  return lines.length > 0 ? lines.join('\n') : 'Nothing but PML.';
}

function serversOf(tools: readonly string[]): string[] {
  return [...new Set(tools.map((tool) => tool.split(':')[0] as string))];
}

/** Cuts a text to a length, never through a character. */
function clip(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}
