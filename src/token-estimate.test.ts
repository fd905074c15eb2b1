import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokens } from './token-estimate.ts';

// Whole lists of tools are compared in gateway/tools/own-tools.test.ts and test/e2e/listed-tools.test.ts.
test('other scripts are not taken for cheap', () => {
  for (const text of [
    'ファイルの内容を読み取り、テキストとして返します。',
    'Читает файл и возвращает его текст.',
  ]) {
    const ratio = estimateTokens(text) / encode(text).length;
    assert.ok(ratio > 0.6 && ratio < 3, `${text}: ${ratio}`);
  }
});

test('a longer text never counts less', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      assert.ok(estimateTokens(a + b) >= estimateTokens(a));
    }),
  );
});
