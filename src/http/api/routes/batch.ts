import { messageOf, PmlError } from '../../../errors.ts';
import type { JsonObject } from '../../../json.ts';
import { findShown } from '../../../registry/browse/index.ts';
import { defineRoute } from '../route.ts';
import { BatchAnswer, BatchInput } from '../schemas/capabilities.ts';
import type { View } from '../view.ts';

export const batchRoute = defineRoute({
  method: 'post',
  path: '/capabilities/batch',
  summary: 'Change many capabilities alike',
  body: BatchInput,
  answer: BatchAnswer,
  run: async ({ body: { ids, change } }, view) => {
    const answer: BatchAnswer = { done: [], failed: [] };
    for (const id of new Set(ids)) {
      view.signal.throwIfAborted();
      try {
        await changeOne(view, id, change);
        answer.done.push({ id });
      } catch (error) {
        if (!(error instanceof PmlError)) throw error;
        answer.failed.push({ id, error: messageOf(error) });
      }
    }
    return answer;
  },
});

async function changeOne(view: View, id: string, change: BatchInput['change']): Promise<void> {
  const capability = await findShown(view.gateway.resources.db, view.who, id);
  const call = (tool: string, args: JsonObject) => view.client.callOwn(tool, { name: id, ...args }, view);
  if ('retire' in change) await call('cap_retire', {});
  else if ('restore' in change) await call('cap_restore', {});
  else {
    const { tags_add = [], tags_remove = [], visibility, namespace } = change;
    const tags = new Set([...capability.tags, ...tags_add]);
    for (const tag of tags_remove) tags.delete(tag);
    const hasTags = tags_add.length + tags_remove.length > 0;
    const action = capability.name.slice(capability.name.indexOf(':') + 1);
    await call('cap_rename', {
      ...(hasTags && { tags: [...tags] }),
      ...(visibility && { visibility }),
      ...(namespace !== undefined && { new_name: `${namespace}:${action}` }),
    });
  }
}
