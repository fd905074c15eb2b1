import { PmlError } from '../../errors.ts';
import type { Principal } from '../../principal.ts';
import { storedText } from '../../stored-texts.ts';
import { exportBundle } from '../bundle/export.ts';
import { selectCapabilities } from '../bundle/select-capabilities.ts';
import { withoutExamples } from '../record/examples.ts';
import { isFqdn } from '../record/fqdn.ts';
import { type Registry, verifySignature } from '../trust/signature.ts';
import { displayCode, displayNames } from '../views/display-names.ts';
import { type SkillFile, skillFiles } from './skill-files.ts';
import { skillName } from './skill-name.ts';

/** The most that all skills of one export may have together. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface Skill {
  /** The name of the skill and of its folder. */
  name: string;
  capability: string;
  files: SkillFile[];
}

/** Exports capabilities as Agent Skills: one folder each, which tells an agent how to use it. */
export async function exportSkills(
  registry: Registry,
  who: Principal,
  names: readonly string[],
): Promise<Skill[]> {
  const taken = new Set<string>();
  const skills: Skill[] = [];
  let bytes = 0;
  for (const found of await selectCapabilities(registry, who, names)) {
    const whole = await verifySignature(registry, who, found);
    const capability = {
      ...whole,
      parametersSchema: withoutExamples(whole.parametersSchema),
      description: storedText('description', whole.description),
      // A skill is for others, and the intent may quote data of the first run.
      intent: storedText('intent', whole.description),
    };
    // Fails on anything that must not be exported.
    const { text: bundle } = await exportBundle(registry, who, [capability.fqdn]);
    const name = skillName(capability.name, taken);
    taken.add(name);
    const { toolsUsed, code: stored } = capability;
    const [code = ''] = await displayCode(registry.db, who, [stored]);
    const calls = await displayNames(registry.db, who, toolsUsed.filter(isFqdn));
    const tools = toolsUsed.filter((tool) => !isFqdn(tool));
    const files = skillFiles({ name, capability, code, tools, calls, bundle });
    skills.push({ name, capability: capability.name, files });
    bytes += files.reduce((sum, { text }) => sum + text.length, 0);
    if (bytes > MAX_BYTES)
      throw new PmlError('bad_request', 'These are too many skills at once. Export fewer capabilities.');
  }
  return skills;
}
