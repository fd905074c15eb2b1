import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapabilityByTools } from '../../registry/procedures/index.ts';
import { likestFirst } from './rank-candidates.ts';

const candidate = (code: string) => ({ code }) as CapabilityByTools;

test('the capabilities with the most words of the program are compared', () => {
  const others = ['title', 'state', 'labels', 'number'].map((field) =>
    candidate(`return (await mcp.github.list_issues({ owner: args.owner })).map((x) => x.${field})`),
  );
  const same = candidate(
    'const list = await mcp.github.list_issues({ owner: args.owner }); return list.filter((x) => x.comments > 3)',
  );
  const program =
    'const found = []; for (const x of await mcp.github.list_issues({ owner: "a" })) if (x.comments > 3) found.push(x); return found';
  assert.deepEqual(likestFirst([...others, same], program, 2)[0], same);
});

test('few candidates keep their order', () => {
  const all = [candidate('b'), candidate('a')];
  assert.deepEqual(likestFirst(all, 'a', 2), all);
});
