import type { JsonObject } from '../../json.ts';

/** The request by which a modern client subscribes to changes. */
export const LISTEN = 'subscriptions/listen';

/** Returns the resources that a `subscriptions/listen` request names. */
export function listenedUris(params: JsonObject): string[] {
  const { resourceSubscriptions } = (params.notifications ?? {}) as JsonObject;
  return Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : [];
}
