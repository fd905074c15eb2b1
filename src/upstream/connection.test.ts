import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../log.ts';
import { Connection } from './connection.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { ServerOutput } from './server-output.ts';

const log = { info: () => {}, warn: () => {} } as unknown as Log;

test('a server that lacks something it needs is not started, not even by a restart', async (t) => {
  const cannotStart = 'was not started: KEY is not set';
  const transport = { kind: 'stdio', command: process.execPath, args: ['-e', ''], env: {} };
  const connection = new Connection({
    server: { name: 'keyless', transport, cannotStart } as unknown as ServerDefinition,
    ...{ log, output: log as unknown as ServerOutput, era: undefined, startTimeoutMs: undefined },
    ...{ redactor: undefined, prepare: () => {}, connected: async () => {} },
  });
  t.after(() => connection.close());
  await connection.restart();
  assert.deepEqual([connection.state, connection.problem], ['down', cannotStart]);
});
