import { isJsonObject, type JsonObject } from '../../json.ts';

export interface TakenMedia {
  /** The value, in which texts stand in place of the data of images and audio. */
  readonly value: unknown;
  /** The images and audio as content blocks, in the order in which they stand in the value. */
  readonly media: readonly JsonObject[];
  /** How many more there are, for which there is no room. */
  readonly leftOut: number;
}

export interface MediaBounds {
  readonly blocks: number;
  /** Characters of base64, all together. */
  readonly bytes: number;
}

/** How many values are looked at: an image stands near the top of a result. */
const MAX_VALUES = 2000;
const MAX_LEVELS = 6;

/**
 * Takes images and audio out of a result: base64 in JSON fills a context with what a model cannot read, while a client shows it
 * a content block. A text that names the block stands in its place, so that the value keeps its shape.
 */
export function takeMedia(value: unknown, bounds: MediaBounds): TakenMedia {
  const media: JsonObject[] = [];
  let values = 0;
  let bytes = 0;
  let leftOut = 0;
  const bare = take(value, 0);
  return { value: bare, media, leftOut };

  function take(one: unknown, level: number): unknown {
    values += 1;
    if (typeof one !== 'object' || one === null || level > MAX_LEVELS || values > MAX_VALUES) return one;
    const found = mediaIn(one);
    if (found) return withoutData(one as JsonObject, found);
    if (Array.isArray(one)) return same(one, one.slice(0, MAX_VALUES), (item) => take(item, level + 1));
    return takeFromMembers(one as JsonObject, level);
  }

  /** Copies a list only if it changes. */
  function same(list: unknown[], first: unknown[], map: (item: unknown) => unknown): unknown[] {
    const taken = first.map(map);
    return taken.every((item, index) => item === list[index])
      ? list
      : [...taken, ...list.slice(first.length)];
  }

  function takeFromMembers(object: JsonObject, level: number): JsonObject {
    const keys = Object.keys(object).slice(0, MAX_VALUES);
    const changed = keys.flatMap((key) => {
      const taken = take(object[key], level + 1);
      return taken === object[key] ? [] : [[key, taken] as const];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  }

  function withoutData(holder: JsonObject, { key, block }: FoundMedia): JsonObject {
    const { type, data, mimeType } = block;
    const size = `${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes`;
    if (media.length >= bounds.blocks || bytes + data.length > bounds.bytes) {
      leftOut += 1;
      return { ...holder, [key]: `(${type} left out: ${size})` };
    }
    bytes += data.length;
    media.push(block);
    return { ...holder, [key]: `(${type} ${media.length} of this answer: ${size})` };
  }
}

interface FoundMedia {
  /** The member that holds the data. */
  readonly key: 'data' | 'blob';
  readonly block: { type: string; data: string; mimeType: string };
}

const MIME_TYPE = /^(image|audio)\/[\w.+-]{1,60}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads an image or audio as MCP has it: a content block, or the contents of an embedded resource. */
function mediaIn(value: object): FoundMedia | undefined {
  if (!isJsonObject(value)) return undefined;
  const { mimeType, type, uri, data, blob } = value;
  const [, kind] = typeof mimeType === 'string' ? (MIME_TYPE.exec(mimeType) ?? []) : [];
  if (kind === undefined) return undefined;
  if (type === kind && isBase64(data))
    return { key: 'data', block: { type: kind, data, mimeType: mimeType as string } };
  if (typeof uri === 'string' && isBase64(blob))
    return { key: 'blob', block: { type: kind, data: blob, mimeType: mimeType as string } };
  return undefined;
}

/** Clients refuse an answer with a block whose data is not base64. */
function isBase64(data: unknown): data is string {
  return typeof data === 'string' && data.length > 0 && data.length % 4 === 0 && BASE64.test(data);
}
