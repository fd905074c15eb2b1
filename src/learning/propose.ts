import { messageOf, PmlError } from '../errors.ts';
import type { Caller, Executor, ProposedProgram, RunSettings } from '../execute/index.ts';
import { jsonFits } from '../json-size.ts';
import type { Log } from '../log.ts';
import type { Recording } from '../runs/index.ts';
import type { Db } from '../store/index.ts';
import { storedText } from '../stored-texts.ts';
import type { RecurringSegment } from './call-window.ts';
import type { PlainCall } from './digest-call.ts';
import { countProposal, findProposal, markKept, type Proposal, storeProposal } from './proposals.ts';
import { writeProgram } from './write-program.ts';

export interface ProposeContext {
  readonly db: Db;
  readonly executor: Executor;
  readonly log: Log;
}

/** For whom a proposal is made. */
export interface ProposeFor {
  readonly caller: Caller;
  readonly settings: RunSettings;
  /** Keep a program that replays exactly without asking. */
  readonly auto: boolean;
}

/** In bytes of JSON, for all calls of a segment together. */
const MAX_RECORDING = 256 * 1024;
const MAX_CODE = 64 * 1024;
/** On how many occurrences a program is tried until it replays exactly. */
const MAX_ATTEMPTS = 3;
const MAX_DIFFERENCES = 10;

/** Makes a proposal of a segment that recurs, or notes that one recurred again. */
export async function propose(
  context: ProposeContext,
  found: RecurringSegment,
  who: ProposeFor,
): Promise<void> {
  const { segment } = found;
  const isNew = segment.stored === 0;
  const mayImprove = !segment.isExact && segment.attempts < MAX_ATTEMPTS;
  if (isNew || mayImprove || segment.varied.size > segment.storedVaried)
    return makeProposal(context, found, who);
  if (segment.count < 2 * segment.stored) return;
  segment.stored = segment.count;
  await countProposal(context.db, who.caller.who, evidenceOf(found));
}

async function makeProposal(
  context: ProposeContext,
  found: RecurringSegment,
  who: ProposeFor,
): Promise<void> {
  const { segment, calls } = found;
  const recorded = calls.flatMap((call) => call.recorded ?? []);
  // Its first calls passed before it was known that they recur.
  if (recorded.length < calls.length) return;
  segment.attempts += 1;
  const made = redactedProgram(found, recorded, who.settings);
  if (!made) return;
  const { program, isWhole } = made;
  const differences = isWhole ? await replay(context, program, who) : null;
  segment.isExact = differences?.length === 0;
  const proposal = await storeProposal(context.db, who.caller.who, {
    ...evidenceOf(found),
    ...{ tools: recorded.map(({ name }) => name), intent: program.intent, code: program.code },
    ...{ recording: isWhole ? program.recording : undefined, differences },
  });
  [segment.stored, segment.storedVaried] = [segment.count, segment.varied.size];
  if (proposal && who.auto && segment.isExact) await acceptProposal(context, proposal.id, who);
}

/** Remembers the program of a proposal as a capability without a name. */
export async function acceptProposal(
  { db, executor }: Pick<ProposeContext, 'db' | 'executor'>,
  id: string,
  { caller, settings }: Pick<ProposeFor, 'caller' | 'settings'>,
): Promise<string> {
  const proposal = await findProposal(db, caller.who, id);
  if (!proposal) throw new PmlError('bad_request', `There is no proposal "${id}".`);
  const { intent, code, recording } = proposal;
  if (!recording)
    throw new PmlError(
      'bad_request',
      'The calls of this proposal returned more than PML keeps, so it cannot be replayed.',
    );
  const { fqdn } = await executor.keep({ intent, code, recording }, caller, settings);
  await markKept(db, proposal, fqdn);
  return fqdn;
}

/** Writes the program of a segment from its recorded calls, once secrets are redacted from them. */
function redactedProgram(
  { links, segment }: RecurringSegment,
  recorded: readonly PlainCall[],
  { redactor }: RunSettings,
): { program: ProposedProgram; isWhole: boolean } | undefined {
  const own = redactor.fork();
  const isWhole = recorded.every(({ result }) => result !== undefined) && jsonFits(recorded, MAX_RECORDING);
  const bounded = recorded.map((call) => ({ ...call, result: isWhole ? (call.result ?? null) : null }));
  own.learnThoroughly(bounded);
  if (own.isFull) return undefined;
  const calls = own.json(bounded.map(({ name, args, result }) => ({ name, args, result })));
  const written = writeProgram({ calls, links, varied: segment.varied });
  if (!written || written.code.length > MAX_CODE) return undefined;
  const recording: Recording = { args: written.args, calls, result: calls.at(-1)?.result ?? null };
  const names = recorded.map(({ name }) => name).join(', then ');
  const intent = storedText('intent', `Calls that recur: ${names}`, own);
  return { program: { intent, code: written.code, recording }, isWhole };
}

async function replay(
  { executor, log }: ProposeContext,
  program: ProposedProgram,
  { caller, settings }: ProposeFor,
): Promise<string[]> {
  try {
    const differences = await executor.replayProposal(program, caller, settings);
    return differences.slice(0, MAX_DIFFERENCES).map((one) => storedText('error', one, settings.redactor));
  } catch (error) {
    if (!(error instanceof PmlError)) log.error(`cannot replay recurring calls: ${(error as Error).stack}`);
    return [storedText('error', messageOf(error), settings.redactor)];
  }
}

function evidenceOf({ signature, segment }: RecurringSegment): Pick<
  Proposal,
  'occurrences' | 'firstSeenAt' | 'lastSeenAt'
> & {
  signature: string;
} {
  const { count, firstAt, lastAt } = segment;
  return {
    signature,
    occurrences: count,
    firstSeenAt: new Date(firstAt),
    lastSeenAt: new Date(lastAt),
  };
}
