import { z } from 'zod';
import { applyDecisions, type Curator, curateAutomatically, dryRun, suggest } from '../../curation/index.ts';
import { PmlError } from '../../errors.ts';
import { acceptProposal } from '../../learning/index.ts';
import { find } from '../../registry/index.ts';
import { usableProposals } from '../discovery/usable-proposals.ts';
import { WRITES } from './annotations.ts';
import { defineTool, type ToolContext } from './define-tool.ts';
import { fitList } from './fit-answer.ts';
import { newName, spelling, text } from './input-fields.ts';
import { UNLISTED } from './listed-schema.ts';

export const curateTool = defineTool({
  name: 'cap_curate',
  title: 'Name and tidy up capabilities',
  description:
    'suggest names and twins; auto: apply the confident ones; apply: renames, merges, refuse: [id], accept: [id].',
  input: z.strictObject({
    mode: z.enum(['suggest', 'auto', 'apply']).default('suggest'),
    filter: z
      .strictObject({
        unnamed_only: z.boolean().default(true),
        namespace: text(200).optional(),
        min_usage: z.int().min(0).max(1_000_000_000).optional(),
      })
      .optional(),
    renames: z
      .array(z.strictObject({ id: spelling, name: newName }))
      .max(200)
      .optional(),
    merges: z
      .array(z.strictObject({ keep: spelling, fold: z.array(spelling).min(1).max(20) }))
      .max(50)
      .optional(),
    refuse: z.array(spelling).max(200).optional().meta(UNLISTED),
    accept: z.array(text(100)).max(50).optional().meta(UNLISTED),
    dry_run: z.boolean().optional().meta(UNLISTED),
    /** Uses stored suggestions and names by rules: no model is asked. */
    by_rules: z.boolean().optional().meta(UNLISTED),
  }),
  annotations: { ...WRITES, idempotentHint: false, openWorldHint: true },
  run: async (
    { mode, filter = { unnamed_only: true }, dry_run, by_rules, accept, ...decisions },
    context,
  ) => {
    const curator = by_rules ? withoutModel(curatorOf(context)) : curatorOf(context);
    const hasDecisions = accept !== undefined || Object.values(decisions).some((one) => one !== undefined);
    if (hasDecisions && mode !== 'apply')
      throw new PmlError(
        'invalid_arguments',
        '"renames", "merges", "refuse" and "accept" need "mode": "apply".',
      );
    if (mode === 'apply' && !hasDecisions)
      throw new PmlError(
        'invalid_arguments',
        '"mode": "apply" needs "renames", "merges", "refuse" or "accept".',
      );
    if (dry_run) return dryRun(curator, filter);
    await context.journal.flush();
    if (mode === 'apply') {
      const answer = await applyDecisions(curator, decisions);
      for (const id of accept ?? []) await acceptOne(context, id, answer);
      return answer;
    }
    if (mode === 'auto') return curateAutomatically(curator, filter);
    const answer = await suggest(curator, filter);
    const proposals = await openProposals(context);
    return {
      ...answer,
      suggestions: fitList(answer.suggestions),
      ...(proposals.length > 0 && { proposals }),
    };
  },
});

function curatorOf({ db, keys, log, config, models, redactor, caller }: ToolContext): Curator {
  const { who, tools, call } = caller;
  const { signal, onprogress } = call;
  const onProgress = (progress: number, total: number, message: string) =>
    onprogress?.({ progress, total, message });
  return { db, keys, log, config, models, redactor, who, tools, signal, onProgress };
}

function withoutModel(curator: Curator): Curator {
  const { config } = curator;
  return { ...curator, config: { ...config, curation: { ...config.curation, model: 'none' } } };
}

const SHOWN_PROPOSALS = 20;

/** Lists the programs made from recurring calls, which `accept` remembers. */
async function openProposals({ db, caller }: ToolContext) {
  const proposals = await usableProposals(db, caller);
  return proposals
    .filter(({ capability, differences }) => capability === null && differences !== null)
    .slice(0, SHOWN_PROPOSALS)
    .map(({ id, tools, occurrences, differences, code }) => ({
      id,
      calls: tools.join(' → '),
      times: occurrences,
      replay: differences?.length === 0 ? 'exact' : 'differs',
      code,
    }));
}

/** Remembers a proposal as a capability without a name, which the next curation names. */
async function acceptOne(
  { db, executor, config, redactor, caller }: ToolContext,
  id: string,
  answer: Awaited<ReturnType<typeof applyDecisions>>,
): Promise<void> {
  try {
    const fqdn = await acceptProposal({ db, executor }, id, { caller, settings: { config, redactor } });
    const kept = await find(db, caller.who, fqdn);
    answer.applied.push({ id: kept?.id ?? fqdn, from: `proposal ${id}`, to: kept?.name ?? fqdn });
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    answer.skipped.push({ id, why: error.message });
  }
}
