import { recordChanged } from '../format-text.ts';
import { CACHE_POLICIES, commaSeparated, oneOf, VISIBILITIES, wholeNumber } from '../option-values.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_rename',
  usage: 'rename NAME [NEW_NAME] [options]',
  about: `Gives a capability another name, description, tags, visibility, routing or caching. The old name keeps working.

  pml rename unnamed_a7f3b2c1 fs:read_json --tags json,config --visibility project

  --undo          give it back the name it had before its last rename
  --description TEXT
  --tags A,B      all of its tags; '' for none
  --visibility V  private, project, org or public
  --routing R     local or cloud
  --cache P       answer equal calls with the result of the first: memoize (in memory), persistent (in the store), none
  --ttl SECONDS   how long a result is good; 300 unless told
  --force         cache although it calls tools that are not marked read-only`,
  options: {
    undo: { type: 'boolean' },
    description: { type: 'string' },
    tags: { type: 'string' },
    visibility: { type: 'string' },
    routing: { type: 'string' },
    cache: { type: 'string' },
    ttl: { type: 'string' },
    force: { type: 'boolean' },
  },
  completes: 'capabilities',
  positionals: [1, 2],
  input: ({ values: { undo, description, tags, cache, ttl, ...values }, positionals: [name, new_name] }) => ({
    ...{ name, undo, new_name, description, force: values.force },
    visibility: oneOf(values.visibility, '--visibility', VISIBILITIES),
    routing: oneOf(values.routing, '--routing', ['local', 'cloud']),
    cache_policy: oneOf(cache, '--cache', CACHE_POLICIES),
    ttl: wholeNumber(ttl, '--ttl', { least: 1 }),
    tags: commaSeparated(tags),
  }),
  format: (answer) => recordChanged(answer, 'changed'),
});
