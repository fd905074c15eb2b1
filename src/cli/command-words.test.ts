import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCommandWords } from './command-words.ts';

const CASES: [string, string][] = [
  [
    'Newest: 3. cap_history lists the versions there are.',
    'Newest: 3. pml history lists the versions there are.',
  ],
  ['Allow more with options.timeout: at most 5.', 'Allow more with --timeout: at most 5.'],
  [
    'For example: pml_execute({"intent":"use a:b","capability":"a:b","args":{"path":"it\'s","n":2,"deep":true}})',
    "For example: pml run a:b --path 'it'\\''s' --n 2 --deep",
  ],
  ['Find it with `pml_discover({"intent":"x"})`.', 'Find it with `pml discover({"intent":"x"})`.'],
  ['Wrong arguments for cap_list: "version_tag": Too long', '--tag: Too long'],
  ['cap_fs_read_json is a function of the code', 'cap_fs_read_json is a function of the code'],
];
for (const [said, words] of CASES)
  test(`"${said.slice(0, 40)}…" is said in the words of the command line`, () => {
    assert.equal(inCommandWords(said), words);
  });
