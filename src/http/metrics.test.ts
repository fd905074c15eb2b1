import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

test('figures are read when they are asked for, and calls are counted by server and outcome', async () => {
  let sessions = 1;
  let servers = [
    { server: 'fs', state: 'ready' },
    { server: 'git', state: 'down' },
  ];
  const metrics = new Metrics({
    sessions: () => sessions,
    upstreams: () => servers,
    journalBacklog: () => 7,
    longTurns: () => 3,
  });
  metrics.observeCall('fs', true, 4);
  metrics.observeCall('fs', true, 400);
  metrics.observeCall('git', false, 20);
  const { type, body } = await metrics.text();
  assert.match(type, /^text\/plain/);
  for (const line of [
    'pml_sessions 1',
    'pml_journal_backlog 7',
    'pml_event_loop_long_turns_total 3',
    'pml_upstream_up{server="fs"} 1',
    'pml_upstream_up{server="git"} 0',
    'pml_tool_call_seconds_count{server="fs",outcome="success"} 2',
    'pml_tool_call_seconds_bucket{le="0.005",server="fs",outcome="success"} 1',
    'pml_tool_call_seconds_count{server="git",outcome="failure"} 1',
  ])
    assert.ok(body.split('\n').includes(line), line);

  sessions = 5;
  servers = [{ server: 'fs', state: 'starting' }];
  const { body: later } = await metrics.text();
  assert.match(later, /^pml_sessions 5$/m);
  assert.match(later, /^pml_upstream_up\{server="fs"\} 0$/m);
  assert.doesNotMatch(later, /pml_upstream_up\{server="git"\}/);
});
