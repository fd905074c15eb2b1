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
    capability('b', { path: text, size: text }),
    capability('c', { input: text }),
  ];
  const { result, given } = await run(steps, [() => ({ size: '3' }), () => 'done', () => 'end'], {
    path: 'p',
    other: 1,
  });
  assert.equal(result, 'end');
  assert.deepEqual(given, [{ path: 'p' }, { path: 'p', size: '3' }, { input: 'done' }]);
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
    // The defaults differ, so each step applies its own.
    properties: { path: text, depth: { type: 'integer' }, input: text },
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
  assert.equal(
    refusal(capability('a', { n: { type: 'integer' } }), capability('b', { n: text })),
    '"n" is number for "a" and string for "b".',
  );
});
