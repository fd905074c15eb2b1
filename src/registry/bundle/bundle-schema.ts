import { z } from 'zod';
import { MAX_SOURCE } from '../../code/index.ts';
import { isTag } from '../lookup/version.ts';
import { parseFqdn } from '../record/fqdn.ts';
import { ParametersSchema } from './parameters-schema.ts';

/** Marks a file as a bundle. */
export const FORMAT = 'pml-bundle';
/** Raised when an older PML could no longer read new bundles. */
export const FORMAT_VERSION = 1;

/** These limits bound the cost of reading a stranger's file. */
export const MAX_BUNDLE_BYTES = 8 * 1024 * 1024;
export const MAX_TEXT = 20_000;
export const MAX_DEPTH = 40;
/** Each line of code is a value. */
export const MAX_VALUES = 400_000;
const MAX_CAPABILITIES = 1000;
const MAX_VERSIONS = 1000;
const MAX_TOOLS = 1000;

const text = (max: number) => z.string().max(max);
/** Text that is shown to people on one line. */
const word = (max: number) =>
  text(max)
    .min(1)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, { error: 'must be one line' });
const fqdn = text(400).refine((value) => parseFqdn(value) !== undefined, { error: 'is no full name' });
const name = word(64);
const tools = z.array(word(400).regex(/^\P{C}*$/u, { error: 'must be text' })).max(MAX_TOOLS);
const when = z.iso.datetime();

const Version = z.strictObject({
  version: z.int().positive(),
  version_tag: text(40).refine(isTag, { error: 'is no version tag' }).nullable(),
  /** One string for each line, so that people can read it in the file. */
  code: z.array(text(MAX_SOURCE)).min(1).max(MAX_SOURCE),
  code_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The capabilities that the code calls, by FQDN, with the version it pins. */
  calls: z.array(text(500)).max(MAX_TOOLS),
  tools_used: tools,
  /** The schemas that its tools had when it was written. */
  written_for: z.record(z.string().max(400), z.record(z.string(), z.json())),
  parameters_schema: ParametersSchema,
  author: word(200),
  made_at: when,
  change_summary: text(MAX_TEXT),
});

const BundledCapability = z.strictObject({
  fqdn,
  name,
  named: z.boolean(),
  description: text(MAX_TEXT),
  intent: text(MAX_TEXT),
  tags: z.array(word(64)).max(50),
  routing: z.enum(['local', 'cloud']),
  routing_chosen: z.boolean(),
  author: word(200),
  versions: z.array(Version).min(1).max(MAX_VERSIONS),
});

/** The signed content: capabilities with their whole history, and all that they call. */
export const Content = z.strictObject({
  made_by: word(100),
  made_at: when,
  /** The capabilities that were asked for; the others are their callees. */
  asked_for: z.array(fqdn).max(MAX_CAPABILITIES),
  tools_needed: tools,
  capabilities: z.array(BundledCapability).min(1).max(MAX_CAPABILITIES),
});
export type Content = z.infer<typeof Content>;
export type BundledCapability = z.infer<typeof BundledCapability>;
export type BundledVersion = z.infer<typeof Version>;

/** The file. Its content is parsed only after its signature is checked. */
export const Envelope = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  content: z.record(z.string(), z.unknown()),
  signer: z.string().max(200),
  signature: z.string().max(200),
});
export type Envelope = z.infer<typeof Envelope>;
