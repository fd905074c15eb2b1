import { z } from 'zod';
import { cutText } from '../../json-size.ts';
import { hideSecrets } from '../../secrets/index.ts';
import type { Nameable } from '../names/nameable.ts';

const MAX_DESCRIPTION = 1000;
const MAX_PARAMETER = 300;
const MAX_TAGS = 8;
const TAG = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** A model's answer about one program. All of it is untrusted. */
export interface ModelWords {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
  readonly parameterDescriptions: Record<string, string>;
}

const answerSchema = z.object({
  programs: z
    .array(
      z.object({
        number: z.int(),
        name: z.string(),
        description: z.string().default(''),
        tags: z.array(z.string()).default([]),
        parameters: z.array(z.object({ name: z.string(), description: z.string() })).default([]),
      }),
    )
    .max(100),
});

/** The same shape as JSON Schema, which the provider enforces. */
export const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['programs'],
  properties: {
    programs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['number', 'name', 'description', 'tags', 'parameters'],
        properties: {
          number: { type: 'integer' },
          name: { type: 'string' },
          description: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          parameters: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['name', 'description'],
              properties: { name: { type: 'string' }, description: { type: 'string' } },
            },
          },
        },
      },
    },
  },
} as const;

/** Reads a model's answer into bounded words for each program of the batch; undefined if it is not what was asked for. */
export function readAnswer(answer: unknown, batch: readonly Nameable[]): Map<string, ModelWords> | undefined {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) return undefined;
  const words = new Map<string, ModelWords>();
  for (const { number, name, description, tags, parameters } of parsed.data.programs) {
    const capability = batch[number - 1];
    if (!capability || words.has(capability.id)) continue;
    const known = Object.keys(capability.parameters.properties ?? {});
    const described = parameters.filter((one) => known.includes(one.name)).slice(0, 100);
    words.set(capability.id, {
      name: name.trim(),
      description: plainText(description, MAX_DESCRIPTION),
      tags: [...new Set(tags.map((tag) => tag.trim().toLowerCase()))]
        .filter((tag) => TAG.test(tag))
        .slice(0, MAX_TAGS),
      parameterDescriptions: Object.fromEntries(
        described.map((one) => [one.name, plainText(one.description, MAX_PARAMETER)]),
      ),
    });
  }
  return words.size > 0 ? words : undefined;
}

/** A text on one line, without control characters and secrets. */
function plainText(text: string, max: number): string {
  const flat = text
    .slice(0, 4 * max)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return cutText(hideSecrets(flat), max);
}
