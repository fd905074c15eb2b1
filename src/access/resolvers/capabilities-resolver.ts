import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import type { ToolDescriptor } from '../agents/types.ts';

/** The tools of PML's own that change records. */
export const CHANGING_TOOLS: readonly ToolDescriptor[] = [
  [
    'cap_rename',
    'Rename or describe a capability',
    'Renames, describes, tags, shares or caches a capability.',
  ],
  ['cap_update', 'Change the code of a capability', 'Gives a capability new code, as its next version.'],
  ['cap_verify', 'Verify a capability', 'Replays the recorded runs of a capability.'],
  ['cap_fork', 'Copy a capability', 'Copies a capability, to change it.'],
  ['cap_merge', 'Combine capabilities', 'Makes one capability of several.'],
  ['cap_curate', 'Name and tidy up capabilities', 'Suggests and applies names, and folds twins.'],
  ['cap_retire', 'Take a capability out of use', 'Takes a capability out of use.'],
  ['cap_restore', 'Bring a capability back', 'Brings a retired capability back.'],
  ['cap_feedback', 'Say whether a capability did its job', 'Says whether a capability did what was needed.'],
].map(([key, name, description]) => ({ key, name, description }) as ToolDescriptor);

/** The learned capabilities: all that the principal sees, or those named. */
export const capabilitiesResolver: BuiltInResolver = {
  key: 'capabilities',
  isListed: true,
  tools: [...CHANGING_TOOLS],
  configSchema: {
    type: 'object',
    description: 'Learned capabilities, and the tools that change their records.',
    properties: {
      names: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description:
          'The only learned capabilities it may use, by exact name, such as fs:read_json. Default: all that the user sees.',
      },
    },
    additionalProperties: false,
  },
  problemsOf: ({ names }) =>
    namesOf(names).flatMap((name, at) =>
      name.includes('*')
        ? [{ path: ['names', at], text: `"${name}" looks like a wildcard, and names are exact` }]
        : [],
    ),
  learned: ({ names }) => (names === undefined ? 'all' : new Set(namesOf(names))),
  // The gateway offers them among the run-time injections, which every engine gets.
  resolve: () => null,
};

function namesOf(names: unknown): string[] {
  return Array.isArray(names) ? names : [];
}
