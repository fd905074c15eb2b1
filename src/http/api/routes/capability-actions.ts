import { codeOfVersions, findShown } from '../../../registry/browse/index.ts';
import { readCapability } from '../read-capability.ts';
import { defineRoute } from '../route.ts';
import { executeForPage } from '../run-answer.ts';
import {
  Capability,
  CapabilityRunInput,
  FeedbackInput,
  NoInput,
  RollbackInput,
  RunAnswer,
  Verification,
} from '../schemas/capabilities.ts';

export const runCapabilityRoute = defineRoute({
  method: 'post',
  path: '/capabilities/:id/run',
  summary: 'Run a capability',
  body: CapabilityRunInput,
  answer: RunAnswer,
  run: async ({ params: { id }, body: { args } }, view) => {
    const { name } = await findShown(view.gateway.resources.db, view.who, id);
    const { run, ok, ms, result, error, truncated, cached, logs, warnings } = await executeForPage(view, {
      ...{ intent: `Run ${name} from the dashboard`, capability: id, args },
    });
    const more = { truncated, cached, logs, warnings } as Pick<RunAnswer, 'cached' | 'logs' | 'warnings'>;
    return { run, ok, ms, result, ...(error && { error }), ...more };
  },
});

export const verifyRoute = defineRoute({
  method: 'post',
  path: '/capabilities/:id/verify',
  summary: 'Replay the recorded runs of a capability',
  body: NoInput,
  answer: Verification,
  run: async ({ params: { id } }, view) =>
    (await view.client.callOwn('cap_verify', { name: id }, view)) as Verification,
});

/** Defines a route that calls one of PML's own tools with a capability, and answers with the changed capability. */
function actRoute(act: string, summary: string, tool: string, more: object = {}) {
  return defineRoute({
    method: 'post',
    path: `/capabilities/:id/${act}` as '/capabilities/:id/act',
    summary,
    body: NoInput,
    answer: Capability,
    run: async ({ params: { id } }, view) => {
      await findShown(view.gateway.resources.db, view.who, id);
      await view.client.callOwn(tool, { name: id, ...more }, view);
      return readCapability(view, id);
    },
  });
}

export const retireRoute = actRoute('retire', 'Take a capability out of use', 'cap_retire');
export const restoreRoute = actRoute('restore', 'Bring a retired capability back', 'cap_restore');
export const undoRenameRoute = actRoute('undo-rename', 'Take the last rename back', 'cap_rename', {
  undo: true,
});

export const rollbackRoute = defineRoute({
  method: 'post',
  path: '/capabilities/:id/rollback',
  summary: 'Make the code of an earlier version the next version',
  body: RollbackInput,
  answer: Capability,
  run: async ({ params: { id }, body: { version } }, view) => {
    const { db } = view.gateway.resources;
    const capability = await findShown(db, view.who, id);
    const [code] = await codeOfVersions(db, view.who, capability, [version]);
    const change_summary = `Roll back to version ${version}`;
    await view.client.callOwn('cap_update', { name: id, code, change_summary }, view);
    return readCapability(view, id);
  },
});

export const feedbackRoute = defineRoute({
  method: 'post',
  path: '/capabilities/:id/feedback',
  summary: 'Say whether a capability did its job',
  body: FeedbackInput,
  answer: Capability,
  run: async ({ params: { id }, body }, view) => {
    await findShown(view.gateway.resources.db, view.who, id);
    await view.client.callOwn('cap_feedback', { name: id, ...body }, view);
    return readCapability(view, id);
  },
});
