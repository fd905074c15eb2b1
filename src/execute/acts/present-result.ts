import type { JsonObject } from '../../json.ts';
import { jsonBytes } from '../../json-size.ts';
import { KEPT_MS } from '../results/kept-results.ts';
import { type Preview, previewOf } from '../results/preview.ts';
import { takeMedia } from '../results/take-media.ts';
import type { Run } from '../run/run.ts';

/** A result as it goes to the client. */
export interface Presented {
  /** The whole, or its beginning. */
  readonly result: unknown;
  /** Absent if `result` is the whole. */
  readonly truncated?: Truncated;
  /** Images and audio of the result, as content blocks. */
  readonly media: readonly JsonObject[];
  readonly warnings: readonly string[];
}

/** The notice about a result that an answer shows in part. */
export interface Truncated {
  /** The size of the whole as JSON. */
  bytes: number;
  /** The part that `result` shows. */
  shown: readonly string[];
  /** Names the whole result in code; absent if it is too large to be kept. */
  run?: string;
  /** How code reads the whole. */
  read?: string;
}

export interface FinishedResult {
  readonly value: unknown;
  /** The size of the value as JSON. */
  readonly bytes: number;
  /** The value as JSON, where that is at hand. */
  readonly text?: string;
}

/** An answer holds the result twice, the second time with its quotes escaped. Clients close the connection at 10 MiB. */
const MAX_MESSAGE_BYTES = 9_500_000;
const MAX_MEDIA_BYTES = 5_000_000;
const MAX_MEDIA = 20;

/** Bounds a result for its client. The whole is kept for a while, so that nothing runs twice to show more of it. */
export function presentResult(run: Run, finished: FinishedResult): Presented {
  const { resultBytes } = run;
  const bytes = Math.min(MAX_MEDIA_BYTES, MAX_MESSAGE_BYTES - 3 * resultBytes);
  const mayHoldMedia = finished.text?.includes('"mimeType"') ?? true;
  const { value, media, leftOut } = mayHoldMedia
    ? takeMedia(finished.value, { blocks: MAX_MEDIA, bytes })
    : { value: finished.value, media: [], leftOut: 0 };
  const fits =
    value === finished.value ? finished.bytes <= resultBytes : jsonBytes(value, resultBytes) !== Infinity;
  if (fits && leftOut === 0) return { result: value, media, warnings: run.notes };
  const preview = fits ? { value, shown: [] } : previewOf(value, resultBytes);
  const truncated = truncatedOf(run, finished, preview, leftOut);
  return { result: preview.value, truncated, media, warnings: [sayCut(truncated), ...run.notes] };
}

function truncatedOf(
  run: Run,
  { value, bytes, text }: FinishedResult,
  preview: Preview,
  leftOut: number,
): Truncated {
  const shown = [...preview.shown, ...(leftOut > 0 ? [`${leftOut} images or audio left out`] : [])];
  const id = run.kept.keep(run.who, { text: text ?? JSON.stringify(value), redactor: run.redactor });
  return { bytes, shown, ...(id !== undefined && { run: id, read: `await pml.result("${id}")` }) };
}

function sayCut({ bytes, shown, read }: Truncated): string {
  const cut = `This is not the whole result, which has ${bytes} bytes (${shown.join('; ')}).`;
  const advice =
    read === undefined
      ? 'Return less of it.'
      : `It is kept for ${KEPT_MS / 60_000} minutes: code that you send reads it as \`${read}\` and can return the part you need. Nothing has to run again.`;
  return `${cut} ${advice}`;
}
