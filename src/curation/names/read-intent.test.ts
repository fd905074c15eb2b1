import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readClauses, readIntent } from './read-intent.ts';

function read(intent: string, parameters: readonly string[] = []): string {
  const { verb, target } = readIntent(intent, parameters);
  return [verb, ...target].filter((word) => word !== undefined).join(' ');
}

for (const [intent, expected] of [
  // A verb and its target, without what a name does not need.
  ['Read the current configuration', 'read configuration'],
  ['Reads and validates the user profile data', 'read user profile'],
  ['Recursively deletes all empty folders', 'delete empty folders deep'],
  ['Sorts the given array', 'sort'],
  ['Get the status of the deployment', 'get deployment status'],
  ['Retrieve the number of open issues', 'get open issues'],
  ['Group the commits by author', 'group commits by author'],
  ['Split the text into sentences', 'split text'],
  // Questions.
  ['Checks if a given value is empty', 'is empty'],
  ['Returns true if the list has duplicates', 'has duplicates'],
  ['Whether the file exists', 'has file'],
  ['Is the given date in the same week?', 'is same week'],
  ['Determines whether the job should be retried', 'should retry job'],
  ['Asserts that the response is valid JSON', 'assert valid json'],
  // Conversions.
  ['Convert a number of minutes to milliseconds', 'minutes to milliseconds'],
  ['Converts a string to kebab case', 'to kebab case'],
  ['Markdown to HTML', 'markdown to html'],
  ['Convert CSV rows to JSON', 'csv to json'],
  // Functions that make something.
  ['Returns the start of the week', 'start of week'],
  ['Creates a function that memoizes the result', 'memoize'],
  ['Creates a deep clone of the settings', 'clone settings deep'],
  ['Returns a new list with the keys omitted', 'omit keys'],
  ['Computes the difference between two arrays using a custom equality function', 'difference with'],
  // Intents in people's own words.
  ['Could you please list the open tickets', 'list open tickets'],
  ['I would like to book a flight', 'book flight'],
  // Names of products and formats.
  ['Parse the OAuth token of GitHub', 'parse github oauth token'],
  ['Open a WebSocket to the given URLs', 'open web-socket'],
] as const)
  test(`"${intent}" is ${expected}`, () => {
    assert.equal(read(intent), expected);
  });

test('quoted values and parameters are no words of a name', () => {
  assert.equal(read("rename 'old name.txt' to {target}"), 'rename');
  assert.equal(read('Copies the values of `source` to `array`', ['source', 'array']), 'copy');
});

test('texts without words say nothing', () => {
  for (const text of ['', '   ', '…', '🚀', '读取文件', '!!!', '12 34']) assert.equal(read(text), '');
});

test('every clause is read for itself', () => {
  const clauses = readClauses('It is late, so archive the logs and send a report to the team');
  const verbs = clauses.map(({ verb }) => verb);
  assert.ok(verbs.includes('archive') && verbs.includes('send'), verbs.join());
});
