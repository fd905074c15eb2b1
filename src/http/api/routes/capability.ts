import { createTwoFilesPatch } from 'diff';
import { codeOfVersions, findShown } from '../../../registry/browse/index.ts';
import { sinceWhen } from '../../../registry/usage/index.ts';
import { capabilityUsage } from '../../../runs/index.ts';
import { diffRows } from '../diff-rows.ts';
import { highlight } from '../highlight/highlight.ts';
import { readCapability } from '../read-capability.ts';
import { defineRoute } from '../route.ts';
import {
  Capability,
  CapabilityPatch,
  CapabilityUsage,
  UsageQuery,
  VersionDiff,
} from '../schemas/capabilities.ts';

export const capabilityRoute = defineRoute({
  method: 'get',
  path: '/capabilities/:id',
  summary: 'All about one capability',
  answer: Capability,
  run: ({ params: { id } }, view) => readCapability(view, id),
});

/** A diff with more edits would take seconds to find: the text is then shown as replaced. */
const MAX_EDITS = 500;

export const versionDiffRoute = defineRoute({
  method: 'get',
  path: '/capabilities/:id/versions/:a/diff/:b',
  summary: 'What changed between two versions',
  answer: VersionDiff,
  run: async ({ params }, { gateway, who }) => {
    const { db } = gateway.resources;
    const capability = await findShown(db, who, params.id);
    const versions = [params.a, params.b].map(versionOf) as [number, number];
    const [before, after] = (await codeOfVersions(db, who, capability, versions)) as [string, string];
    const [from, to] = versions.map((version) => `${capability.name}@${version}`) as [string, string];
    const unified = createTwoFilesPatch(from, to, before, after, '', '', { maxEditLength: MAX_EDITS });
    return {
      unified: unified?.replace(/^=+\n/, '') ?? '',
      a: { version: versions[0], code_html: await highlight(before) },
      b: { version: versions[1], code_html: await highlight(after) },
      rows: diffRows(before, after, MAX_EDITS),
    };
  },
});

/** Any text that is no number becomes version 0, which does not exist. */
function versionOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

export const capabilityUsageRoute = defineRoute({
  method: 'get',
  path: '/capabilities/:id/usage',
  summary: 'Calls of a capability over time, and who made them',
  query: UsageQuery,
  answer: CapabilityUsage,
  run: async ({ params: { id }, query: { since } }, { gateway, who }) => {
    const { db, journal } = gateway.resources;
    const { fqdn } = await findShown(db, who, id);
    await journal.flush();
    return capabilityUsage(db, fqdn, sinceWhen(since));
  },
});

export const changeCapabilityRoute = defineRoute({
  method: 'patch',
  path: '/capabilities/:id',
  summary: 'Rename, describe, tag, share or cache a capability',
  body: CapabilityPatch,
  answer: Capability,
  run: async ({ params: { id }, body: { name, ...changes } }, view) => {
    await findShown(view.gateway.resources.db, view.who, id);
    const args = { name: id, ...(name !== undefined && { new_name: name }), ...changes };
    await view.client.callOwn('cap_rename', args, view);
    return readCapability(view, id);
  },
});
