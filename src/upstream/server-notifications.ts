import type { JsonObject } from '../json.ts';
import type { ListKind } from './catalog.ts';

export interface NotificationListener {
  listsChanged(...kinds: ListKind[]): void;
  resourceUpdated(uri: string, params: JsonObject): void;
  logMessage(params: JsonObject | undefined): void;
  /** Gets every notification that is not about a list or a resource, log messages too. */
  other(method: string, params: JsonObject | undefined): void;
}

/** Passes a server's notification to those whom it concerns. */
export function dispatchNotification(
  method: string,
  params: JsonObject | undefined,
  listener: NotificationListener,
): void {
  switch (method) {
    case 'notifications/tools/list_changed':
      listener.listsChanged('tools');
      break;
    case 'notifications/prompts/list_changed':
      listener.listsChanged('prompts');
      break;
    case 'notifications/resources/list_changed':
      listener.listsChanged('resources', 'templates');
      break;
    case 'notifications/resources/updated':
      if (typeof params?.uri === 'string') listener.resourceUpdated(params.uri, params);
      break;
    default:
      if (method === 'notifications/message') listener.logMessage(params);
      listener.other(method, params);
  }
}
