import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonSchema } from '../../json.ts';
import type { Capability } from '../../registry/index.ts';
import { pipelineCode, pipelineSchema } from './pipeline.ts';

function capability(name: string, properties: JsonSchema, more: JsonSchema = {}): Capability {
  const parametersSchema = { type: 'object', properties, additionalProperties: false, ...more };
  return { name, fqdn: `acme.web.text.${name}.abcd`, parametersSchema } as unknown as Capability;
}

const text = { type: 'string' };

/** Runs the code of a pipeline whose steps are these functions. Returns its result, and the arguments of each step. */
async function run(steps: Capability[], acts: (() => unknown)[], args: object) {
  const given: object[] = [];
  const call = (index: number) => (values: object) => {
    given.push(values);
    return acts[index]?.();
  };
  const mcp = Object.fromEntries(steps.map(({ fqdn }, index) => [fqdn, call(index)]));
  const code = pipelineCode(steps.map((step) => ({ capability: step, version: '' })));
  const AsyncFunction = (async () => {}).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  const result = await new AsyncFunction('mcp', 'args', code)(mcp, args);
  return { result, given };
}

test('an object that a step returns goes to the next over the arguments, anything else as input', async () => {
  const steps = [
    capability('a', { path: text }),
    capability('b', { depth: text, size: text }),
    capability('c', { input: text }),
  ];
  const { result, given } = await run(steps, [() => ({ size: '3' }), () => 'done', () => 'end'], {
    path: 'p',
    depth: 'd',
    size: '1',
    other: 1,
  });
  assert.equal(result, 'end');
  assert.deepEqual(given, [{ path: 'p' }, { depth: 'd', size: '3' }, { input: 'done' }]);
});

test('steps that call their parameters alike keep them apart', async () => {
  const number = { type: 'integer', default: 1 };
  const steps = [
    capability('a', { path: text, n: number, __proto__x: text }),
    capability('b', { path: { ...text, description: 'Where to' }, n: text }),
    capability('c', { n: text }, { additionalProperties: true }),
  ];
  const args = { path: 'p', n: 1, second_path: 'q', third_n: 'x', other: 1 };
  const { given } = await run(steps, [() => 1, () => ({ done: true }), () => 3], args);
  assert.deepEqual(given, [{ path: 'p', n: 1 }, { path: 'q' }, { n: 'x', other: 1, done: true }]);
  const { properties } = pipelineSchema(steps);
  assert.deepEqual(Object.keys(properties ?? {}), [
    'path',
    'n',
    '__proto__x',
    'second_path',
    'second_n',
    'third_n',
  ]);
  assert.deepEqual(
    [properties?.n, properties?.second_path],
    [number, { type: 'string', description: 'path of step 2: Where to' }],
  );
});

test('a step whose schema is open gets everything', async () => {
  const steps = [capability('a', {}, { additionalProperties: true }), capability('b', { input: text })];
  const { given } = await run(steps, [() => 1, () => 2], { any: 'thing' });
  assert.deepEqual(given, [{ any: 'thing' }, { input: 1 }]);
});

test('a pinned step is called in its version', () => {
  const code = pipelineCode([{ capability: capability('a', {}), version: '@v2' }]);
  assert.match(code, /acme\.web\.text\.a\.abcd@v2/);
});

test('the schema has the parameters of all steps, and requires those of the first', () => {
  const first = capability(
    'a',
    { path: text, depth: { type: 'integer', default: 1 } },
    { required: ['path'] },
  );
  const second = capability(
    'b',
    { input: text, depth: { type: 'number', default: 2 } },
    { required: ['input'] },
  );
  assert.deepEqual(pipelineSchema([first, second]), {
    type: 'object',
    properties: {
      path: text,
      depth: { type: 'integer', default: 1 },
      input: text,
      second_depth: { type: 'number', description: 'depth of step 2', default: 2 },
    },
    required: ['path'],
    additionalProperties: false,
  });
});

test('steps that do not fit together are refused with the reason', () => {
  const refusal = (...steps: Capability[]) => {
    try {
      return pipelineSchema(steps);
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(
    refusal(capability('a', {}), capability('b', {})),
    '"b" takes no arguments, so what "a" returns cannot reach it.',
  );
});
