import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import fc from 'fast-check';
import { inferNamespace, printSignature, resolveReferences } from '../../src/code/index.ts';
import {
  accept,
  createLookup,
  findReferences,
  generalise,
  hashOf,
  inferParametersSchema,
  originalPosition,
  ParseError,
  parse,
  prepareRun,
  rewriteReferences,
  toFunctionBody,
  valueOrigin,
} from '../../src/code/testing.ts';
import { runs } from '../../src/testing/effort.ts';
import { drafts, styleOf, write } from './programs.ts';

const TOKENS =
  `( ) [ ] { } < > , ; : ? ?. ?? . ... => = == + - ++ -- ! ~ * ** / % & && | || ^ @ # \` \${ ' " \\ // /* */ /a/ 1 0.5
  1n "a" 'b' \`c\` x y mcp args mcp.fs.read args.x await async function class extends return if else for while do of in
  let const var new typeof void delete throw try catch finally switch case default break continue static get set yield
  import export enum namespace type interface as satisfies is keyof declare abstract private readonly this super null
  undefined eval arguments <!-- --> #! \u200b \u0085 \ud800 \u0000 é 😀`
    .split(/\s+/)
    .concat('\u2028', '\n', '\ufeff');

const soup = fc
  .array(fc.constantFrom(...TOKENS), { maxLength: 60, size: 'max' })
  .chain((tokens) => fc.constantFrom(' ', '', '\n').map((gap) => tokens.join(gap)));

/** A valid program with a few cuts, copies and strange tokens. */
const damaged = fc
  .tuple(
    drafts,
    fc.nat(),
    fc.array(fc.tuple(fc.nat(3), fc.nat(), fc.nat(40), fc.constantFrom(...TOKENS)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([draft, seed, damages]) => {
    let text = write(draft, styleOf(seed, draft));
    for (const [kind, at, length, token] of damages) {
      const start = at % (text.length + 1);
      const piece = text.slice(start, start + length);
      const instead = [token, piece + piece, '', ` ${token} `][kind];
      text = text.slice(0, start) + instead + text.slice(start + (kind === 3 ? 0 : length));
    }
    return text;
  });

/** Sends a text through all of `code/`. Only the parser may throw, and only a `ParseError`. True if the text was accepted. */
function survives(source: string): boolean {
  let program: ReturnType<typeof parse>;
  acceptsOrRefuses(source);
  try {
    program = parse(source);
  } catch (thrown) {
    assert.ok(thrown instanceof ParseError, String(thrown));
    assert.ok(thrown.line >= 1 && thrown.column >= 1 && thrown.message.length < 2000);
    return false;
  }
  const calls = findReferences(program);
  resolveReferences(calls, createLookup(new Map([['fs:read', 1]])));
  const names = new Map(calls.map(({ name }) => [name ?? '', 'local.default.a.b.0123']));
  const { code, parameters } = generalise(program, { toolSchema: () => undefined });
  const saved = parse(rewriteReferences(code, names));
  const schema = inferParametersSchema(saved, { parameters, toolSchema: () => undefined });
  assert.match(hashOf(saved), /^[0-9a-f]{64}$/);
  assert.ok(printSignature(inferNamespace([]), schema).length <= 240);
  const { before, code: body, after } = toFunctionBody(program);
  assert.equal(body.length, source.length);
  compiles(`(async () => { 'use strict'; ${before}${body}${after}\n})`, source);
  return true;
}

/** Rewrites a text as it is done with code from outside. What is accepted compiles, and each line stays where it was. */
function acceptsOrRefuses(source: string): void {
  let code: string;
  try {
    code = accept(source, { x: 'fs:read', y: 'fs' }).code;
  } catch (thrown) {
    assert.ok(thrown instanceof ParseError, String(thrown));
    return;
  }
  assert.equal(accept(code).code, code);
  assert.equal(code.split('\n').length, source.split('\n').length);
  const place = { line: 1, column: Math.max(1, code.length) };
  assert.ok(originalPosition(source, { x: 'fs:read', y: 'fs' }, place).column >= 1);
  valueOrigin(code, place);
  valueOrigin(code);
  const { body } = prepareRun(code, { source, functions: { x: 'fs:read', y: 'fs' } });
  compiles(`(async () => { 'use strict'; ${body.before}${body.code}${body.after}\n})`, code);
}

function compiles(script: string, source: string): void {
  try {
    new vm.Script(script);
  } catch (thrown) {
    assert.fail(`V8 refuses what was accepted: ${String(thrown)}\n${source}`);
  }
}

test('no text makes code/ throw anything but a ParseError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), soup), (text) => void survives(text)),
    runs(1500),
  );
});

test('no damaged program makes code/ throw anything but a ParseError', () => {
  let accepted = 0;
  fc.assert(
    fc.property(damaged, (text) => {
      if (survives(text)) accepted += 1;
    }),
    runs(500),
  );
  assert.ok(accepted > 0);
});

test('no nesting crashes the process', () => {
  const repeats = fc.array(
    fc.tuple(
      fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(3, 300, 2000, 30_000),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const deep = repeats.map((parts) =>
    parts
      .map(([tokens, times]) => `${tokens.join(' ')} `.repeat(times))
      .join('')
      .slice(0, 250_000),
  );
  fc.assert(
    fc.property(deep, (text) => void survives(text)),
    runs(150),
  );
});
