import { z } from 'zod';
import type { JsonSchema } from '../../json.ts';
import { jsonFits } from '../../json-size.ts';

const TYPES = z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const bound = z.number().optional();

/**
 * The subset of JSON Schema that PML itself writes. The daemon compiles and runs schemas, so a stranger's may hold no
 * regular expression, which could run for ever, and no reference.
 */
const Schema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.strictObject({
    type: z.union([TYPES, z.array(TYPES).max(7)]).optional(),
    description: z.string().max(10_000).optional(),
    title: z.string().max(1000).optional(),
    format: z.string().max(100).optional(),
    enum: z.array(z.json()).max(1000).optional(),
    const: z.json().optional(),
    default: z.json().optional(),
    minimum: bound,
    maximum: bound,
    writeOnly: z.boolean().optional(),
    items: Schema.optional(),
    properties: z.record(z.string().max(200), Schema).optional(),
    required: z.array(z.string().max(200)).max(1000).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    anyOf: z.array(Schema).min(1).max(100).optional(),
    oneOf: z.array(Schema).min(1).max(100).optional(),
    allOf: z.array(Schema).min(1).max(100).optional(),
  }),
);

/** The most that PML stores itself, with room for defaults that stood in the code. */
const MAX_BYTES = 256 * 1024;

/** Checks the size before anything else. */
export const ParametersSchema = z
  .custom<unknown>((value) => jsonFits(value, MAX_BYTES), { error: 'is too large', abort: true })
  .pipe(Schema);
