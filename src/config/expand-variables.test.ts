// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${VAR} in a plain string is what is tested here
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expand } from './expand-variables.ts';

type Env = Record<string, string>;

const NAME = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const PLAIN = fc.string().filter((text) => !text.includes('$') && !text.includes('}'));
const PIECE = fc.oneof(
  PLAIN.map((text) => ({ text, is: () => text })),
  NAME.map((name) => ({ text: `\${${name}}`, is: (env: Env) => env[name] })),
  fc
    .tuple(NAME, PLAIN)
    .map(([name, or]) => ({ text: `\${${name}:-${or}}`, is: (env: Env) => env[name] || or })),
  PLAIN.map((text) => ({ text: `$\${${text}`, is: () => `\${${text}` })),
);

test('expansion replaces each form and nothing else', () => {
  const property = fc.property(
    fc.array(PIECE),
    fc.dictionary(NAME, fc.string(), { noNullPrototype: true }),
    (pieces, env) => {
      const own = (name: string) => Object.hasOwn(env, name);
      const expected = pieces.map((piece) => piece.is(Object.assign(Object.create(null), env)));
      const expanded = expand(pieces.map((piece) => piece.text).join(''), env);
      if (expected.includes(undefined))
        assert.match(expanded.problem ?? '', /^the environment variable \w+ is not set/);
      else assert.equal(expanded.text, expected.join(''));
      for (const [name, value] of expanded.from) assert.ok(own(name) && env[name] === value);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
